package sysinfo

import "time"

// Schema names the form of a [Record]. Keys may be added under the same name;
// a key never changes its meaning.
const Schema = "linkperf.sysinfo/1"

// Record is what one end of a test knows about itself and its path.
//
// A nil pointer or nil list is a fact that could not be learnt; [Record.Why]
// tells the reason. Rates are bits per second, directions are seen from this
// end: rx is towards it, tx away from it.
type Record struct {
	Schema      string             `json:"schema"`
	Role        string             `json:"role"`         // "client", "server", or "" for the host alone
	CollectedAt time.Time          `json:"collected_at"` // start of the collection, UTC
	CollectMS   float64            `json:"collect_ms"`   // milliseconds that the test was delayed
	Unknown     map[string]Unknown `json:"unknown"`      // path of each null, and why
	Sources     map[string]Origin  `json:"sources"`      // path or path prefix → where it came from
	Changed     map[string][2]any  `json:"changed"`      // path → value before and after the test

	Tool        Tool        `json:"tool"`
	Host        Host        `json:"host"`
	Path        Path        `json:"path"`
	Link        Link        `json:"link"`
	Thunderbolt Thunderbolt `json:"thunderbolt"`
	WiFi        WiFi        `json:"wifi"`
	TCP         TCP         `json:"tcp"`
	Offload     Offload     `json:"offload"`
	Queue       Queue       `json:"queue"`
	Limits      Limits      `json:"limits"`
	Firewall    Firewall    `json:"firewall"`
	Security    Security    `json:"security"`
	CPU         CPU         `json:"cpu"`
	Power       Power       `json:"power"`
	Thermal     Thermal     `json:"thermal"`
	Counters    Counters    `json:"counters"`
	Peer        Peer        `json:"peer"`
	Interfaces  []Interface `json:"interfaces"`
	Devices     []Device    `json:"devices"`
}

// Origin tells where facts came from and what asking took.
type Origin struct {
	Source string  `json:"source"`
	CostMS float64 `json:"cost_ms"`
}

// Tool is the program that made the record.
type Tool struct {
	Name         *string `json:"name"`
	Version      *string `json:"version"`
	GoVersion    *string `json:"go_version"`
	RaceDetector *bool   `json:"race_detector"` // built with -race: several times slower
}

// Host is the machine and its system.
type Host struct {
	Name           *string `json:"name"` // only on request
	OS             *string `json:"os"`   // "linux", "macos", "windows", "freebsd", …
	OSName         *string `json:"os_name"`
	OSVersion      *string `json:"os_version"`
	OSBuild        *string `json:"os_build"`
	Kernel         *string `json:"kernel"`
	Arch           *string `json:"arch"`         // of the machine, in Go's names
	ProgramArch    *string `json:"program_arch"` // of this program
	Emulated       *bool   `json:"emulated"`     // Rosetta, or Windows' emulation
	Model          *string `json:"model"`
	Virtualization *string `json:"virtualization"` // "none", "kvm", "hyperv", "vmware", "apple", "wsl", …
	Container      *string `json:"container"`      // "none", "docker", "podman", "lxc", "unknown"
}

// Kinds of path and interface.
const (
	KindLoopback    = "loopback"
	KindOwnAddress  = "own_address" // an address of this host: never leaves it. A path only
	KindThunderbolt = "thunderbolt" // Thunderbolt or USB4 networking, not a network adapter in a dock
	KindEthernet    = "ethernet"
	KindWiFi        = "wifi"
	KindTunnel      = "tunnel"
	KindVirtual     = "virtual"
	KindCellular    = "cellular"
	KindOther       = "other"
)

// Path is how the data connection goes.
type Path struct {
	Kind             *string  `json:"kind"`
	Evidence         *string  `json:"evidence"` // one line: why that kind
	Transport        *string  `json:"transport"`
	LocalAddress     *string  `json:"local_address"` // unmapped, with zone
	RemoteAddress    *string  `json:"remote_address"`
	Family           *int64   `json:"family"`  // 4 or 6
	OnLink           *bool    `json:"on_link"` // no gateway on the route
	Gateway          *string  `json:"gateway"`
	LinkLocal        *bool    `json:"link_local"`        // both addresses
	Interface        *string  `json:"interface"`         // of the route
	AddressInterface *string  `json:"address_interface"` // that owns the local address
	Stack            []string `json:"stack"`             // from the route's interface down to the hardware
	VLANTags         *int64   `json:"vlan_tags"`         // in the stack
	Confirmed        *bool    `json:"confirmed"`         // the counters moved by at least 90 % of the test's bytes
	MTU              *int64   `json:"mtu_bytes"`         // path MTU of the connection
}

