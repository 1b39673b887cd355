// Package server serves tests to iperf3's clients: it accepts and limits them,
// answers on the control connection and runs its side of the streams.
package server
