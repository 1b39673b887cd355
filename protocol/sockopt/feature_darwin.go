package sockopt

var supported = map[Feature]bool{
	BindDevice: true, DontFragment: true, TCPInfos: true,
}
