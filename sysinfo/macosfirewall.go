package sysinfo

import (
	"context"
	"strings"
)

const socketFilterTool = "/usr/libexec/ApplicationFirewall/socketfilterfw"

// collectSocketFilter asks for the application firewall, by its own tool or
// else by the slower system_profiler. It handles connections on the loopback
// too.
func collectSocketFilter(ctx context.Context, p *probe, r *Record) error {
	f, err := askSocketFilter(ctx, p)
	if err != nil {
		b, err2 := p.profile(ctx, "SPFirewallDataType")
		if err2 != nil {
			return err
		}
		if f, err = parseFirewallReport(b); err != nil {
			return err
		}
	}
	f.describe(r)
	return nil
}

func askSocketFilter(ctx context.Context, p *probe) (applicationFirewall, error) {
	b, err := p.command(ctx, socketFilterTool, "--getglobalstate", "--getblockall", "--getstealthmode", "--getallowsigned")
	if err != nil {
		return applicationFirewall{}, err
	}
	f, err := parseSocketFilter(b)
	if err == nil && f.On == nil {
		err = notUnderstood("socketfilterfw: no state", b)
	}
	return f, err
}

func (f applicationFirewall) describe(r *Record) {
	r.Firewall.BlockAll, r.Firewall.Stealth = f.BlockAll, f.Stealth
	l := Layer{Name: "application_firewall", State: onOff(f.On), OnPath: true}
	var details []string
	if f.BlockAll != nil && *f.BlockAll {
		details = append(details, "blocks all incoming connections")
	}
	if f.Stealth != nil && *f.Stealth {
		details = append(details, "stealth mode")
	}
	l.Detail = strings.Join(details, ", ")
	if l.State == nil {
		l.Reason = ParseError
	}
	r.Firewall.Layers = append(r.Firewall.Layers, l)
}

// onOff gives the word for a state, nil if it is not known.
func onOff(on *bool) *string {
	switch {
	case on == nil:
		return nil
	case *on:
		return new(On)
	}
	return new(Off)
}

// collectPF asks for the packet filter, which answers root only. It counts as
// on if it is enabled and a rule of it blocks: macOS enables it with empty
// anchors for its own services.
func collectPF(ctx context.Context, p *probe, r *Record) error {
	layer := Layer{Name: "pf", OnPath: true}
	err := askPF(ctx, p, r, &layer)
	if err != nil {
		why := unknownOf(err)
		layer.Reason, layer.Detail = why.Reason, why.Detail
	}
	r.Firewall.Layers = append(r.Firewall.Layers, layer)
	return err
}

func askPF(ctx context.Context, p *probe, r *Record, layer *Layer) error {
	b, err := p.command(ctx, "/sbin/pfctl", "-s", "info")
	if err != nil {
		return err
	}
	enabled, err := parsePFInfo(b)
	if err != nil {
		return err
	}
	if !enabled {
		layer.State, r.Firewall.Rules, r.Firewall.Filtering = new(Off), new(int64(0)), new(false)
		return nil
	}
	// The anchor "*" stands for all of them, to any depth.
	if b, err = p.command(ctx, "/sbin/pfctl", "-a", "*", "-s", "rules"); err != nil {
		return err
	}
	rules, blocking := parsePFRules(b)
	r.Firewall.Rules, r.Firewall.Filtering = new(int64(rules)), &blocking
	layer.State = onOff(&blocking)
	if !blocking {
		layer.Detail = "enabled, no rule blocks"
	}
	return nil
}

// collectSystemExtensions lists the active network extensions. What one of
// them does (filter, DNS proxy, VPN) is not told, so with one active the state of
// this layer is not known.
func collectSystemExtensions(ctx context.Context, p *probe, r *Record) error {
	layer := Layer{Name: "content_filter", OnPath: true}
	b, err := p.command(ctx, "/usr/bin/systemextensionsctl", "list")
	var extensions []systemExtension
	if err == nil {
		extensions, err = parseSystemExtensions(b)
	}
	if err != nil {
		why := unknownOf(err)
		layer.Reason, layer.Detail = why.Reason, why.Detail
		r.Firewall.Layers = append(r.Firewall.Layers, layer)
		return err
	}
	r.Security.Filters = []string{}
	for _, e := range extensions {
		if e.Category == networkExtension && e.Active {
			r.Security.Filters = append(r.Security.Filters, Printable(e.BundleID))
		}
	}
	if len(r.Security.Filters) == 0 {
		layer.State = new(Off)
	} else {
		layer.Reason = NotSupported
		layer.Detail = "active, of a kind that is not told: " + strings.Join(r.Security.Filters, ", ")
	}
	r.Firewall.Layers = append(r.Firewall.Layers, layer)
	return nil
}

// macTunnels are the VPNs that are up: services of the system's list by name,
// and tunnel interfaces with an address of their own, which other programs
// make. macOS itself keeps some with nothing but a link-local address.
func macTunnels(services []vpnService, interfaces []Interface) []string {
	vpn := []string{}
	for _, s := range services {
		if s.Connected {
			vpn = append(vpn, Printable(s.Name))
		}
	}
	for _, i := range interfaces {
		if i.Kind == KindTunnel && i.Up && hasOwnAddress(i.Addresses) {
			vpn = append(vpn, i.Name)
		}
	}
	return vpn
}
