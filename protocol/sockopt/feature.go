package sockopt

// Feature is something that only some systems can do.
type Feature int

// The features that a program asks for before it starts.
const (
	Affinity     Feature = iota // SetAffinity
	FlowLabels                  // ConnectFlow
	SCTP                        // SCTP sockets; the kernel may still lack them
	MPTCP                       // Multipath TCP; the kernel may still lack it
	Congestions                 // Options.Congestion
	Pacing                      // Options.PacingRate
	BindDevice                  // Options.Device
	DontFragment                // Options.DontFragment
	UserTimeout                 // Options.UserTimeout
	TCPInfos                    // TCPInfo
	SkipRxCopy                  // throwing received TCP data away in the kernel (MSG_TRUNC)
	UDPOffload                  // UDP segmentation and receive offload
	Sendfile                    // sending a file without copying
)

// Supported reports whether this system has a feature. A kernel without it, or
// a lack of permission, shows only in use.
func Supported(f Feature) bool { return supported[f] }
