// Package client runs one test as iperf3's client: it opens the control
// connection, agrees on the parameters, opens the streams, lets them run and
// exchanges results with the server.
package client
