package sysinfo

import "time"

// linuxTable is where the facts come from on Linux.
var linuxTable = table{
	sources: []source{
		{name: "uname", fields: []string{"host.os", "host.kernel", "host.arch", "host.emulated"}},
		{name: "/etc/os-release", fields: []string{"host.os_name", "host.os_version", "host.os_build"}, parsers: []string{"parseOSRelease"}},
		{name: "DMI", fields: []string{"host.model"}},
		{name: "virtualization marks", fields: []string{"host.virtualization"}, parsers: []string{"parseCPUInfo"}},
		{name: "container marks", fields: []string{"host.container"}},
		{name: "/proc/cpuinfo", fields: []string{"cpu.model", "cpu.cores_physical", "cpu.cores_logical"}, parsers: []string{"parseCPUInfo"}},
		{name: "/sys/devices/system/cpu", fields: []string{"cpu.cores_performance", "cpu.cores_efficiency", "cpu.core_classes"},
			parsers: []string{"parseCPUList"}},
		// The profile of the firmware says more than the CPU's preference.
		{name: "platform_profile", fields: []string{"power.mode"}},
		{name: "cpufreq", fields: []string{"cpu.frequency_max_mhz", "cpu.governor", "cpu.frequency_driver", "power.mode"}},
		{name: "NUMA nodes", fields: []string{"cpu.numa_nodes"}, parsers: []string{"parseCPUList"}},
		{name: "power_supply", fields: []string{"power.on_battery"}},
		{name: "hwmon", fields: []string{"thermal.temperature_celsius"}},
		{name: "/proc/sys/net", fields: []string{
			"limits", "queue.receive_backlog", "tcp.congestion_control_default"}, parsers: []string{"parseIntegers"}},
		{name: "firewall", fields: []string{
			"firewall.layers", "firewall.hooks", "firewall.rules", "firewall.filtering", "firewall.connection_tracking", "firewall.manager"},
			parsers: []string{"parseNFT", "parseIPTablesSave", "parseTableNames", "parseUFWConf"}},
		{name: "tunnel interfaces", fields: []string{"security.vpn"}},

		{name: "netlink route", stage: ofPath, fields: []string{
			"path.kind", "path.evidence", "path.on_link", "path.gateway", "path.interface", "path.address_interface", "path.stack", "path.vlan_tags"}},

		{name: "netlink link", stage: ofLink, fields: []string{
			"link.name", "link.kind", "link.addresses", "link.mtu_bytes", "link.mtu_min_bytes", "link.mtu_max_bytes", "link.up", "link.virtual",
			"queue.length"}},
		{name: "ethtool link settings", stage: ofLink, fields: []string{
			"link.speed_rx_bits_per_second", "link.speed_tx_bits_per_second", "link.speed_capability_bits_per_second",
			"link.speed_partner_bits_per_second", "link.duplex", "link.media", "link.auto_negotiation"}},
		{name: "/sys/bus/thunderbolt", stage: ofLink, fields: []string{"thunderbolt",
			"link.speed_rx_bits_per_second", "link.speed_tx_bits_per_second", "link.speed_capability_bits_per_second"},
			parsers: []string{"parseBitRate"}},
		{name: "iw", stage: ofLink, fields: []string{"wifi", "link.speed_rx_bits_per_second", "link.speed_tx_bits_per_second"},
			parsers: []string{"parseIWLink"}},
		{name: "ethtool driver", stage: ofLink, fields: []string{"link.driver", "link.driver_version"}},
		{name: "ethtool pause, EEE", stage: ofLink, fields: []string{"link.flow_control", "link.energy_efficient_ethernet"}},
		{name: "ethtool features", stage: ofLink, fields: []string{
			"offload.tso", "offload.gso", "offload.gro", "offload.gro_hardware", "offload.lro", "offload.checksum_rx", "offload.checksum_tx", "offload.uso"}},
		{name: "ethtool rings", stage: ofLink, fields: []string{
			"queue.ring_rx", "queue.ring_tx", "queue.ring_rx_max", "queue.ring_tx_max", "queue.coalesce_rx_us", "queue.channels", "queue.channels_max",
			"offload.rss"}},
		{name: "netlink qdisc", stage: ofLink, fields: []string{"queue.discipline", "queue.rate_bits_per_second"}},
		{name: "/sys/class/net", stage: ofLink, fields: []string{"link.attached_by", "link.pcie_speed_gt_per_second", "link.pcie_width",
			"link.pcie_speed_max_gt_per_second", "link.pcie_width_max", "link.usb_speed_bits_per_second"},
			parsers: []string{"parsePCIeSpeed", "parseUSBSpeed"}},
		{name: "NUMA node of interface", stage: ofLink, fields: []string{"cpu.numa_node_of_interface"}},
		{name: "BPF programs", stage: ofLink, fields: []string{"firewall.layers", "security.filters"}},
		// A Python program: slow to start, and its answer seldom changes.
		{name: "firewall-cmd", stage: ofLink, fields: []string{"firewall.profile"}, timeout: 3 * time.Second, keep: 5 * time.Minute,
			parsers: []string{"parseFirewalldState", "parseActiveZones"}},

		{name: "TCP_INFO, IP_MTU", stage: during, fields: []string{"tcp", "path.mtu_bytes"}},
		{name: "/proc/stat", stage: during, fields: []string{
			"cpu.busy_percent", "cpu.busy_max_percent", "cpu.busy_max_mean_percent", "cpu.busy_max_core", "cpu.busy_max_class", "cpu.busy_split",
			"cpu.softirq_percent", "cpu.steal_percent"}, parsers: []string{"parseProcStat"}},
		{name: "getrusage", stage: during, fields: []string{"cpu.process_percent"}},
		{name: "scaling_cur_freq", stage: during, fields: []string{"cpu.frequency_during_min_mhz", "cpu.frequency_during_mean_mhz"}},
		{name: "thermal_throttle", stage: during, fields: []string{"thermal.throttle_events"}},
		{name: "interface and protocol counters", stage: during, fields: []string{"counters"},
			parsers: []string{"parseProtocolCounters", "parseSNMP6", "parseSoftnet"}},

		{name: "USB, NVMe, SATA in sysfs", stage: onOrder, fields: []string{"devices"},
			parsers: []string{"parseUSBSpeed", "parsePCIeSpeed", "parseSATASpeed"}},
	},
	absent: []absence{
		{[]string{"firewall.block_all", "firewall.stealth"}, NotSupported, "a setting of macOS"},
		{[]string{"link.mtu_hardware_bytes"}, NotSupported, "Linux has one MTU of an interface"},
		{[]string{"offload.rsc"}, NotSupported, "Windows' name for LRO"},
	},
}
