package explain

// rule is one row of the table: how a finding is found.
type rule struct {
	id       string
	severity Severity
	cause    bool   // what it finds can lower a throughput
	when     string // the condition in words; docs/findings.md shows it

	// Of these two one is set: a rule looks at the facts alone, or draws a
	// conclusion for which it wants the ids of the causes found, in order.
	find     func(*view) []Finding
	conclude func(v *view, causes []string) []Finding
}

// rules are all findings that there are. The order is that in which they
// explain a low figure: wrong address or path, class of the link, MTU, window,
// processor, offloads, filters, power.
var rules = []rule{
	// The path.
	{id: "local-network-denied", severity: Warning, find: single(localNetworkDenied),
		when: "the client runs on macOS 15 or later and the connection to an address of its own network failed with \"no route to host\""},
	{id: "own-address-is-loopback", severity: Warning, find: single(ownAddress),
		when: "the other end's address belongs to the same host"},
	{id: "loopback", severity: Info, find: single(loopback),
		when: "the other end is a loopback address"},
	{id: "wifi-instead-of-cable", severity: Warning, cause: true, find: single(wifiInsteadOfCable),
		when: "the path is Wi-Fi at an end while a Thunderbolt link to the same computer is up, or an Ethernet link in the network of the other address"},
	{id: "lan-instead-of-thunderbolt", severity: Warning, cause: true, find: single(lanInsteadOfThunderbolt),
		when: "the path is Ethernet while a Thunderbolt link to the same computer is up, unless that is known not to be faster"},
	{id: "path-not-confirmed", severity: Warning, cause: true, find: perEnd(pathNotConfirmed),
		when: "the counters of the interface did not move by at least 90 % of the bytes of the test"},
	{id: "address-on-other-interface", severity: Note, find: perEnd(addressOnOther),
		when: "the route leaves by another interface than the one that has the local address"},
	{id: "nat-or-proxy", severity: Note, find: single(natOrProxy),
		when: "the addresses that the two ends see of the data connection are not the same"},
	{id: "vpn-in-path", severity: Warning, cause: true, find: perEnd(vpnInPath),
		when: "the path is a tunnel, or goes through one"},
	{id: "link-local-addressing", severity: Info, find: single(linkLocal),
		when: "both addresses are link-local (169.254.0.0/16 or fe80::/10)"},
	{id: "virtual-path", severity: Note, find: perEnd(virtualPath),
		when: "the interface that carries the test has no hardware"},

	// The link.
	{id: "link-below-class", severity: Warning, cause: true, find: linkBelowClass,
		when: "the negotiated speed is at most 0.6 of what the port and, as far as known, its partner can do"},
	{id: "half-duplex", severity: Warning, cause: true, find: perEnd(halfDuplex),
		when: "the link is half duplex"},
	{id: "pcie-below-class", severity: Warning, cause: true, find: perEnd(pcieBelowClass),
		when: "the network adapter's PCIe link is below what it can do, and carries less than 1.25 times the link's speed"},
	{id: "usb-nic-limits", severity: Note, cause: true, find: perEnd(usbLimits),
		when: "the network adapter's USB link is below 1.3 times the speed of its network link"},
	{id: "link-speed-disagrees", severity: Note, find: single(speedDisagrees),
		when: "on one cable, what one end sends at is not what the other receives at (more than 1 %)"},
	{id: "link-asymmetric", severity: Info, find: perEnd(linkAsymmetric),
		when: "an end's receiving and sending speeds differ"},
	{id: "speed-unknown", severity: Info, find: perEnd(speedUnknown),
		when: "the path is Thunderbolt and its negotiated speed is not known"},
	{id: "link-errors", severity: Note, cause: true, find: perEnd(linkErrors),
		when: "the interface counted damaged frames during the test"},
	{id: "device-below-class", severity: Note, find: perEnd(devicesBelowClass),
		when: "a USB, Thunderbolt or storage device runs below what it and its port can do (only if devices were listed)"},

	// The MTU.
	{id: "mtu-mismatch", severity: Warning, cause: true, find: single(mtuMismatch),
		when: "both ends are on one link and their MTUs differ; without the other end's record, when its MSS proves an MTU below the own one"},
	{id: "path-mtu-below-link", severity: Note, cause: true, find: perEnd(pathMTUBelowLink),
		when: "there is a router between, and the path's MTU is below the interface's"},
	{id: "udp-fragmentation", severity: Note, cause: true, find: single(udpFragmentation),
		when: "the datagrams of the test are larger than the MTU allows"},

	// Windows and buffers.
	{id: "rate-limited", severity: Info, find: rateLimited,
		when: "the test was asked for a bit rate, and reached 95 % of it"},
	{id: "shaper", severity: Warning, cause: true, find: perEnd(shaper),
		when: "a queue discipline of the sending end limits the rate to less than 1.1 times the link's speed"},
	{id: "window-limited", severity: Warning, cause: true, find: windowLimited,
		when: "the sender waited for the receiver's window for more than 20 % of its busy time, and did not reach a rate that was asked for"},
	{id: "send-buffer-limited", severity: Warning, cause: true, find: sendBufferLimited,
		when: "the sender waited for room in its send buffer for more than 20 % of its busy time, and did not reach a rate that was asked for"},
	{id: "buffer-below-bdp", severity: Warning, cause: true, find: bufferBelowBDP,
		when: "the largest buffer that a sender or a receiver may have is below link speed times least round-trip time"},
	{id: "auto-tuning-off", severity: Warning, cause: true, find: perEnd(autoTuningOff),
		when: "the receiving end's system does not let the TCP window grow (auto-tuning disabled or restricted)"},

	// Processors.
	{id: "cpu-core-saturated", severity: Warning, cause: true, find: perEnd(coreSaturated),
		when: "a core was busy for 95 % of the test or 99 % of an interval, and neither the ceiling nor the rate asked for was reached"},
	{id: "cpu-steal", severity: Note, cause: true, find: perEnd(cpuSteal),
		when: "the hypervisor took more than 5 % of the processor time"},
	{id: "efficiency-core", severity: Note, cause: true, find: perEnd(efficiencyCore),
		when: "the busiest core is an economical one and was busy for at least 80 % of an interval"},
	{id: "emulated-program", severity: Warning, cause: true, find: perEnd(emulated),
		when: "the program was built for another processor and runs translated"},
	{id: "race-detector", severity: Warning, cause: true, find: perEnd(raceDetector),
		when: "the program was built with the race detector"},
	{id: "virtual-machine", severity: Note, cause: true, find: perEnd(virtualMachine),
		when: "the host is a virtual machine"},

	// Offloads and queues.
	{id: "offload-off", severity: Note, cause: true, find: perEnd(offloadOff),
		when: "an offload that the transport uses is off on a link with hardware, and a core was busy for at least 80 %"},
	{id: "jumbo-available", severity: Info, find: single(jumboAvailable),
		when: "both ends have an MTU of 1500 on a link of at least 10 Gbit/s and allow 9000, and a core is saturated or the test stayed below 80 % of the ceiling"},
	{id: "drops", severity: Note, cause: true, find: perEnd(drops),
		when: "the interface, the queue or the backlog dropped packets during the test"},
	{id: "udp-buffer-drops", severity: Note, cause: true, find: udpBufferDrops,
		when: "the receiver's socket buffer overflowed: datagrams that had arrived were dropped"},
	{id: "retransmits", severity: Note, cause: true, find: retransmits,
		when: "more than 0.1 % of the segments were sent again on a cable, or 1 % on another path"},

	// Filters.
	{id: "firewall-on", severity: Note, cause: true, find: perEnd(firewallOn),
		when: "a packet filter on the path is on"},
	{id: "firewall-unknown", severity: Info, find: perEnd(firewallUnknown),
		when: "the state of a packet filter could not be read"},
	{id: "content-filter", severity: Note, cause: true, find: perEnd(contentFilter),
		when: "programs that inspect traffic are active (network extensions, third-party firewalls, BPF programs)"},
	{id: "public-profile", severity: Note, find: perEnd(publicProfile),
		when: "Windows counts the network of a cable as public"},

	// Power.
	{id: "throttled", severity: Warning, cause: true, find: perEnd(throttled),
		when: "the processor was throttled for its temperature during the test"},
	{id: "power-saving", severity: Note, cause: true, find: perEnd(powerSaving),
		when: "a power saving mode or governor is set, or the machine runs on battery"},

	// The result as a whole.
	{id: "above-ceiling", severity: Warning, find: aboveCeiling,
		when: "the throughput is above 102 % of the goodput ceiling (110 % if that is estimated)"},
	{id: "at-ceiling", severity: Info, find: atCeiling,
		when: "the throughput is at least 97 % of the goodput ceiling"},
	{id: "near-ceiling", severity: Info, find: nearCeiling,
		when: "the throughput is between 80 and 97 % of the goodput ceiling, and no rate was asked for"},
	{id: "below-ceiling", severity: Note, conclude: belowCeiling,
		when: "the throughput is below 80 % of the goodput ceiling, and no rate was asked for"},
	{id: "asymmetric-result", severity: Note, conclude: asymmetricResult,
		when: "the two directions of a bidirectional test differ by more than 25 %"},
	{id: "congestion-control-differs", severity: Info, find: single(congestionDiffers),
		when: "the two ends send with different congestion control algorithms"},
	{id: "changed-during-test", severity: Note, find: perEnd(changedDuring),
		when: "a fact of the configuration or the link changed during the test"},
	{id: "record-missing", severity: Info, find: single(recordMissing),
		when: "the other end sent no record: a stock iperf3, or linkperf with --sysinfo=off"},
	{id: "clock-differs", severity: Info, find: single(clockDiffers),
		when: "the clocks of the two ends are more than 5 seconds apart"},
}

// omitted are conclusions that were considered, and why they are not drawn.
var omitted = map[string]string{
	"energy-efficient-ethernet": "whether it costs anything depends on both drivers, and no figure for it is published; the record has the fact",
	"flow-control":              "pause frames help or harm depending on who sends them, which no counter in the record tells",
	"numa-remote":               "the record does not tell which core served the connection, so that a distance cannot be named",
	"wifi-share":                "what a Wi-Fi rate carries depends on the radio; there is no ceiling to take a share of",
}
