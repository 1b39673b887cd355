package sysinfo

import "golang.org/x/sys/windows"

// systemDirectory is where Windows keeps its programs.
func systemDirectory() string {
	if dir, err := windows.GetSystemDirectory(); err == nil {
		return dir
	}
	return `C:\Windows\System32`
}
