package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"linkperf/client"
	"linkperf/protocol/measure"
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

// Check implements [matrix.Options].
func (clientOptions) Check(args []string) error {
	_, err := clientSettings("localhost", 0, args)
	return err
}

// clientSettings reads a client's command line for the server at host.
func clientSettings(host string, port int, args []string) (*settings, error) {
	s := &settings{stdout: io.Discard, password: func() (string, error) { return "", errors.New("there is nobody to ask") }}
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
