package sysinfo

import (
	"testing"
)

// What other systems answer is never trusted: no parser may fall over, and one
// that gives up must say that it did not understand.

func understood(t *testing.T, err error) bool {
	t.Helper()
	if err != nil && unknownOf(err).Reason != ParseError {
		t.Errorf("reason %q for %v", unknownOf(err).Reason, err)
	}
	return err == nil
}

func bounded(t *testing.T, what string, values ...int64) {
	t.Helper()
	for _, v := range values {
		if v < 0 || v > 1e15 {
			t.Errorf("%s: %d bits per second", what, v)
		}
	}
}

func FuzzParseThunderbolt(f *testing.F) {
	seed(f, "macos/SPThunderboltDataType.*")
	f.Fuzz(func(t *testing.T, b []byte) {
		buses, err := parseThunderbolt(b)
		if !understood(t, err) {
			return
		}
		for _, bus := range buses {
			for _, p := range bus.Ports {
				bounded(t, "port", p.Speed, p.Capability)
				if p.Speed > 0 && !p.Connected {
					t.Error("a speed with nothing connected")
				}
			}
			for _, d := range bus.Devices {
				bounded(t, "device", d.Speed)
			}
			thunderboltGeneration(bus, 0)
		}
	})
}

func FuzzParseUSBReport(f *testing.F) {
	seed(f, "macos/SPUSB*")
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := parseUSBReport(b)
		if !understood(t, err) {
			return
		}
		for _, d := range r.Devices {
			bounded(t, "device", d.Speed, d.ParentSpeed, usbBusCapability(d.Bus))
		}
	})
}

func FuzzParseAirPort(f *testing.F) {
	seed(f, "macos/SPAirPort*")
	f.Fuzz(func(t *testing.T, b []byte) {
		links, err := parseAirPort(b)
		checkWiFi(t, links, err)
	})
}

func checkWiFi(t *testing.T, links []wifiLink, err error) {
	if !understood(t, err) {
		return
	}
	for _, w := range links {
		bounded(t, "Wi-Fi", w.RateRx, w.RateTx)
		if w.SignalDBm > 0 || w.NoiseDBm > 0 || w.Channel < 0 || w.WidthMHz < 0 {
			t.Errorf("%+v", w)
		}
	}
}

func FuzzParseFirewallReport(f *testing.F) {
	seed(f, "macos/SPFirewall*")
	f.Fuzz(func(t *testing.T, b []byte) {
		w, err := parseFirewallReport(b)
		if understood(t, err) && w.On == nil {
			t.Error("understood, and no state")
		}
	})
}

func FuzzParseSocketFilter(f *testing.F) {
	seed(f, "macos/socketfilterfw*")
	f.Fuzz(func(t *testing.T, b []byte) {
		w, err := parseSocketFilter(b)
		if understood(t, err) && w == (applicationFirewall{}) {
			t.Error("understood, and nothing known")
		}
	})
}

func FuzzParsePF(f *testing.F) {
	seed(f, "macos/pfctl*")
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err := parsePFInfo(b)
		understood(t, err)
		if rules, blocking := parsePFRules(b); rules < 0 || blocking && rules == 0 {
			t.Errorf("%d rules, blocking %v", rules, blocking)
		}
	})
}

func FuzzParseIfconfig(f *testing.F) {
	seed(f, "macos/ifconfig*")
	f.Fuzz(func(t *testing.T, b []byte) {
		interfaces, err := parseIfconfig(b)
		if !understood(t, err) {
			return
		}
		for _, i := range interfaces {
			bounded(t, "interface", i.Media.Speed, i.UplinkEffective, i.UplinkMax, i.DownlinkEffective, i.DownlinkMax)
			if i.Status == "inactive" && i.Media != (ifconfigMedia{}) {
				t.Error("a medium in use on an inactive interface")
			}
			for _, p := range i.Addresses {
				if !p.IsValid() {
					t.Errorf("address %v", p)
				}
			}
		}
	})
}

func FuzzParseNetworksetup(f *testing.F) {
	seed(f, "macos/networksetup*")
	f.Fuzz(func(t *testing.T, b []byte) {
		ports, err := parseHardwarePorts(b)
		if understood(t, err) {
			for _, p := range ports {
				if n := thunderboltReceptacle(ports, p.Device); n < 0 {
					t.Errorf("receptacle %d", n)
				}
			}
		}
		least, most, err := parseMTURange(b)
		if understood(t, err) && (least < 0 || most < 0) {
			t.Errorf("MTU %d-%d", least, most)
		}
	})
}

