package sysinfo

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// What Windows answers is understood here without build tag, so that it is
// tested everywhere. The calls are in the files for windows.

// windowsTool is the path of a program of the system.
func windowsTool(name string) string { return systemDirectory() + `\` + name }

// Keys of HKEY_LOCAL_MACHINE.
const (
	windowsVersionKey = `SOFTWARE\Microsoft\Windows NT\CurrentVersion`
	biosKey           = `HARDWARE\DESCRIPTION\System\BIOS`
	processorKey      = `HARDWARE\DESCRIPTION\System\CentralProcessor\0`
	networkListKey    = windowsVersionKey + `\NetworkList\Profiles`
	adapterClassKey   = `SYSTEM\CurrentControlSet\Control\Class\{4d36e972-e325-11ce-bfc1-08002be10318}`
)

// describeWindows takes the facts of the registry about the machine.
func describeWindows(r *Record, values []registryValue) {
	version, bios, cpu := registryKey(values, windowsVersionKey), registryKey(values, biosKey), registryKey(values, processorKey)
	r.Host.OSName = textOrNil(version["ProductName"].Data)
	r.Host.OSVersion = textOrNil(or(version["DisplayVersion"].Data, version["ReleaseId"].Data))
	build := version["CurrentBuild"].Data
	// Windows 11 calls itself 10 in this value.
	if n, ok := version["CurrentBuild"].number(); ok && n >= 22000 && r.Host.OSName != nil {
		r.Host.OSName = new(strings.Replace(*r.Host.OSName, "Windows 10", "Windows 11", 1))
	}
	if update, ok := version["UBR"].number(); ok && build != "" {
		build = fmt.Sprintf("%s.%d", build, update)
	}
	r.Host.OSBuild = textOrNil(build)
	r.Host.Model = textOrNil(bios["SystemProductName"].Data)
	if maker := bios["SystemManufacturer"].Data; maker != "" || r.Host.Model != nil {
		r.Host.Virtualization = new(windowsVirtualization(maker, bios["SystemProductName"].Data))
	}
	r.CPU.Model = textOrNil(strings.TrimSpace(cpu["ProcessorNameString"].Data))
	if mhz, ok := cpu["~MHz"].number(); ok && mhz > 0 {
		r.CPU.FrequencyMax = &mhz
	}
}

// windowsVirtualization tells a virtual machine by what its firmware calls
// itself. The hypervisor bit of the CPU is set on the host, too.
func windowsVirtualization(maker, model string) string {
	both := strings.ToLower(maker + " " + model)
	for _, v := range []struct{ word, name string }{
		{"vmware", "vmware"}, {"virtualbox", "virtualbox"}, {"innotek", "virtualbox"}, {"qemu", "kvm"}, {"kvm", "kvm"}, {"parallels", "parallels"},
		{"xen", "xen"}, {"bochs", "kvm"}, {"google compute", "kvm"}, {"amazon ec2", "kvm"}, {"apple virtual", "apple"},
	} {
		if strings.Contains(both, v.word) {
			return v.name
		}
	}
	if strings.Contains(both, "microsoft") && strings.Contains(both, "virtual machine") {
		return "hyperv"
	}
	return "none"
}

// describeWindowsFirewall makes a layer of the firewall's profiles. profile is
// that of the carrying interface, "" if it is not known: then the state is
// known only if it is the same in all of them. running is the firewall's
// service, nil if not known.
func describeWindowsFirewall(r *Record, profiles []firewallProfile, profile string, running *bool) {
	layer := Layer{Name: "windows_firewall", OnPath: true}
	var words []string
	all := make(map[string]bool)
	for _, f := range profiles {
		state := "unknown"
		if s := onOff(f.On); s != nil {
			state = *s
		}
		words = append(words, f.Name+" "+state)
		if f.Name == profile {
			layer.State = onOff(f.On)
			if f.On != nil && *f.On && f.BlocksInbound != nil && !*f.BlocksInbound {
				words[len(words)-1] += ", allowing inbound"
			}
		}
		all[state] = true
	}
	layer.Detail = strings.Join(words, "; ")
	if profile == "" && len(all) == 1 {
		layer.State = onOff(profiles[0].On)
	}
	if layer.State == nil {
		layer.Reason = NotSupported
		if profile == "" {
			layer.Detail = "the profile of the interface is not known; " + layer.Detail
		}
	}
	if running != nil && !*running {
		layer.State, layer.Reason = nil, Failed
		layer.Detail = "the service MpsSvc is not running; " + layer.Detail
	}
	r.Firewall.Layers = append(r.Firewall.Layers, layer)
}

// firewallRules counts the active rules that apply to a profile, or to any if
// it is not known.
func firewallRules(values []registryValue, profile string) int64 {
	var n int64
	for _, v := range values {
		if !strings.HasSuffix(v.Key, firewallRulesKey) {
			continue
		}
		rule, err := parseFirewallRule([]byte(v.Data))
		if err == nil && rule.Active && (profile == "" || len(rule.Profiles) == 0 || slices.Contains(rule.Profiles, profile)) {
			n++
		}
	}
	return n
}

// profileOfNetwork finds the category of a network in the list of networks
// that Windows has been in, by its GUID; "" if it is not there.
func profileOfNetwork(values []registryValue, guid string) string {
	if guid == "" {
		return ""
	}
	category, ok := registryKey(values, networkListKey+`\`+guid)["Category"].number()
	if !ok || category < 0 || category > 2 {
		return ""
	}
	return []string{"public", "private", "domain"}[category]
}

// describeSecurityProducts takes the firewalls that registered themselves. They
// take Windows' own over, which then may call itself off.
func describeSecurityProducts(r *Record, products []securityProduct) {
	layer := Layer{Name: "third_party", OnPath: true, State: new(Off)}
	r.Security.Filters = []string{}
	for _, p := range products {
		r.Security.Filters = append(r.Security.Filters, Printable(p.Name))
		switch {
		case p.On == nil:
			if layer.State != nil && *layer.State == Off {
				layer.State, layer.Reason = nil, ParseError
			}
		case *p.On:
			layer.State, layer.Reason = new(On), ""
		}
	}
	layer.Detail = strings.Join(r.Security.Filters, ", ")
	r.Firewall.Layers = append(r.Firewall.Layers, layer)
}

// adapterValues finds the driver's key of an adapter, by the adapter's GUID.
func adapterValues(values []registryValue, guid string) map[string]registryValue {
	i := slices.IndexFunc(values, func(v registryValue) bool {
		return v.Name == "NetCfgInstanceId" && strings.EqualFold(v.Data, guid)
	})
	if i < 0 {
		return nil
	}
	found := make(map[string]registryValue)
	for _, v := range values {
		if v.Key == values[i].Key {
			found[v.Name] = v
		}
	}
	return found
}

// describeAdapter takes the settings of a driver. The names with an asterisk
// are Microsoft's standardized keywords; a keyword that is missing is a feature
// that the driver does not have.
func describeAdapter(r *Record, v map[string]registryValue) {
	number := func(keyword string) *int64 {
		if n, ok := v[keyword].number(); ok && n >= 0 {
			return &n
		}
		return nil
	}
	enabled := func(keywords ...string) *bool {
		var on *bool
		for _, k := range keywords {
			if n := number(k); n != nil {
				on = new(on != nil && *on || *n != 0)
			}
		}
		return on
	}
	// Checksums and flow control: 1 is for sending, 2 for receiving, 3 for both.
	bit := func(mask int64, keywords ...string) *bool {
		var on *bool
		for _, k := range keywords {
			if n := number(k); n != nil && *n <= 3 {
				on = new(on != nil && *on || *n&mask != 0)
			}
		}
		return on
	}
	r.Link.Driver, r.Link.DriverVersion = textOrNil(v["DriverDesc"].Data), textOrNil(v["DriverVersion"].Data)
	r.Link.AttachedBy = attachmentOf(v["ComponentId"].Data)
	r.Offload.TSO = enabled("*LsoV2IPv4", "*LsoV2IPv6", "*LsoV1IPv4")
	r.Offload.RSC, r.Offload.RSS, r.Offload.USO = enabled("*RscIPv4", "*RscIPv6"), enabled("*RSS"), enabled("*UsoIPv4", "*UsoIPv6")
	r.Offload.ChecksumTx = bit(1, "*TCPChecksumOffloadIPv4", "*TCPChecksumOffloadIPv6")
	r.Offload.ChecksumRx = bit(2, "*TCPChecksumOffloadIPv4", "*TCPChecksumOffloadIPv6")
	r.Link.FlowControl, r.Link.EEE = bit(3, "*FlowControl"), enabled("*EEE")
	r.Queue.RingRx, r.Queue.RingTx, r.Queue.Channels = number("*ReceiveBuffers"), number("*TransmitBuffers"), number("*NumRssQueues")
	if n := number("*SpeedDuplex"); n != nil {
		r.Link.AutoNeg = new(*n == 0)
	}
	if n := number("*JumboPacket"); n != nil && *n > ethernetHeader {
		r.Link.MTUMax = new(*n - ethernetHeader)
	}
}

// ethernetHeader is counted in *JumboPacket and not in an MTU.
const ethernetHeader = 14

var componentBus = regexp.MustCompile(`(?i)^(pci|usb|usb4|vmbus|root|ms_|vms_|tb|thunderbolt)`)

// attachmentOf tells the bus from a driver's component, "PCI\VEN_8086&DEV_15F3".
func attachmentOf(component string) *string {
	m := componentBus.FindStringSubmatch(component)
	if m == nil {
		return nil
	}
	switch strings.ToLower(m[1]) {
	case "pci", "usb":
		return new(strings.ToLower(m[1]))
	case "usb4", "tb", "thunderbolt":
		return new("thunderbolt")
	}
	return new("none")
}

// describeTCPSettings takes Windows' global settings of TCP. What is off there
// is off for every adapter; what is on may still be off for one.
func describeTCPSettings(r *Record, s tcpSettings) {
	r.Limits.AutoTuning = textOrNil(s.AutoTuning)
	for setting, into := range map[*bool]**bool{s.RSS: &r.Offload.RSS, s.RSC: &r.Offload.RSC} {
		if setting != nil && !*setting {
			*into = new(false)
		}
	}
}

// nlMTU takes the MTU of the address family in use. All ones is no limit.
func (r *Record) nlMTU(mtu uint32) {
	n, ok := knownMTU(mtu)
	if !ok {
		r.unknown("link.mtu_bytes", because(NotApplicable, "no limit"))
		return
	}
	r.Link.MTU = new(int64(n))
}

// describePowerStatus takes what Windows knows of the battery.
func describePowerStatus(r *Record, s powerStatus) {
	switch {
	case s.HasBattery != nil && !*s.HasBattery:
		r.unknown("power.on_battery", because(NotApplicable, "no battery"))
	case s.OnBattery == nil:
		r.unknown("power.on_battery", because(NotSupported, "Windows does not know"))
	default:
		r.Power.OnBattery = s.OnBattery
	}
}

// powerShellFacts asks for what only PowerShell tells without opening a device:
// the categories of networks, duplex, and registered firewalls. It is slow to
// start, hence one question for all.
const powerShellFacts = `$ErrorActionPreference='SilentlyContinue';` +
	`[Console]::OutputEncoding=[Text.Encoding]::UTF8;` +
	`Get-NetConnectionProfile|Format-List InterfaceAlias,InterfaceIndex,NetworkCategory;` +
	`Get-NetAdapter|Format-List InterfaceDescription,InterfaceIndex,FullDuplex,DriverVersion;` +
	`if(Get-CimInstance -Namespace root -ClassName __NAMESPACE -Filter "Name='SecurityCenter2'"){'';'SecurityCenter2 : present';'';` +
	`Get-CimInstance -Namespace root/SecurityCenter2 -ClassName FirewallProduct|Format-List displayName,productState};exit 0`

// askPowerShell asks all of powerShellFacts.
func askPowerShell(ctx context.Context, p *probe) ([]map[string]string, error) {
	b, err := p.shared(ctx, windowsTool(`WindowsPowerShell\v1.0\powershell.exe`), "-NoProfile", "-NonInteractive", "-Command", powerShellFacts)
	if err != nil {
		return nil, err
	}
	if len(b) == 0 {
		return nil, because(NotSupported, "PowerShell printed nothing")
	}
	return parseFormatList(b)
}

// hasSecurityCenter reports whether this edition registers security products,
// so that none is an answer.
func hasSecurityCenter(objects []map[string]string) bool {
	return slices.ContainsFunc(objects, func(o map[string]string) bool { return o["SecurityCenter2"] == "present" })
}

// describeNetAdapter takes what IP Helper does not have.
func describeNetAdapter(r *Record, adapters []networkAdapter, index int) error {
	for _, a := range adapters {
		if a.InterfaceIndex != index {
			continue
		}
		r.Link.DriverVersion = textOrNil(a.DriverVersion)
		if a.FullDuplex == nil {
			return because(NotSupported, "the driver does not tell")
		}
		r.Link.Duplex = new("half")
		if *a.FullDuplex {
			r.Link.Duplex = new("full")
		}
		return nil
	}
	return because(NotFound, "PowerShell does not list the adapter")
}
