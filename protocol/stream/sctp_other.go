//go:build !linux

package stream

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime"

	"linkperf/protocol"
	"linkperf/protocol/sockopt"
)

var errNoSCTP = fmt.Errorf("SCTP on %s: %w", runtime.GOOS, errors.ErrUnsupported)

func dialSCTP(context.Context, DialConfig) (Socket, error) {
	return nil, protocol.NewError(protocol.CodeStreamConnect, errNoSCTP)
}

// ListenSCTP waits for SCTP data connections with the test's cookie.
func ListenSCTP(context.Context, netip.AddrPort, sockopt.Options, []string, protocol.Cookie) (Listener, error) {
	return nil, protocol.NewError(protocol.CodeStreamListen, errNoSCTP)
}
