package sockopt

var supported = map[Feature]bool{
	Affinity: true, DontFragment: true,
}
