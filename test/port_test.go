package test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// freePort returns a port on which nothing listens, TCP or UDP. It lies below
// the range from which systems take the ports of outgoing connections, so that
// no client takes it in the time between this call and the server's bind.
func freePort(t testing.TB) int {
	t.Helper()
	for range 100 {
		port := 20000 + rand.IntN(12000)
		if portIsFree(port) {
			return port
		}
	}
	t.Fatal("no free port found")
	panic("not reached")
}

func portIsFree(port int) bool {
	address := ":" + strconv.Itoa(port)
	l, err := net.Listen("tcp", address)
	if err != nil {
		return false
	}
	defer l.Close()
	u, err := net.ListenPacket("udp", address)
	if err != nil {
		return false
	}
	defer u.Close()
	return true
}

// target is a host and port in a form for messages.
func target(host string, port int) string {
	return net.JoinHostPort(host, fmt.Sprint(port))
}
