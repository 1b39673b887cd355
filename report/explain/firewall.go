package explain

import (
	"fmt"
	"strings"

	"linkperf/sysinfo"
)

// matrixFirewall is how the cost of a firewall is measured.
const matrixFirewall = "linkperf matrix firewall"

// firewallOn says that a firewall is on, and never what it costs.
func firewallOn(_ *view, e *end) *Finding {
	if !is(e.Firewall.State, sysinfo.On) {
		return nil
	}
	var layers []string
	published := ""
	for _, l := range e.Firewall.Layers {
		if !l.OnPath || !is(l.State, sysinfo.On) {
			continue
		}
		layers = append(layers, l.Name)
		if l.Name == "application_firewall" {
			published = " (published for loopback with this one: 10 to 20 %)"
		}
	}
	which := ""
	if len(layers) > 0 {
		which = " (" + strings.Join(layers, ", ")
		if e.Firewall.Hooks != nil && e.Firewall.Rules != nil {
			which += fmt.Sprintf("; %s, %s", counted(*e.Firewall.Hooks, "hook", "hooks"), counted(*e.Firewall.Rules, "rule", "rules"))
		}
		which += ")"
	}
	extra := ""
	if yes(e.Firewall.BlockAll) {
		extra = " It blocks all incoming connections: a server there cannot be reached."
	}
	return say(fmt.Sprintf("The firewall at the %s is on%s. Whether it costs throughput was not measured%s.%s", e.side, which, published, extra),
		matrixFirewall+" compares on with off (it switches the firewall, and back)").
		on(e, "firewall.state", "firewall.hooks", "firewall.rules", "firewall.manager", "firewall.block_all")
}

func firewallUnknown(_ *view, e *end) *Finding {
	why, null := e.Why("firewall.state")
	if e.Firewall.State != nil || !null {
		return nil
	}
	// Nobody asked, or nobody told: there is nothing to be done here.
	switch why.Reason {
	case sysinfo.NotAttempted, sysinfo.Withheld, sysinfo.NotApplicable:
		return nil
	}
	advice := ""
	if why.Reason == sysinfo.NoPermission {
		advice = e.at("start linkperf as root or administrator to read it")
	}
	reason := string(why.Reason)
	if why.Detail != "" {
		reason += ": " + why.Detail
	}
	f := say(fmt.Sprintf("Whether a firewall is on at the %s is not known (%s).", e.side, reason), advice)
	f.Numbers[e.side+".unknown.firewall.state"] = string(why.Reason)
	return f
}

func contentFilter(_ *view, e *end) *Finding {
	if len(e.Security.Filters) == 0 {
		return nil
	}
	return say(fmt.Sprintf("Programs that see every packet or flow are active at the %s: %s.", e.side, listed(e.Security.Filters)),
		"repeat without them; what they cost was not measured").on(e, "security.filters")
}

func publicProfile(_ *view, e *end) *Finding {
	if !is(e.Host.OS, "windows") || !is(e.Firewall.Profile, "public") || !e.cabled() || !e.onLink() {
		return nil
	}
	return say(fmt.Sprintf("Windows counts the network of %s as public, as it does with every new cable: incoming connections are blocked without a rule.", e.name()),
		e.at("Set-NetConnectionProfile -InterfaceAlias "+e.device()+" -NetworkCategory Private (PowerShell as administrator)")).
		on(e, "firewall.profile", "path.kind", "path.on_link", "path.interface")
}
