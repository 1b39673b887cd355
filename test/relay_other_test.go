//go:build !linux

package test

import (
	"net"
	"time"
)

func stamped(*net.UDPConn) error { return nil }

func stamp([]byte) time.Time { return time.Now() }
