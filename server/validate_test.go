package server_test

import (
	"crypto/rsa"
	"errors"
	"net"
	"testing"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/server"
)

// TestValidate refuses servers that could not serve, before and after there is
// a listener.
func TestValidate(t *testing.T) {
	key := new(rsa.PrivateKey)
	for name, test := range map[string]struct {
		server server.Server
		code   protocol.Code
	}{
		"port":             {server.Server{Port: 70000}, protocol.CodeBadPort},
		"interval":         {server.Server{Interval: 10}, protocol.CodeInterval}, // nanoseconds: the unit was forgotten
		"average":          {server.Server{BitrateAverage: 2 * time.Minute}, protocol.CodeTotalInterval},
		"duration":         {server.Server{MaxDuration: -1}, protocol.CodeDuration},
		"skew":             {server.Server{TimeSkew: -1}, protocol.CodeSkewThreshold},
		"idle":             {server.Server{IdleTimeout: -1}, protocol.CodeIdleTimeout},
		"receive":          {server.Server{ReceiveTimeout: -1}, protocol.CodeRcvTimeout},
		"send":             {server.Server{SendTimeout: -1}, protocol.CodeSndTimeout},
		"keepalive":        {server.Server{ControlKeepalive: &measure.Keepalive{Idle: 5, Interval: 2, Count: 3}}, protocol.CodeCntlKA},
		"key without user": {server.Server{PrivateKey: key}, protocol.CodeSetServerAuth},
		"user without key": {server.Server{Credentials: func() (protocol.Credentials, error) { return nil, nil }}, protocol.CodeSetServerAuth},
	} {
		t.Run(name, func(t *testing.T) {
			s := test.server
			want := protocol.NewError(test.code, nil)
			if ln, err := s.Listen(t.Context()); !errors.Is(err, want) {
				t.Errorf("listen: %v, %v", ln, err)
			}
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Serve(t.Context(), ln); !errors.Is(err, want) {
				t.Errorf("serve: %v", err)
			}
			if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
				t.Errorf("the listener is open: %v", err)
			}
		})
	}
	if err := (&server.Server{}).Validate(); err != nil {
		t.Errorf("the default: %v", err)
	}
}
