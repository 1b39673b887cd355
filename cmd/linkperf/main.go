// Command linkperf measures what a network path carries, as client or server,
// with the options, the output and the protocol of iperf3.
//
// The first argument may be one of its own commands; everything else is
// iperf3's command line. Under the name iperf3 it has no commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"linkperf/protocol"
	"linkperf/report"
	"linkperf/sysinfo"
)

func main() {
	ignoreBrokenPipes()
	os.Exit(run(context.Background(), os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// A subcommand is one of linkperf's own commands.
type subcommand struct {
	name, synopsis, help string
	run                  func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int
}

func subcommands() []subcommand {
	return []subcommand{
		{"matrix", "matrix [PLAN.yaml] [-o DIR]", "run many tests in a fair order and compare them", runMatrix},
		{"report", "report SOURCE...", "show stored results: tables, CSV, JSON, one HTML page", runReport},
		{"compare", "compare A B", "say whether two sets of results differ", runCompare},
		{"sysinfo", "sysinfo [HOST[:PORT]]", "show this host, or the path to HOST and both ends", runSysinfo},
		{"version", "version", "print the version of linkperf", runVersion},
	}
}

// run is the program: args has its name first. It returns the exit status,
// which is never 0 when a part of the output was lost.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out := &deaf{w: stdout}
	stderr = &deaf{w: stderr}
	status := obey(ctx, args, stdin, out, stderr)
	if err := out.lost(); err != nil && status == 0 {
		fmt.Fprintf(stderr, "%s: a part of the output was lost: %v\n", programName(args[0]), err)
		status = 1
	}
	return status
}

// obey does what the command line asks for.
func obey(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	program := programName(args[0])
	commands := program != "iperf3"
	if commands && len(args) > 1 {
		switch args[1] {
		case embeddedCommand:
			return runEmbedded(ctx, args[1:], stdin, stdout, stderr)
		case guardianCommand:
			return runGuardian(ctx, args[1:], stdin, stdout, stderr)
		case "help":
			writeUsage(stdout, program, commands)
			return 0
		}
		for _, c := range subcommands() {
			if args[1] == c.name {
				return c.run(ctx, args[1:], stdin, stdout, stderr)
			}
		}
	}

	s := &settings{
		told:     sysinfo.Limited,
		password: func() (string, error) { return password(stdin, stderr) },
	}
	err := scan(s, args[1:])
	if err == nil {
		err = s.decide()
	}
	var grammar grammarError
	switch {
	case err == errHelp:
		writeUsage(stdout, program, commands)
		return 0
	case err == errVersion:
		writeVersion(stdout)
		return 0
	case errors.As(err, &grammar):
		fmt.Fprintf(stderr, "%s: %s\n\n%s", args[0], grammar, shortUsage(program))
		return 1
	case commands && len(args) > 1 && !strings.HasPrefix(args[1], "-") && errors.Is(err, protocol.NewError(protocol.CodeNoRole, nil)):
		var names []string
		for _, c := range subcommands() {
			names = append(names, c.name)
		}
		fmt.Fprintf(stderr, "linkperf: there is no command %q; there are %s, and iperf3's -s and -c\n", args[1], strings.Join(names, ", "))
		return 1
	case err != nil:
		var more *explanation
		if errors.As(err, &more) {
			fmt.Fprintf(stderr, "iperf3: %s\n", more.cause)
		}
		fmt.Fprintf(stderr, "iperf3: parameter error - %s\n\n%s", err, shortUsage(program))
		return 1
	}
	s.warn(stderr)
	if s.deprecated {
		w := stdout
		if s.report.Kind != report.Text { // which would not parse any more
			w = stderr
		}
		fmt.Fprintln(w, "Warning:  --no-fq-socket-pacing is deprecated")
	}
	if s.role == serverRole {
		return runServer(ctx, s, args, stdout, stderr)
	}
	return runClient(ctx, s, stdout, stderr)
}

// programName is the name that the program was called by.
func programName(arg string) string {
	return strings.TrimSuffix(filepath.Base(arg), ".exe")
}
