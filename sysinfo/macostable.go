package sysinfo

// macosTable is where the facts come from on macOS.
var macosTable = table{
	sources: []source{},
	absent:  []absence{},
}
