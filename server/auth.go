package server

import (
	"fmt"
	"time"

	"linkperf/protocol"
)

// authenticate checks who the client is, if this server asks. The error never
// says why; the reason it wraps is for the log.
func (s *Server) authenticate(p *protocol.Params) error {
	if s.PrivateKey == nil {
		return nil
	}
	var users protocol.Credentials
	var loadErr error
	if s.Credentials != nil {
		users, loadErr = s.Credentials()
	}
	skew := s.TimeSkew
	if skew == 0 {
		skew = DefaultTimeSkew
	}
	err := protocol.Authenticate(p.AuthToken, s.PrivateKey, users, time.Now(), skew, s.PKCS1Padding)
	if loadErr != nil {
		return protocol.NewError(protocol.CodeAuthTest, fmt.Errorf("read the users: %w", loadErr))
	}
	return err
}