// Link is the carrying interface; of a stack, its hardware end where that
// makes sense (speed, driver), and the route's interface for the MTU.
type Link struct {
	Name          *string  `json:"name"`
	Kind          *string  `json:"kind"`
	Addresses     []string `json:"addresses"`
	MTU           *int64   `json:"mtu_bytes"`
	MTUHardware   *int64   `json:"mtu_hardware_bytes"`
	MTUMin        *int64   `json:"mtu_min_bytes"`
	MTUMax        *int64   `json:"mtu_max_bytes"`
	Up            *bool    `json:"up"` // carrier
	SpeedRx       *int64   `json:"speed_rx_bits_per_second"`
	SpeedTx       *int64   `json:"speed_tx_bits_per_second"`
	Capability    *int64   `json:"speed_capability_bits_per_second"` // the most this port can do
	Partner       *int64   `json:"speed_partner_bits_per_second"`    // the most the partner advertises
	Duplex        *string  `json:"duplex"`                           // "full", "half"
	Media         *string  `json:"media"`
	AutoNeg       *bool    `json:"auto_negotiation"`
	FlowControl   *bool    `json:"flow_control"`
	EEE           *bool    `json:"energy_efficient_ethernet"`
	Driver        *string  `json:"driver"`
	DriverVersion *string  `json:"driver_version"`
	Virtual       *bool    `json:"virtual"`     // no hardware behind it
	AttachedBy    *string  `json:"attached_by"` // "pci", "usb", "thunderbolt", "soc", "virtio", "none"
	PCIeSpeed     *float64 `json:"pcie_speed_gt_per_second"`
	PCIeWidth     *int64   `json:"pcie_width"`
	PCIeSpeedMax  *float64 `json:"pcie_speed_max_gt_per_second"`
	PCIeWidthMax  *int64   `json:"pcie_width_max"`
	USBSpeed      *int64   `json:"usb_speed_bits_per_second"` // of a USB network adapter
}

// Thunderbolt is the Thunderbolt or USB4 link of the path, or of an idle port
// with another computer on it.
type Thunderbolt struct {
	Generation   *string `json:"generation"` // of the own port: "1", "2", "3", "4/USB4", "5/USB4v2"
	LanesRx      *int64  `json:"lanes_rx"`
	LanesTx      *int64  `json:"lanes_tx"`
	LaneSpeedRx  *int64  `json:"lane_speed_rx_bits_per_second"`
	LaneSpeedTx  *int64  `json:"lane_speed_tx_bits_per_second"`
	SpeedRx      *int64  `json:"speed_rx_bits_per_second"` // negotiated, all lanes
	SpeedTx      *int64  `json:"speed_tx_bits_per_second"`
	Capability   *int64  `json:"speed_capability_bits_per_second"` // of the own port
	Receptacle   *int64  `json:"receptacle"`                       // port number as the system prints it
	PeerVendor   *string `json:"peer_vendor"`
	PeerModel    *string `json:"peer_model"`
	DomainID     *string `json:"domain_id"`      // salted hash: matches the two ends of one test, nothing else
	PeerDomainID *string `json:"peer_domain_id"` // salted hash
	Peers        *int64  `json:"peers"`          // computers on all ports
	Interface    *string `json:"interface"`      // the network interface of the peer's link
}

// WiFi is the radio link of the carrying interface.
type WiFi struct {
	State        *string  `json:"state"` // "connected", "disconnected"
	PhyMode      *string  `json:"phy_mode"`
	RateTx       *int64   `json:"rate_tx_bits_per_second"`
	RateRx       *int64   `json:"rate_rx_bits_per_second"`
	Channel      *int64   `json:"channel"`
	Band         *string  `json:"band"` // "2.4", "5", "6"
	ChannelWidth *int64   `json:"channel_width_mhz"`
	Signal       *float64 `json:"signal_dbm"`
}