func FuzzParseRouteGet(f *testing.F) {
	seed(f, "macos/route-n-get*")
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := parseRouteGet(b)
		if understood(t, err) && r.Interface == "" {
			t.Error("understood, and no interface")
		}
	})
}

func FuzzParseNetstatRoutes(f *testing.F) {
	seed(f, "macos/netstat*")
	f.Fuzz(func(t *testing.T, b []byte) {
		routes, err := parseNetstatRoutes(b)
		if !understood(t, err) {
			return
		}
		for _, r := range routes {
			if !r.Destination.IsValid() {
				t.Fatalf("route %+v", r)
			}
			if _, ok := routeFromTable(routes, r.Destination.Addr()); !ok {
				t.Errorf("no route to %v of its own table", r.Destination)
			}
		}
	})
}

func FuzzParseVPNList(f *testing.F) {
	seed(f, "macos/scutil*")
	f.Fuzz(func(t *testing.T, b []byte) {
		services, err := parseVPNList(b)
		if understood(t, err) && services == nil {
			t.Error("none and unknown are not told apart")
		}
	})
}

func FuzzParseSystemExtensions(f *testing.F) {
	seed(f, "macos/systemextensionsctl*")
	f.Fuzz(func(t *testing.T, b []byte) {
		extensions, err := parseSystemExtensions(b)
		if understood(t, err) && extensions == nil {
			t.Error("none and unknown are not told apart")
		}
	})
}

func FuzzParsePower(f *testing.F) {
	seed(f, "macos/pmset*")
	seed(f, "windows/powercfg*")
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _, err := parsePowerSource(b)
		understood(t, err)
		parsePowerSettings(b)
		guid, err := parsePowerScheme(b)
		if understood(t, err) && len(guid) != 36 {
			t.Errorf("GUID %q", guid)
		}
	})
}

func FuzzParseSysctl(f *testing.F) {
	seed(f, "macos/sysctl*")
	f.Fuzz(func(t *testing.T, b []byte) {
		values, err := parseSysctl(b)
		if !understood(t, err) {
			return
		}
		if c := values.cores(); c.Physical < 0 || c.Logical < 0 || (c.Performance == 0) != (c.Efficiency == 0) {
			t.Errorf("cores %+v", c)
		}
	})
}

func FuzzParseNetsh(f *testing.F) {
	seed(f, "windows/netsh-int*")
	seed(f, "windows/netsh-wlan*")
	f.Fuzz(func(t *testing.T, b []byte) {
		rows, err := parseNetshSubinterfaces(b)
		if understood(t, err) {
			for _, r := range rows {
				if r.MTU < 0 {
					t.Errorf("MTU %d", r.MTU)
				}
			}
		}
		_, err = parseNetshTCP(b)
		understood(t, err)
		links, err := parseNetshWLAN(b)
		checkWiFi(t, links, err)
	})
}

func FuzzParseAdvFirewall(f *testing.F) {
	seed(f, "windows/netsh-advfirewall*")
	f.Fuzz(func(t *testing.T, b []byte) {
		profiles, err := parseAdvFirewall(b)
		if understood(t, err) && len(profiles) == 0 {
			t.Error("understood, and no profile")
		}
	})
}

func FuzzParseRegistry(f *testing.F) {
	seed(f, "windows/reg-query*")
	f.Fuzz(func(t *testing.T, b []byte) {
		values, err := parseRegistry(b)
		if !understood(t, err) {
			return
		}
		if len(registryProfiles(values)) != 3 {
			t.Error("not three profiles")
		}
		again, err := parseRegistry(formatRegistry(values))
		if err != nil || len(again) != len(values) {
			t.Errorf("%d values, %d after writing, %v", len(values), len(again), err)
		}
	})
}

func FuzzParseFormatList(f *testing.F) {
	seed(f, "windows/Get-*")
	seed(f, "windows/CIM-*")
	f.Fuzz(func(t *testing.T, b []byte) {
		objects, err := parseFormatList(b)
		if !understood(t, err) {
			return
		}
		connectionProfiles(objects)
		securityProducts(objects)
		for _, a := range networkAdapters(objects) {
			bounded(t, "adapter", a.Speed)
		}
	})
}

func FuzzParseFirewallRule(f *testing.F) {
	f.Add([]byte(`v2.31|Action=Allow|Active=TRUE|Dir=In|Protocol=6|Profile=Public|LPort=5201|Name=x|`))
	f.Add([]byte(`v2.31|`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := parseFirewallRule(b)
		if !understood(t, err) && (r.Active || r.Profiles != nil) {
			t.Errorf("not understood, and %+v", r)
		}
	})
}
