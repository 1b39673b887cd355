//go:build !linux && !darwin && !windows

package sysinfo

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

var errNoPlatform = fmt.Errorf("%w on %s", errors.ErrUnsupported, runtime.GOOS)

func collectors() map[string]collector { return nil }

func listInterfaces(context.Context, *probe) ([]Interface, error) {
	return nil, fmt.Errorf("list interfaces: %w", errNoPlatform)
}

func readCPUTimes(*probe) ([]coreTimes, error) {
	return nil, fmt.Errorf("read CPU times: %w", errNoPlatform)
}

func readFrequencies(*probe) ([]float64, error) {
	return nil, fmt.Errorf("read frequencies: %w", errNoPlatform)
}

func readThrottled(*probe) (int64, error) {
	return 0, fmt.Errorf("read throttle events: %w", errNoPlatform)
}

func readProcessCPU() (time.Duration, error) {
	return 0, fmt.Errorf("read process times: %w", errNoPlatform)
}

func readSocket(Conn) (socketSample, error) {
	return socketSample{}, fmt.Errorf("read socket: %w", errNoPlatform)
}

// readLink reads the cumulated counters of an interface into the fields of
// Counters that are about one.
func readLink(*probe, string) (Counters, error) {
	return Counters{}, fmt.Errorf("read interface counters: %w", errNoPlatform)
}

func readStack(*probe) (stackCounters, error) {
	return stackCounters{}, fmt.Errorf("read stack counters: %w", errNoPlatform)
}

func recordCommands() [][]string { return nil }
