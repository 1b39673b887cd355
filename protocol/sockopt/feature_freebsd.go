package sockopt

var supported = map[Feature]bool{
	Congestions: true, Pacing: true, DontFragment: true, Sendfile: true,
}
