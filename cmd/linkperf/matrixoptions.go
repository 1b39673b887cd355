package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"

	"linkperf/client"
	"linkperf/client/matrix"
	"linkperf/protocol/measure"
	"linkperf/sysinfo"
)

// clientOptions tells a plan what the client's command line can say.
type clientOptions struct{}

// Option implements [matrix.Options].
func (clientOptions) Option(name string) (takesValue, ok bool) {
	for i := range options {
		if o := &options[i]; o.long == name && o.who != serverOnly {
			return o.takes != noValue, true
		}
	}
	return false, false
}

// Names implements [matrix.Options].
func (clientOptions) Names() []string {
	var names []string
	for i := range options {
		if o := &options[i]; o.who != serverOnly && !o.ours && o.alias == "" {
			names = append(names, o.long)
		}
	}
	return names
}

// Check implements [matrix.Options]. It is stricter than a command line, where
// iperf3 reads "500ms" as 500 and "max" as 0: nobody looks at a plan's runs.
func (clientOptions) Check(args []string) error {
	for _, a := range args {
		name, value, given := strings.Cut(strings.TrimPrefix(a, "--"), "=")
		if i := slices.IndexFunc(options, func(o option) bool { return o.long == name }); given && i >= 0 && !options[i].numbers(value) {
			return fmt.Errorf("option --%s: %q; allowed are %s", name, value, options[i].allowed)
		}
	}
	s, err := clientSettings("localhost", 0, args)
	if err == nil && s.client.TimeSet && s.client.Time == 0 && s.client.Bytes == 0 && s.client.Blocks == 0 {
		err = errors.New("this test has no end: give it a time, bytes or blockcount above 0")
	}
	return err
}

// CheckAddress implements [matrix.Options]. An interface may be down, and an
// address of another host: whether a test can go there is seen when it is to run.
func (clientOptions) CheckAddress(value string) error {
	names := []string{matrix.Loopback, matrix.Exposed}
	if _, err := netip.ParseAddr(value); err == nil || slices.Contains(names, value) {
		return nil
	}
	interfaces, err := net.Interfaces()
	if err != nil {
		return nil // its runs will say it
	}
	var there []string
	for _, i := range interfaces {
		there = append(there, i.Name)
	}
	if slices.Contains(there, value) {
		return nil
	}
	return fmt.Errorf("address %q%s; allowed are loopback, exposed, an IP address, and the interfaces of this host: %s",
		value, matrix.DidYouMean(value, slices.Concat(names, there)), strings.Join(there, ", "))
}

// serverFact begins the name of a fact that the other end tells.
const serverFact = "server."

// CheckFact implements [matrix.Options].
func (clientOptions) CheckFact(name, value string) error {
	fact := strings.TrimPrefix(name, serverFact)
	allowed, is, ok := sysinfo.FactAllows(fact, value)
	switch {
	case !ok:
		return fmt.Errorf("there is no fact %q%s; allowed are those that docs/sysinfo.md lists with a single value, such as path.kind, link.mtu_bytes, firewall.state, and the other end's with %s before the name",
			name, matrix.DidYouMean(fact, sysinfo.FactNames()), serverFact)
	case !is:
		return fmt.Errorf("%s is never %q; allowed are %s", name, value, allowed)
	}
	return nil
}

// clientSettings reads a client's command line for the server at host.
func clientSettings(host string, port int, args []string) (*settings, error) {
	s := &settings{password: func() (string, error) { return "", errors.New("there is nobody to ask") }}
	line := append([]string{"--client=" + host, "--json"}, args...)
	if port != 0 {
		line = append(line, fmt.Sprintf("--port=%d", port))
	}
	if err := scan(s, line); err != nil {
		return nil, err
	}
	return s, s.decide()
}

// document runs one test and returns its JSON document, also of one that
// failed. live is told about it as well; nil for nobody.
func (s *settings) document(ctx context.Context, watch *lookout, live measure.Sink) (json.RawMessage, error) {
	var text strings.Builder
	out, err := s.open(measure.Client, &text, io.Discard)
	if err != nil {
		return nil, err
	}
	defer out.close()
	out.lookout = watch
	cfg := s.client
	cfg.Version, cfg.Observe = version(), out.observe()
	_, err = client.Run(ctx, cfg, measure.Tee(out.sink(), live))
	return json.RawMessage(text.String()), err
}
