package sockopt

var supported = map[Feature]bool{
	Affinity: true, FlowLabels: true, SCTP: true, MPTCP: true, Congestions: true, Pacing: true, BindDevice: true,
	DontFragment: true, Sendfile: true, UserTimeout: true, TCPInfos: true, SkipRxCopy: true, UDPOffload: true,
}
