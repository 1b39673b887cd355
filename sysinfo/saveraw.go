package sysinfo

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"
)

// rawBudget is how long SaveRaw may ask.
const rawBudget = 30 * time.Second

// RawIndex is the file that lists what [SaveRaw] wrote.
const RawIndex = "index.md"

// SaveRaw writes every raw answer of this machine that the sources and some
// further commands get into files of dir, with addresses, names, serial numbers
// and identifiers replaced, and [RawIndex]. It is how recordings of other
// systems come to be. It returns how many files it has written; the error is
// one of writing them.
func SaveRaw(ctx context.Context, dir string) (files int, err error) {
	return saveRaw(ctx, &probe{}, dir)
}

func saveRaw(ctx context.Context, p *probe, dir string) (files int, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, fmt.Errorf("make directory for raw answers: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, rawBudget)
	defer cancel()
	p.Devices = true
	p.recorder = new(recorder)
	t, by := tableOf(runtime.GOOS), allCollectors()
	host := collect(ctx, p, t, by)
	// What is asked about the path's interface, about each that is up.
	for _, i := range host.Interfaces {
		if !i.Up {
			continue
		}
		one := *p
		one.path = Path{Interface: &i.Name, Stack: []string{i.Name}}
		within(ctx, newCollection(t, by).start(ctx, &one, ofLink, nil))
	}
	for _, read := range []func(){
		func() { readCPUTimes(p) }, func() { readFrequencies(p) }, func() { readThrottled(p) }, func() { readStack(p) },
	} {
		read()
	}
	for _, c := range recordCommands() {
		one, done := context.WithTimeout(ctx, 5*time.Second)
		p.command(one, c[0], c[1:]...)
		done()
	}
	return p.recorder.save(dir, newScrubber())
}
