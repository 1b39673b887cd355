//go:build !linux

package sockopt

func drops(uintptr) (int64, error) { return 0, unsupported("a drop counter per socket") }
