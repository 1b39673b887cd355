package sysinfo

// linuxTable is where the facts come from on Linux.
var linuxTable = table{
	sources: []source{},
	absent:  []absence{},
}
