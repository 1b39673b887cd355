package sysinfo

import "fmt"

// readStack reads the counters of this network namespace's protocols, and of
// the cores' receive queues.
func readStack(p *probe) (stackCounters, error) {
	var s stackCounters
	b, err := p.readFile("/proc/net/snmp")
	if err != nil {
		return s, fmt.Errorf("read protocol counters: %w", err)
	}
	n, err := parseProtocolCounters(b)
	if err != nil {
		return s, err
	}
	var six map[string]int64
	if b, err := p.readFile("/proc/net/snmp6"); err == nil {
		if six, err = parseSNMP6(b); err != nil {
			return s, err
		}
	}
	// UDP has counters for each version of IP, TCP one for both.
	s.UDPReceiveDrops = total(n, "Udp.RcvbufErrors", six, "Udp6RcvbufErrors")
	s.UDPSendDrops = total(n, "Udp.SndbufErrors", six, "Udp6SndbufErrors")
	s.TCPRetransmits = total(n, "Tcp.RetransSegs", nil, "")
	if b, err = p.readFile("/proc/net/softnet_stat"); err == nil {
		dropped, squeezed, err := parseSoftnet(b)
		if err != nil {
			return s, err
		}
		s.SoftnetDropped, s.SoftnetSqueezed = &dropped, &squeezed
	}
	return s, nil
}

func total(four map[string]int64, name string, six map[string]int64, name6 string) *int64 {
	n, ok := four[name]
	if !ok {
		return nil
	}
	return new(n + six[name6])
}
