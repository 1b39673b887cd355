package matrix

// key is one key of a plan.
type key struct{ name, allowed, byDefault, meaning string }

// keys are in the order of the documentation; docs/matrix.md is made from this
// table.
var keys = []key{
	{"name", "text", "the file's name", "a title for reports"},
	{"server", "embedded, or host[:port]", "embedded", "where the tests go: a child process of our own, a linkperf server, or a stock iperf3 server"},
	{"duration", "1s to 24h", "1s", "length of each test; whole seconds"},
	{"omit", "0 to 600s", "0", "start of each test that is measured but not counted; whole seconds"},
	{"repeat", "1 to 10000", "8", "rounds: how often each case is run"},
	{"warmup", "0 to 100", "0", "rounds before these that are kept but not counted"},
	{"pause", "0 to 24h", "200ms", "time between two runs"},
	{"timeout", "1s to 24h", "30s", "how much longer than its duration a run may take before it counts as failed"},
	{"order", "interleaved, as-written", "interleaved", "interleaved runs the cases of each round in random order"},
	{"seed", "1 to 2^64-1", "drawn, and recorded", "of the random order"},
	{"axes", "axis: [value, …]", "none", "what varies: any client option by its long name, and address, direction, firewall, mtu; a value may be a mapping of value, before, after"},
	{"include", "[{axis: value, …}, …]", "none", "cases to add to the product of the axes"},
	{"exclude", "[{axis: value, …}, …]", "none", "cases to leave out: all that have these labels"},
	{"before", "[command, …]", "none", "commands run before the first run"},
	{"after", "[command, …]", "none", "commands run after the last run, whatever happened"},
	{"require", "fact: value", "none", "facts that must hold, such as path.kind: thunderbolt; a case without them is skipped with the reason"},
	{"versions", "written by linkperf", "", "the programs that ran the plan"},
}

func planKeys() []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	return names
}
