// Package server serves tests to iperf3's clients: it accepts and limits them,
// answers on the control connection and runs its side of the streams.
//
// The listener stays open from the first test to the last. Who connects has to
// say who it is before anybody waits for it, and every wait for a peer has an
// end, so that no client and no stranger keeps the next one out. Everything that
// a client sets ends with its test.
package server
