// Package sockopt is one socket and the kernel: options, what the kernel knows
// about a TCP connection, and which offloads it has. It knows nothing of tests
// and streams.
//
// A system that lacks an option answers with an error that wraps
// [errors.ErrUnsupported] and names the option.
package sockopt
