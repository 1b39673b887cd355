package sysinfo

import "time"

// windowsTable is where the facts come from on Windows.
var windowsTable = table{
	sources: []source{
		{name: "version and BIOS in the registry", fields: []string{
			"host.os", "host.os_name", "host.os_version", "host.os_build", "host.kernel", "host.arch", "host.emulated", "host.model",
			"host.virtualization", "cpu.model", "cpu.frequency_max_mhz"}, parsers: []string{"parseRegistry"}},
		{name: "GetLogicalProcessorInformationEx", fields: []string{
			"cpu.cores_physical", "cpu.cores_logical", "cpu.cores_performance", "cpu.cores_efficiency", "cpu.core_classes",
			"cpu.numa_nodes"}, parsers: []string{"parseProcessorCores"}},
		{name: "GetSystemPowerStatus", fields: []string{"power.on_battery"}, parsers: []string{"parsePowerStatus"}},
		{name: "PowerGetActiveScheme", fields: []string{"power.mode"}, parsers: []string{"parsePowerScheme"}},
		// The profile of the interface is known here, and goes before all of them.
		{name: "network list", stage: ofLink, fields: []string{"firewall.profile", "firewall.layers", "firewall.rules"},
			parsers: []string{"parseRegistry", "parseFormatList", "parseFirewallRule"}, timeout: 5 * time.Second},
		{name: "firewall in the registry", fields: []string{"firewall.layers", "firewall.rules"},
			parsers: []string{"parseRegistry", "parseAdvFirewall", "parseFirewallRule"}},
		{name: "SecurityCenter2", fields: []string{"firewall.layers", "security.filters"}, parsers: []string{"parseFormatList"},
			timeout: 5 * time.Second, keep: 5 * time.Minute},
		{name: "netsh interface tcp", fields: []string{"limits.auto_tuning", "offload.rss", "offload.rsc"}, parsers: []string{"parseNetshTCP"},
			timeout: 3 * time.Second, keep: time.Second},
		{name: "tunnel adapters", fields: []string{"security.vpn"}, parsers: []string{"parseIfRow2"}},

		{name: "GetBestRoute2", stage: ofPath, fields: []string{
			"path.kind", "path.evidence", "path.on_link", "path.gateway", "path.interface", "path.address_interface", "path.stack", "path.vlan_tags"},
			parsers: []string{"parseIfRow2"}},

		{name: "USB4 adapter of the path", stage: ofLink, fields: []string{
			"thunderbolt.peers", "thunderbolt.interface", "thunderbolt.speed_rx_bits_per_second", "thunderbolt.speed_tx_bits_per_second"}, parsers: []string{"parseIfRow2"}},
		{name: "WlanQueryInterface", stage: ofLink, fields: []string{
			"wifi.state", "wifi.phy_mode", "wifi.rate_tx_bits_per_second", "wifi.rate_rx_bits_per_second", "wifi.channel"}, parsers: []string{"parseWLANConnection"}},
		{name: "netsh wlan", stage: ofLink, fields: []string{
			"wifi.state", "wifi.phy_mode", "wifi.rate_tx_bits_per_second", "wifi.rate_rx_bits_per_second", "wifi.channel", "wifi.band",
			"wifi.signal_dbm"}, parsers: []string{"parseNetshWLAN"}, timeout: 3 * time.Second, keep: 10 * time.Second},
		{name: "GetIfEntry2", stage: ofLink, fields: []string{
			"link.name", "link.kind", "link.addresses", "link.mtu_hardware_bytes", "link.up", "link.virtual", "link.attached_by", "link.media",
			"link.speed_rx_bits_per_second", "link.speed_tx_bits_per_second"}, parsers: []string{"parseIfRow2"}},
		{name: "GetIpInterfaceEntry", stage: ofLink, fields: []string{"link.mtu_bytes"}, parsers: []string{"parseNetshSubinterfaces"}},
		{name: "driver in the registry", stage: ofLink, fields: []string{
			"link.driver", "link.driver_version", "link.attached_by", "link.mtu_max_bytes", "link.flow_control", "link.energy_efficient_ethernet",
			"link.auto_negotiation", "offload.tso", "offload.rsc", "offload.rss", "offload.uso", "offload.checksum_rx", "offload.checksum_tx",
			"queue.ring_rx", "queue.ring_tx", "queue.channels"}, parsers: []string{"parseRegistry"}},
		{name: "Get-NetAdapter", stage: ofLink, fields: []string{"link.duplex", "link.driver_version"}, parsers: []string{"parseFormatList"},
			timeout: 5 * time.Second, keep: 5 * time.Minute},
		{name: "USB4 adapters", fields: []string{
			"thunderbolt.peers", "thunderbolt.interface", "thunderbolt.speed_rx_bits_per_second", "thunderbolt.speed_tx_bits_per_second"}, parsers: []string{"parseIfRow2"}},

		{name: "SIO_TCP_INFO, IP_MTU", stage: during, fields: []string{
			"tcp.mss_bytes", "tcp.timestamps", "tcp.send_buffer_bytes", "tcp.receive_buffer_bytes", "tcp.rtt_us", "tcp.rtt_min_us", "tcp.rtt_mean_us",
			"tcp.rtt_max_us", "tcp.retransmitted_percent", "tcp.receive_window_limited_percent", "path.mtu_bytes"}, parsers: []string{"parseTCPInfo"}},
		{name: "SystemProcessorPerformanceInformation", stage: during, fields: []string{
			"cpu.busy_percent", "cpu.busy_max_percent", "cpu.busy_max_mean_percent", "cpu.busy_max_core", "cpu.busy_max_class",
			"cpu.busy_split.user_percent", "cpu.busy_split.system_percent"}, parsers: []string{"parseProcessorTimes"}},
		{name: "GetProcessTimes", stage: during, fields: []string{"cpu.process_percent"}},
		{name: "MIB_IF_ROW2, MIB_TCPSTATS", stage: during, fields: []string{
			"counters.rx_bytes", "counters.tx_bytes", "counters.rx_packets", "counters.tx_packets", "counters.rx_errors", "counters.tx_errors",
			"counters.rx_dropped", "counters.tx_dropped", "counters.tcp_retransmitted_segments"},
			parsers: []string{"parseIfRow2", "parseTCPStatistics"}},
	},
	absent: []absence{
		{[]string{"tcp.congestion_control", "tcp.congestion_control_default"}, NotSupported, "only WMI tells"},
		{[]string{"tcp.mss_advertised_bytes", "tcp.window_scaling", "tcp.delivery_rate_bits_per_second", "tcp.sent_segments",
			"tcp.retransmitted_segments", "tcp.send_buffer_limited_percent", "tcp.congestion_window_limited_percent"}, NotSupported,
			"not in SIO_TCP_INFO"},
		{[]string{"thunderbolt.generation", "thunderbolt.lanes_rx", "thunderbolt.lanes_tx", "thunderbolt.lane_speed_rx_bits_per_second",
			"thunderbolt.lane_speed_tx_bits_per_second", "thunderbolt.speed_capability_bits_per_second", "thunderbolt.receptacle",
			"thunderbolt.peer_vendor", "thunderbolt.peer_model", "thunderbolt.domain_id", "thunderbolt.peer_domain_id"}, NotSupported,
			"Windows shows the network on the cable only"},
		{[]string{"wifi.channel_width_mhz"}, NotSupported, "Windows does not tell"},
		{[]string{"host.container"}, NotSupported, "Windows does not tell a process that it is in one"},
		{[]string{"link.mtu_min_bytes"}, NotSupported, "Windows does not tell"},
		{[]string{"link.speed_capability_bits_per_second", "link.speed_partner_bits_per_second"}, NotSupported,
			"Windows tells what was negotiated, not what could be"},
		{[]string{"link.pcie_speed_gt_per_second", "link.pcie_width", "link.pcie_speed_max_gt_per_second", "link.pcie_width_max"}, NotSupported,
			"only device properties tell"},
		{[]string{"link.usb_speed_bits_per_second"}, NotSupported, "only the USB hub tells, which would have to be opened"},
		{[]string{"devices"}, NotSupported, "only USB hubs and host routers tell a speed, and they would have to be opened"},
		{[]string{"limits.tcp_receive_buffer_max_bytes", "limits.tcp_send_buffer_max_bytes", "limits.socket_receive_buffer_max_bytes",
			"limits.socket_send_buffer_max_bytes"}, NotSupported, "Windows has no fixed limit, see auto_tuning"},
		{[]string{"offload.gso", "offload.gro", "offload.gro_hardware", "offload.lro"}, NotSupported, "Windows' names are TSO and RSC"},
		{[]string{"queue.discipline", "queue.rate_bits_per_second", "queue.length", "queue.ring_rx_max", "queue.ring_tx_max",
			"queue.coalesce_rx_us", "queue.channels_max", "queue.receive_backlog"}, NotSupported, "Windows does not tell"},
		{[]string{"firewall.hooks", "firewall.connection_tracking", "firewall.manager"}, NotSupported, "a notion of Linux"},
		{[]string{"firewall.filtering"}, NotSupported, "a notion of Linux; a profile that is on filters"},
		{[]string{"firewall.block_all", "firewall.stealth"}, NotSupported, "a setting of macOS"},
		{[]string{"cpu.numa_node_of_interface"}, NotSupported, "only a device property tells"},
		{[]string{"cpu.governor", "cpu.frequency_driver"}, NotSupported, "Windows has power plans instead"},
		{[]string{"cpu.frequency_during_min_mhz", "cpu.frequency_during_mean_mhz"}, NotSupported, "Windows tells the rated frequency"},
		{[]string{"cpu.softirq_percent", "cpu.steal_percent", "cpu.busy_split.softirq_percent", "cpu.busy_split.steal_percent"}, NotSupported,
			"Windows does not tell them apart"},
		{[]string{"thermal"}, NotSupported, "Windows does not tell programs"},
		{[]string{"counters.udp_receive_buffer_errors", "counters.udp_send_buffer_errors", "counters.softnet_dropped", "counters.softnet_squeezed",
			"counters.queue_dropped"}, NotSupported, "Windows does not count them"},
	},
}
