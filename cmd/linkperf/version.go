package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/pflag"

	"linkperf/protocol"
	"linkperf/report"
)

// Version is linkperf's version, set by the linker
// (-ldflags "-X main.Version=1.2.3"). Empty means what the build recorded.
var Version string

// version returns linkperf's own version.
func version() string {
	if Version != "" {
		return Version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

// ownName is linkperf with its version and what it was built for.
func ownName() string {
	return fmt.Sprintf("linkperf %s (%s, %s/%s)", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// writeVersion writes iperf3's three lines and the name of this program.
func writeVersion(w io.Writer) {
	list := "None"
	if f := featureNames(); len(f) > 0 {
		list = strings.Join(f, ", ")
	}
	fmt.Fprintf(w, "iperf %s\n%s\nOptional features available: %s\n%s\n",
		protocol.Version, report.SystemInfo(), list, ownName())
}

// runVersion is linkperf version.
func runVersion(_ context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	f := pflag.NewFlagSet("linkperf version", pflag.ContinueOnError)
	if status, stop := parseFlags(f, "version", args, stdout, stderr); stop {
		return status
	}
	if f.NArg() > 0 {
		return complainOf(fmt.Errorf("no arguments are allowed: %q", f.Args()), "version", stderr)
	}
	fmt.Fprintln(stdout, ownName())
	return 0
}
