//go:build !linux

package test

import (
	"runtime"
	"testing"
)

// cables are none: nothing but the loopback is there to be used.
func cables(*testing.T) []benchLink { return nil }

func processor() string { return runtime.GOARCH }
