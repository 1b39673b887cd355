package sysinfo

import "time"

// macosTable is where the facts come from on macOS.
var macosTable = table{
	sources: []source{
		{name: "sysctl", fields: []string{
			"host.os", "host.os_name", "host.os_version", "host.os_build", "host.kernel", "host.arch", "host.emulated", "host.model",
			"host.virtualization", "cpu.model", "cpu.cores_physical", "cpu.cores_logical", "cpu.cores_performance", "cpu.cores_efficiency",
			"cpu.core_classes", "cpu.frequency_max_mhz", "limits", "tcp.congestion_control_default"}, parsers: []string{"parseSysctl"}},
		{name: "pmset", fields: []string{"power"}, parsers: []string{"parsePowerSource", "parsePowerSettings"}},
		{name: "socketfilterfw", fields: []string{"firewall.layers", "firewall.block_all", "firewall.stealth"},
			parsers: []string{"parseSocketFilter", "parseFirewallReport"}, timeout: 3 * time.Second},
		{name: "pfctl", fields: []string{"firewall.layers", "firewall.rules", "firewall.filtering"}, parsers: []string{"parsePFInfo", "parsePFRules"}},
		{name: "systemextensionsctl", fields: []string{"firewall.layers", "security.filters"}, parsers: []string{"parseSystemExtensions"}},
		{name: "scutil --nc list", fields: []string{"security.vpn"}, parsers: []string{"parseVPNList"}},

		{name: "RTM_GET", stage: ofPath, fields: []string{
			"path.kind", "path.evidence", "path.on_link", "path.gateway", "path.interface", "path.address_interface", "path.stack", "path.vlan_tags",
			"path.mtu_bytes"}, parsers: []string{"parseInterfaceType", "parseMedia", "parseRouteGet", "parseNetstatRoutes", "parseIfconfig"}},

		// Of Thunderbolt the kernel knows no speed, of Wi-Fi only an estimate.
		{name: "SPThunderboltDataType", stage: ofLink, fields: []string{"thunderbolt", "link.media",
			"link.speed_rx_bits_per_second", "link.speed_tx_bits_per_second", "link.speed_capability_bits_per_second"},
			parsers: []string{"parseThunderbolt", "parseHardwarePorts"}, timeout: 5 * time.Second, keep: 30 * time.Second},
		{name: "SPAirPortDataType", stage: ofLink, fields: []string{"wifi",
			"link.speed_rx_bits_per_second", "link.speed_tx_bits_per_second"},
			parsers: []string{"parseAirPort"}, timeout: 5 * time.Second, keep: 10 * time.Second},
		{name: "interface ioctls", stage: ofLink, fields: []string{
			"link.name", "link.kind", "link.addresses", "link.mtu_bytes", "link.mtu_min_bytes", "link.mtu_max_bytes", "link.up", "link.virtual",
			"link.speed_rx_bits_per_second", "link.speed_tx_bits_per_second", "link.duplex", "link.media", "link.auto_negotiation", "link.flow_control",
			"link.energy_efficient_ethernet", "link.attached_by", "offload.tso", "offload.lro", "offload.checksum_rx", "offload.checksum_tx"},
			parsers: []string{"parseInterfaceType", "parseMedia", "parseInterfaceMTUs", "parseCapabilities"}},
		{name: "ifconfig -v", stage: ofLink, fields: []string{
			"link.up", "link.speed_rx_bits_per_second", "link.speed_tx_bits_per_second", "link.duplex", "link.media", "link.flow_control",
			"link.energy_efficient_ethernet", "queue.discipline", "offload.tso", "offload.lro", "offload.checksum_rx", "offload.checksum_tx",
			"wifi.rate_tx_bits_per_second", "wifi.rate_rx_bits_per_second"},
			parsers: []string{"parseIfconfig"}},
		{name: "networksetup", stage: ofLink, fields: []string{"link.mtu_min_bytes", "link.mtu_max_bytes"}, parsers: []string{"parseMTURange"},
			keep: 5 * time.Minute},
		{name: "USB network adapter", stage: ofLink, fields: []string{"link.usb_speed_bits_per_second", "link.attached_by"},
			parsers: []string{"parseUSBReport", "parseHardwarePorts"}, timeout: 5 * time.Second, keep: 5 * time.Minute},
		{name: "Thunderbolt ports", fields: []string{"thunderbolt"}, parsers: []string{"parseThunderbolt"},
			timeout: 5 * time.Second, keep: 30 * time.Second},

		{name: "TCP_CONNECTION_INFO", stage: during, fields: []string{
			"tcp.mss_bytes", "tcp.timestamps", "tcp.window_scaling", "tcp.send_buffer_bytes", "tcp.receive_buffer_bytes", "tcp.rtt_us", "tcp.rtt_min_us",
			"tcp.rtt_mean_us", "tcp.rtt_max_us", "tcp.sent_segments", "tcp.retransmitted_segments", "tcp.retransmitted_percent"},
			parsers: []string{"parseTCPConnectionInfo"}},
		{name: "host_processor_info", stage: during, fields: []string{
			"cpu.busy_percent", "cpu.busy_max_percent", "cpu.busy_max_mean_percent", "cpu.busy_max_core", "cpu.busy_max_class",
			"cpu.busy_split.user_percent", "cpu.busy_split.system_percent"}},
		{name: "getrusage", stage: during, fields: []string{"cpu.process_percent"}},
		{name: "NET_RT_IFLIST2, udpstat", stage: during, fields: []string{
			"counters.rx_bytes", "counters.tx_bytes", "counters.rx_packets", "counters.tx_packets", "counters.rx_errors", "counters.tx_errors",
			"counters.rx_dropped", "counters.tx_dropped", "counters.udp_receive_buffer_errors"},
			parsers: []string{"parseInterfaceList", "parseUDPStats"}},

		{name: "SPUSBHostDataType devices", stage: onOrder, fields: []string{"devices"}, parsers: []string{"parseUSBReport", "parseThunderbolt"},
			timeout: 5 * time.Second},
	},
	absent: []absence{
		{[]string{"tcp.congestion_control"}, NotSupported, "macOS does not tell it of a socket"},
		{[]string{"tcp.mss_advertised_bytes", "tcp.delivery_rate_bits_per_second", "tcp.receive_window_limited_percent",
			"tcp.send_buffer_limited_percent", "tcp.congestion_window_limited_percent"}, NotSupported, "not in TCP_CONNECTION_INFO"},
		{[]string{"host.container"}, NotApplicable, "macOS has no containers of its own"},
		{[]string{"link.mtu_hardware_bytes"}, NotSupported, "macOS has one MTU of an interface"},
		{[]string{"link.speed_partner_bits_per_second"}, NotSupported, "macOS does not tell what the partner advertises"},
		{[]string{"link.driver", "link.driver_version"}, NotSupported, "only the I/O registry tells"},
		{[]string{"link.pcie_speed_gt_per_second", "link.pcie_width", "link.pcie_speed_max_gt_per_second", "link.pcie_width_max"}, NotSupported,
			"macOS does not tell it for an interface"},
		{[]string{"offload.gso", "offload.gro", "offload.gro_hardware", "offload.uso", "offload.rss"}, NotSupported, "macOS does not tell"},
		{[]string{"offload.rsc"}, NotSupported, "Windows' name for LRO"},
		{[]string{"queue.rate_bits_per_second", "queue.length", "queue.ring_rx", "queue.ring_tx", "queue.ring_rx_max", "queue.ring_tx_max",
			"queue.coalesce_rx_us", "queue.channels", "queue.channels_max", "queue.receive_backlog"}, NotSupported, "macOS does not tell"},
		{[]string{"firewall.hooks", "firewall.connection_tracking", "firewall.manager"}, NotSupported, "a notion of Linux"},
		{[]string{"firewall.profile"}, NotSupported, "macOS has one setting for all networks"},
		{[]string{"cpu.numa_nodes", "cpu.numa_node_of_interface"}, NotSupported, "macOS does not tell"},
		{[]string{"cpu.frequency_during_min_mhz", "cpu.frequency_during_mean_mhz"}, NoPermission, "powermetrics tells it to root"},
		{[]string{"cpu.governor", "cpu.frequency_driver"}, NotSupported, "macOS has none"},
		{[]string{"cpu.softirq_percent", "cpu.steal_percent", "cpu.busy_split.softirq_percent", "cpu.busy_split.steal_percent"}, NotSupported,
			"macOS does not tell them apart"},
		{[]string{"thermal.temperature_celsius"}, NotSupported, "needs the sensors' private interface"},
		{[]string{"thermal.throttle_events"}, NotSupported, "macOS does not count them"},
		{[]string{"counters.udp_send_buffer_errors", "counters.softnet_dropped", "counters.softnet_squeezed", "counters.queue_dropped"}, NotSupported,
			"macOS does not count them"},
		{[]string{"counters.tcp_retransmitted_segments"}, NoPermission, "macOS keeps the counters of TCP from programs"},
	},
}
