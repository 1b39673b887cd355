package sysinfo

import (
	"context"
	"runtime"
	"time"
)

// collectBudget is how long Collect may take.
const collectBudget = 5 * time.Second

// Collect describes this host alone, in at most five seconds. It never fails:
// what it could not learn is null and has its reason.
func Collect(ctx context.Context, o Options) *Record {
	return collect(ctx, &probe{Options: o}, tableOf(runtime.GOOS), allCollectors())
}

func collect(ctx context.Context, p *probe, t table, by map[string]collector) *Record {
	ctx, cancel := context.WithTimeout(ctx, collectBudget)
	defer cancel()
	c := newCollection(t, by)
	host := c.start(ctx, p, ofHost, nil)
	if p.Devices {
		within(ctx, c.start(ctx, p, onOrder, nil))
	}
	within(ctx, host)
	r := c.seal()
	r.CollectMS = milliseconds(time.Since(r.CollectedAt))
	r.collapse()
	return r
}

// tableOf gives the sources of a system, by Go's name of it, with those that
// all systems share.
func tableOf(goos string) table {
	switch goos {
	case "linux":
		return join(linuxTable, portableTable)
	case "darwin":
		return join(macosTable, portableTable)
	case "windows":
		return join(windowsTable, portableTable)
	}
	return portableTable
}