// TCP is what the kernel tells about the data connections: the first one for
// what is negotiated, all sending ones for what is counted.
type TCP struct {
	MSS                  *int64   `json:"mss_bytes"` // sending, options subtracted where the system does so
	MSSAdvertised        *int64   `json:"mss_advertised_bytes"`
	Timestamps           *bool    `json:"timestamps"`
	WindowScaling        *bool    `json:"window_scaling"`
	CongestionControl    *string  `json:"congestion_control"`
	CongestionDefault    *string  `json:"congestion_control_default"`
	SendBuffer           *int64   `json:"send_buffer_bytes"`
	ReceiveBuffer        *int64   `json:"receive_buffer_bytes"`
	RTT                  *int64   `json:"rtt_us"` // smoothed, at the end
	RTTMin               *int64   `json:"rtt_min_us"`
	RTTMean              *int64   `json:"rtt_mean_us"`
	RTTMax               *int64   `json:"rtt_max_us"`
	DeliveryRate         *int64   `json:"delivery_rate_bits_per_second"`
	Segments             *int64   `json:"sent_segments"`
	Retransmits          *int64   `json:"retransmitted_segments"`
	RetransmitPercent    *float64 `json:"retransmitted_percent"`
	ReceiveWindowLimited *float64 `json:"receive_window_limited_percent"` // of the busy time
	SendBufferLimited    *float64 `json:"send_buffer_limited_percent"`
	CongestionLimited    *float64 `json:"congestion_window_limited_percent"` // the rest of the busy time
}

// Offload is work that the network device or the kernel does in bulk.
type Offload struct {
	TSO        *bool `json:"tso"`
	GSO        *bool `json:"gso"`
	GRO        *bool `json:"gro"`
	GROHW      *bool `json:"gro_hardware"`
	LRO        *bool `json:"lro"`
	RSC        *bool `json:"rsc"`
	ChecksumRx *bool `json:"checksum_rx"`
	ChecksumTx *bool `json:"checksum_tx"`
	USO        *bool `json:"uso"`
	RSS        *bool `json:"rss"`
}

// Queue is what stands between the socket and the wire.
type Queue struct {
	Discipline  *string `json:"discipline"`
	Rate        *int64  `json:"rate_bits_per_second"` // of a shaper
	Length      *int64  `json:"length"`               // packets
	RingRx      *int64  `json:"ring_rx"`
	RingTx      *int64  `json:"ring_tx"`
	RingRxMax   *int64  `json:"ring_rx_max"`
	RingTxMax   *int64  `json:"ring_tx_max"`
	CoalesceRx  *int64  `json:"coalesce_rx_us"`
	Channels    *int64  `json:"channels"`
	ChannelsMax *int64  `json:"channels_max"`
	Backlog     *int64  `json:"receive_backlog"` // packets a core holds, net.core.netdev_max_backlog
}

// Limits bound what a socket can ask for.
type Limits struct {
	TCPReceiveMax    *int64  `json:"tcp_receive_buffer_max_bytes"`
	TCPSendMax       *int64  `json:"tcp_send_buffer_max_bytes"`
	SocketReceiveMax *int64  `json:"socket_receive_buffer_max_bytes"`
	SocketSendMax    *int64  `json:"socket_send_buffer_max_bytes"`
	AutoTuning       *string `json:"auto_tuning"` // "normal", "disabled", "restricted", …
}

// States of a firewall and of its layers.
const (
	On  = "on"
	Off = "off"
)

// Firewall is the packet filters that touch the path.
type Firewall struct {
	State              *string `json:"state"` // on if a layer on the path is on, off if all are known and off
	Layers             []Layer `json:"layers"`
	Hooks              *int64  `json:"hooks"`     // base chains on the host's own traffic
	Rules              *int64  `json:"rules"`     // reachable from them
	Filtering          *bool   `json:"filtering"` // some verdict other than accept
	ConnectionTracking *bool   `json:"connection_tracking"`
	Manager            *string `json:"manager"` // "none", "ufw", "firewalld", "docker", …
	BlockAll           *bool   `json:"block_all"`
	Stealth            *bool   `json:"stealth"`
	Profile            *string `json:"profile"` // "domain", "private", "public": of the carrying interface
}

// Layer is one packet filter. A nil State has its Reason.
type Layer struct {
	Name   string  `json:"name"` // "nftables", "iptables_legacy", "ebpf", "application_firewall", "pf", "content_filter", "windows_firewall", "third_party"
	State  *string `json:"state"`
	Reason Reason  `json:"reason,omitempty"`
	OnPath bool    `json:"on_path"`
	Detail string  `json:"detail,omitempty"`
}

// Security lists what else handles the packets.
type Security struct {
	Filters []string `json:"filters"` // active network extensions, third-party firewalls
	VPN     []string `json:"vpn"`     // active tunnels by name
}

