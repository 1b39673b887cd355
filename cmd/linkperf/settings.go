package main

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"

	"linkperf/client"
	"linkperf/protocol"
	"linkperf/report"
	"linkperf/server"
	"linkperf/sysinfo"
)

// role is what the command line asks the program to be.
type role int8

const (
	noRole role = iota
	clientRole
	serverRole
)

// settings is everything a command line in iperf3's grammar says. Options that
// both roles have are kept in both configurations.
type settings struct {
	role                             role
	hasClientOption, hasServerOption bool

	client client.Config
	server server.Server
	report report.Options

	logFile string
	pidFile string
	csvFile string
	daemon  bool
	debug   int // 0 is off

	publicKeyFile, privateKeyFile, usersFile string

	addresses bool          // list them when the server starts
	redact    bool          // no addresses and names in records
	told      sysinfo.Level // of this host, to a peer that has not logged in
	blind     bool          // make no records at all
	showFacts bool          // in text, after the summary

	deprecated bool                   // --no-fq-socket-pacing was given
	password   func() (string, error) // asks for the password of --username
}

// decide makes the checks that need the whole command line, in iperf3's order.
func (s *settings) decide() error {
	switch {
	case s.role == clientRole && s.hasServerOption:
		return protocol.NewError(protocol.CodeServerOnly, nil)
	case s.role == serverRole && s.hasClientOption:
		return protocol.NewError(protocol.CodeClientOnly, nil)
	case s.role == serverRole:
		if err := s.readServerKey(); err != nil {
			return err
		}
		return nil
	case s.role == noRole:
		// iperf3 complains about impossible tests before it misses the role.
		test := s.client
		test.Host, test.ReceiveTimeout = "localhost", 0
		test.Username, test.PublicKey = "", nil
		if err := test.Validate(); err != nil {
			return err
		}
		return protocol.NewError(protocol.CodeNoRole, nil)
	}
	if err := s.readClientKey(); err != nil {
		return err
	}
	if err := s.client.Validate(); err != client.ErrNoHost {
		return err
	}
	return nil // iperf3 finds that out when it connects
}

// readServerKey loads what a server needs to authenticate its clients.
func (s *settings) readServerKey() error {
	if s.privateKeyFile == "" && s.usersFile == "" {
		return nil
	}
	if s.privateKeyFile == "" || s.usersFile == "" {
		return protocol.NewError(protocol.CodeSetServerAuth, nil)
	}
	pem, err := os.ReadFile(s.privateKeyFile)
	if err == nil {
		s.server.PrivateKey, err = protocol.ParsePrivateKey(pem)
	}
	if err != nil {
		return explained(protocol.CodeSetServerAuth, "RSA private key", err)
	}
	s.server.Credentials = func() (protocol.Credentials, error) {
		data, err := os.ReadFile(s.usersFile)
		if err != nil {
			return nil, fmt.Errorf("read authorized users: %w", err)
		}
		return protocol.ParseCredentials(data), nil
	}
	if _, err := s.server.Credentials(); err != nil {
		return explained(protocol.CodeServerAuthUsers, "authorized users", err)
	}
	return nil
}

// readClientKey loads the key that a client encrypts its credentials with.
func (s *settings) readClientKey() error {
	if s.client.Username == "" && s.publicKeyFile == "" {
		return nil
	}
	if s.client.Username == "" || s.publicKeyFile == "" {
		return protocol.NewError(protocol.CodeSetClientAuth, nil)
	}
	pem, err := os.ReadFile(s.publicKeyFile)
	if err == nil {
		s.client.PublicKey, err = protocol.ParsePublicKey(pem)
	}
	if err != nil {
		return explained(protocol.CodeSetClientAuth, "RSA public key", err)
	}
	if s.client.Password, err = s.password(); err != nil {
		return explained(protocol.CodeSetClientAuth, "password", err)
	}
	return nil
}

// An explanation is an error whose text says less than its cause. The cause is
// printed on a line before it.
type explanation struct {
	error
	cause string
}

func (e *explanation) Unwrap() error { return e.error }

func explained(code protocol.Code, what string, cause error) error {
	var path *os.PathError
	if errors.As(cause, &path) {
		return &explanation{protocol.NewError(code, nil), fmt.Sprintf("cannot read the %s from %s: %s", what, path.Path, protocol.Reason(path.Err))}
	}
	return &explanation{protocol.NewError(code, nil), fmt.Sprintf("cannot use the %s: %v", what, cause)}
}

// splitDevice splits host%device. The scope of a link-local address stays
// where it is: it belongs to the address, with or without brackets.
func splitDevice(text string) (host, device string) {
	bare := strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	if addr, err := netip.ParseAddr(bare); err == nil && addr.Is6() && addr.IsLinkLocalUnicast() {
		return text, ""
	}
	host, device, _ = strings.Cut(text, "%")
	return host, device
}
