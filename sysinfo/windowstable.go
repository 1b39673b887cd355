package sysinfo

// windowsTable is where the facts come from on Windows.
var windowsTable = table{
	sources: []source{},
	absent:  []absence{},
}