// CPU is the processors, and what they did during the test.
type CPU struct {
	Model           *string   `json:"model"`
	Physical        *int64    `json:"cores_physical"`
	Logical         *int64    `json:"cores_logical"`
	Performance     *int64    `json:"cores_performance"` // null if the CPU has one kind of core
	Efficiency      *int64    `json:"cores_efficiency"`
	Classes         []string  `json:"core_classes"` // of each logical core: "P", "E"
	NUMANodes       *int64    `json:"numa_nodes"`
	NUMAOfInterface *int64    `json:"numa_node_of_interface"`
	FrequencyMax    *int64    `json:"frequency_max_mhz"`
	FrequencyMin    *int64    `json:"frequency_during_min_mhz"`
	FrequencyMean   *int64    `json:"frequency_during_mean_mhz"`
	Governor        *string   `json:"governor"`
	FrequencyDriver *string   `json:"frequency_driver"`      // "intel_pstate", …: the same governor means another thing under each
	Busy            []float64 `json:"busy_percent"`          // of each core, mean over the test
	BusyMax         *float64  `json:"busy_max_percent"`      // the busiest core's busiest interval
	BusyMaxMean     *float64  `json:"busy_max_mean_percent"` // that core's mean
	BusyMaxCore     *int64    `json:"busy_max_core"`
	BusyMaxClass    *string   `json:"busy_max_class"`
	Split           BusySplit `json:"busy_split"` // of that core, mean over the test
	SoftIRQ         *float64  `json:"softirq_percent"`
	Steal           *float64  `json:"steal_percent"`
	Process         *float64  `json:"process_percent"` // one full core is 100
}

// BusySplit tells what the busiest core did, percent of its time.
type BusySplit struct {
	User    *float64 `json:"user_percent"`
	System  *float64 `json:"system_percent"`
	SoftIRQ *float64 `json:"softirq_percent"`
	Steal   *float64 `json:"steal_percent"`
}

// Power is how the machine saves it.
type Power struct {
	OnBattery *bool   `json:"on_battery"`
	Mode      *string `json:"mode"` // "balanced", "high_performance", "power_saver", "low_power"
}

// Thermal is the temperature and its consequence.
type Thermal struct {
	Temperature *float64 `json:"temperature_celsius"`
	Throttled   *int64   `json:"throttle_events"` // during the test
}

// Counters are differences over the test: of the carrying interface, and of
// the whole stack for UDP, TCP and softnet.
type Counters struct {
	RxBytes         *int64 `json:"rx_bytes"`
	TxBytes         *int64 `json:"tx_bytes"`
	RxPackets       *int64 `json:"rx_packets"`
	TxPackets       *int64 `json:"tx_packets"`
	RxErrors        *int64 `json:"rx_errors"`
	TxErrors        *int64 `json:"tx_errors"`
	RxDropped       *int64 `json:"rx_dropped"`
	TxDropped       *int64 `json:"tx_dropped"`
	UDPReceiveDrops *int64 `json:"udp_receive_buffer_errors"`
	UDPSendDrops    *int64 `json:"udp_send_buffer_errors"`
	TCPRetransmits  *int64 `json:"tcp_retransmitted_segments"`
	SoftnetDropped  *int64 `json:"softnet_dropped"`
	SoftnetSqueezed *int64 `json:"softnet_squeezed"`
	QueueDropped    *int64 `json:"queue_dropped"` // by the queue discipline
}

// Peer is the other end as seen from this one.
type Peer struct {
	Host    *string `json:"host"` // as the caller named it; only on request
	Tool    *string `json:"tool"` // "linkperf" or "iperf3"
	Version *string `json:"version"`
	MTU     *int64  `json:"mtu_inferred_bytes"` // from the MSS, where that proves it
	TTL     *int64  `json:"ttl"`                // of its packets on arrival
	Hops    *int64  `json:"hops_estimated"`     // from the usual initial TTLs
}

// Interface is one network interface. What is nil in it is unknown for Reason.
type Interface struct {
	Name      string   `json:"name"`
	Kind      string   `json:"kind"`
	Up        bool     `json:"up"` // running, with carrier
	MTU       *int64   `json:"mtu_bytes"`
	SpeedRx   *int64   `json:"speed_rx_bits_per_second"`
	SpeedTx   *int64   `json:"speed_tx_bits_per_second"`
	Addresses []string `json:"addresses"` // with prefix length
	Reason    Reason   `json:"reason,omitempty"`
}

// Device is one USB, Thunderbolt or storage device. What is nil in it is
// unknown for Reason.
type Device struct {
	Bus        string `json:"bus"` // "usb", "thunderbolt", "nvme", "sata"
	Name       string `json:"name"`
	Class      string `json:"class"`                            // "network", "storage", "hub", …
	Speed      *int64 `json:"speed_bits_per_second"`            // negotiated
	Capability *int64 `json:"speed_capability_bits_per_second"` // the most device and port can do, as far as told
	Below      *bool  `json:"below_class"`                      // negotiated less than the capability
	Detail     string `json:"detail,omitempty"`
	Reason     Reason `json:"reason,omitempty"`
}
