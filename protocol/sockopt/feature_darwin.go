package sockopt

var supported = map[Feature]bool{
	BindDevice: true, DontFragment: true, Sendfile: true, TCPInfos: true,
}
