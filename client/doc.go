// Package client runs one test as iperf3's client: it opens the control
// connection, agrees on the parameters, opens the streams, lets them run and
// exchanges results with the server.
//
// [Run] does all of it and returns when no connection and no goroutine of the
// test is left. Several tests can run at once in one program. A
// [linkperf/protocol/measure.Sink] is told about the test while it runs; who
// only wants the result passes nil.
package client
