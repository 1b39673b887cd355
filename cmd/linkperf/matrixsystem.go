package main

import (
	"context"
	"errors"
	"io"

	"linkperf/client/matrix"
)

// systemChanges prepares what the axes firewall and mtu need. change is nil
// for a plan without them; undo restores everything.
func (m *matrixCommand) systemChanges(ctx context.Context, cases []matrix.Case, stderr io.Writer) (change func(context.Context, matrix.Case) error, undo func() error, err error) {
	undo = func() error { return nil }
	for _, c := range cases {
		if c.Firewall != "" || c.MTU != "" {
			return nil, undo, errors.ErrUnsupported
		}
	}
	return nil, undo, nil
}

func (m *matrixCommand) restoreSystem(ctx context.Context, stderr io.Writer) error {
	return errors.ErrUnsupported
}
