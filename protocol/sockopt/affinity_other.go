//go:build !linux && !windows

package sockopt

func setAffinity(int) (func() error, error) { return nil, unsupported("CPU affinity") }
