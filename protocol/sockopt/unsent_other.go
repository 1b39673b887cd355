//go:build !linux && !darwin

package sockopt

func unsent(uintptr) (int, error) { return 0, unsupported("the length of the send queue") }
