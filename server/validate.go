package server

import (
	"time"

	"linkperf/protocol"
)

// Validate reports the first field that no server can be made of. The error is
// a *protocol.Error with iperf3's number. Listen and Serve begin with it.
func (s *Server) Validate() error {
	reportable := func(d time.Duration) bool { return d == 0 || d >= 100*time.Millisecond && d <= time.Minute }
	for _, check := range []struct {
		ok   bool
		code protocol.Code
	}{
		{s.Port >= 0 && s.Port <= 65535, protocol.CodeBadPort},
		{reportable(s.Interval), protocol.CodeInterval},
		{reportable(s.BitrateAverage), protocol.CodeTotalInterval},
		{s.MaxDuration >= 0, protocol.CodeDuration},
		{s.TimeSkew >= 0, protocol.CodeSkewThreshold},
		{s.IdleTimeout >= 0, protocol.CodeIdleTimeout},
		{s.ReceiveTimeout >= 0, protocol.CodeRcvTimeout},
		{s.SendTimeout >= 0, protocol.CodeSndTimeout},
		{s.ControlKeepalive == nil || s.ControlKeepalive.Valid(), protocol.CodeCntlKA},
		{(s.PrivateKey == nil) == (s.Credentials == nil), protocol.CodeSetServerAuth},
	} {
		if !check.ok {
			return protocol.NewError(check.code, nil)
		}
	}
	return nil
}
