//go:build !windows

package sysinfo

// systemDirectory is where Windows keeps its programs, for the tests of what
// they answer.
func systemDirectory() string { return `C:\Windows\System32` }
