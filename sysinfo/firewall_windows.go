package sysinfo

import (
	"context"
	"strconv"

	"golang.org/x/sys/windows"
)

// collectWindowsFirewall reads the state of the three profiles. Which one
// applies is the matter of the interface.
func collectWindowsFirewall(ctx context.Context, p *probe, r *Record) error {
	profiles, err := firewallProfiles(ctx, p)
	if err != nil {
		why := unknownOf(err)
		r.Firewall.Layers = append(r.Firewall.Layers, Layer{Name: "windows_firewall", OnPath: true, Reason: why.Reason, Detail: why.Detail})
		return err
	}
	describeWindowsFirewall(r, profiles, "", serviceRuns("MpsSvc"))
	rules, err := askRegistry(p, ruleQueries...)
	if err != nil {
		r.unknown("firewall.rules", err)
		return nil
	}
	r.Firewall.Rules = new(firewallRules(rules, ""))
	return nil
}

// ruleQueries ask for the rules: values with a GUID or a name of their own.
var ruleQueries = []registryQuery{
	{firewallPolicyKey + firewallRulesKey, []string{"…"}},
	{firewallGroupPolicyKey + firewallRulesKey, []string{"…"}},
}

// firewallProfiles reads the registry, or else netsh in whatever language it
// speaks.
func firewallProfiles(ctx context.Context, p *probe) ([]firewallProfile, error) {
	names := []string{"EnableFirewall", "DefaultInboundAction"}
	var queries []registryQuery
	for _, profile := range []string{`\DomainProfile`, `\StandardProfile`, `\PublicProfile`} {
		queries = append(queries, registryQuery{firewallPolicyKey + profile, names}, registryQuery{firewallGroupPolicyKey + profile, names})
	}
	queries = append(queries, registryQuery{firewallGroupPolicyKey + `\PrivateProfile`, names})
	values, err := askRegistry(p, queries...)
	if err == nil {
		return registryProfiles(values), nil
	}
	b, err2 := netsh(ctx, p, "advfirewall", "show", "allprofiles")
	if err2 != nil {
		return nil, err
	}
	return parseAdvFirewall(b)
}

// serviceRuns asks the service manager; nil if it does not tell.
func serviceRuns(name string) *bool {
	manager, err := windows.OpenSCManager(nil, nil, windows.SC_MANAGER_CONNECT)
	if err != nil {
		return nil
	}
	defer windows.CloseServiceHandle(manager)
	text, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil
	}
	service, err := windows.OpenService(manager, text, windows.SERVICE_QUERY_STATUS)
	if err != nil {
		return nil
	}
	defer windows.CloseServiceHandle(service)
	var s windows.SERVICE_STATUS
	if windows.QueryServiceStatus(service, &s) != nil {
		return nil
	}
	return new(s.CurrentState == windows.SERVICE_RUNNING)
}

// collectNetworkCategory finds the firewall profile of the interface: by the
// list of networks, or else by PowerShell.
func collectNetworkCategory(ctx context.Context, p *probe, r *Record) error {
	if p.link() == "" {
		return errNoLink
	}
	profile, err := networkCategory(ctx, p)
	if err != nil {
		return err
	}
	r.Firewall.Profile = &profile
	profiles, err := firewallProfiles(ctx, p)
	if err != nil {
		return nil // said by the source for the host
	}
	describeWindowsFirewall(r, profiles, profile, serviceRuns("MpsSvc"))
	if rules, err := askRegistry(p, ruleQueries...); err == nil {
		r.Firewall.Rules = new(firewallRules(rules, profile))
	}
	return nil
}

func networkCategory(ctx context.Context, p *probe) (string, error) {
	row, err := rowNamed(p, p.link())
	if err != nil {
		return "", err
	}
	if kind, _ := row.kind(); kind == KindLoopback {
		return "", because(NotApplicable, "the loopback is in no network")
	}
	if row.NetworkGUID != "" {
		values, err := askRegistry(p, registryQuery{networkListKey + `\` + row.NetworkGUID, []string{"Category"}})
		if err == nil {
			if profile := profileOfNetwork(values, row.NetworkGUID); profile != "" {
				return profile, nil
			}
		}
	}
	objects, err := askPowerShell(ctx, p)
	if err != nil {
		return "", err
	}
	for _, c := range connectionProfiles(objects) {
		if c.Category != "" && strconv.Itoa(c.InterfaceIndex) == strconv.FormatUint(uint64(row.Index), 10) {
			return c.Category, nil
		}
	}
	return "", because(NotFound, "%q is in no network", p.link())
}

func collectSecurityCenter(ctx context.Context, p *probe, r *Record) error {
	objects, err := askPowerShell(ctx, p)
	if err != nil {
		return err
	}
	products := securityProducts(objects)
	if len(products) == 0 && !hasSecurityCenter(objects) {
		return because(NotSupported, "this edition of Windows has no SecurityCenter2")
	}
	describeSecurityProducts(r, products)
	return nil
}

func collectNetAdapter(ctx context.Context, p *probe, r *Record) error {
	if p.link() == "" {
		return errNoLink
	}
	row, err := rowNamed(p, p.link())
	if err != nil {
		return err
	}
	objects, err := askPowerShell(ctx, p)
	if err != nil {
		return err
	}
	return describeNetAdapter(r, networkAdapters(objects), int(row.Index))
}
