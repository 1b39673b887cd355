package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"linkperf/report"
	"linkperf/report/compare"
	"linkperf/sysinfo"
)

// statusSlower is the exit status of --fail-if-slower when it fails.
const statusSlower = 3

// runCompare is linkperf compare: whether two sets of results, or the values
// of one axis of a set, differ.
func runCompare(_ context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	f := pflag.NewFlagSet("linkperf compare", pflag.ContinueOnError)
	axis := f.String("axis", "", "`NAME` compare the values of this axis within one set")
	markdown := f.Bool("markdown", false, "print Markdown")
	asJSON := f.Bool("json", false, "print JSON")
	asCSV := f.Bool("csv", false, "print CSV")
	slower := f.String("fail-if-slower", "", "`PERCENTAGE` exit with status 3 if even the lower bound of the slowdown is above\nthis, such as 5%")
	confidence := f.Float64("confidence", 0.95, "`LEVEL` what intervals have to reach, 0.5 to 0.999 (0.95)")
	if status, stop := parseFlags(f, "compare A B [options]\n       linkperf compare DIR --axis NAME [options]\n\nA is the base. A and B are directories of linkperf matrix, or directories or\nfiles of iperf3's JSON.", args, stdout, stderr); stop {
		return status
	}
	limit, err := percentage(*slower)
	switch {
	case err != nil:
	case *axis == "" && f.NArg() != 2:
		err = errors.New("name two sets, or one and --axis")
	case *axis != "" && f.NArg() != 1:
		err = errors.New("--axis compares within one set: name one")
	case slices.Contains(f.Args(), "-"):
		err = errors.New("standard input is compared with nothing: name files or directories")
	case !(*confidence >= 0.5 && *confidence <= 0.999): // nor not a number
		err = fmt.Errorf("--confidence %v; allowed are 0.5 to 0.999", *confidence)
	default:
		err = exclusive(f, "markdown", "json", "csv")
	}
	if err != nil {
		return complainOf(err, "compare", stderr)
	}
	var sets []*report.Set
	var broken []error
	for _, source := range f.Args() {
		s, err := report.LoadSet(source)
		sets, broken = append(sets, s), append(broken, err)
	}
	for _, s := range sets {
		if len(s.Runs) == 0 {
			return complainOf(errors.Join(broken...), "compare", stderr)
		}
	}
	o := compare.Options{Confidence: *confidence}
	var c *report.Comparison
	if *axis != "" {
		c, err = report.CompareAxis(sets[0], *axis, o)
	} else {
		c, err = report.CompareSets(sets[0], sets[1], o)
	}
	if err != nil {
		return complainOf(errors.Join(append(broken, err)...), "compare", stderr)
	}
	switch {
	case *markdown:
		err = c.WriteMarkdown(stdout)
	case *asJSON:
		err = c.WriteJSON(stdout)
	case *asCSV:
		err = report.WriteCompareCSV(stdout, c.Verdicts)
	default:
		err = c.WriteText(stdout)
	}
	if status := complainOf(errors.Join(append(broken, err)...), "compare", stderr); status != 0 {
		return status
	}
	if *slower != "" {
		if slow := c.Slower(limit); len(slow) > 0 {
			fmt.Fprintf(stderr, "linkperf compare: slower by more than %s: %s\n", *slower, sysinfo.Printable(slow[0].String()))
			return statusSlower
		}
	}
	return 0
}

// percentage reads "5%" or "5" as 0.05; "" as 0.
func percentage(s string) (float64, error) {
	if s == "" {
		return 0, nil
	}
	v, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
	if err != nil || !(v >= 0 && v < 100) {
		return 0, fmt.Errorf("--fail-if-slower %q; allowed is a percentage such as 5%%", s)
	}
	return v / 100, nil
}
