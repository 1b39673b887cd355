package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"linkperf/report"
	"linkperf/report/compare"
)

// runReport is linkperf report: stored results in the form asked for. Broken
// documents are named and left out, and make the exit status 1, as do results
// of which none counts.
func runReport(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	f := pflag.NewFlagSet("linkperf report", pflag.ContinueOnError)
	markdown := f.Bool("markdown", false, "print Markdown")
	asJSON := f.Bool("json", false, "print the analysis as JSON")
	asCSV := f.Bool("csv", false, "print the table of runs as CSV; with -o DIR write runs.csv,\nintervals.csv and compare.csv there")
	html := f.Bool("html", false, "write the HTML page")
	output := f.StringP("output", "o", "", "`FILE` where the page goes (report.html in the source's directory),\nor the directory for the CSV files")
	title := f.String("title", "", "`TEXT` title of the page")
	confidence := f.Float64("confidence", 0.95, "`LEVEL` what intervals have to reach, 0.5 to 0.999 (0.95)")
	if status, stop := parseFlags(f, "report SOURCE... [options]\n\nSOURCE is a directory of linkperf matrix, a directory or file of iperf3's JSON,\nor - for standard input, where --json-stream output is shown live.", args, stdout, stderr); stop {
		return status
	}
	err := exclusive(f, "markdown", "json", "csv", "html")
	switch {
	case err != nil:
	case f.NArg() == 0:
		err = errors.New("name a directory or a file, or - for standard input")
	case f.NArg() > 1 && slices.Contains(f.Args(), "-"):
		err = errors.New("- is standard input, which goes with no other source")
	case !(*confidence >= 0.5 && *confidence <= 0.999): // nor not a number
		err = fmt.Errorf("--confidence %v; allowed are 0.5 to 0.999", *confidence)
	case *output != "" && !*html && !*asCSV:
		err = errors.New("-o goes with --html or --csv")
	}
	if err != nil {
		fmt.Fprintf(stderr, "linkperf report: %v\n", err)
		return 1
	}
	var set *report.Set
	var broken error
	if f.NArg() == 1 && f.Arg(0) == "-" {
		if !*markdown && !*asJSON && !*asCSV && !*html {
			return complainOf(watch(ctx, stdin, stdout), "report", stderr)
		}
		set, broken = readStandardInput(stdin)
	} else {
		set, broken = report.LoadSet(f.Args()...)
	}
	if len(set.Runs) == 0 {
		return complainOf(broken, "report", stderr)
	}
	a := report.Analyse(set, compare.Options{Confidence: *confidence})
	switch {
	case *markdown:
		err = a.WriteMarkdown(stdout)
	case *asJSON:
		err = a.WriteJSON(stdout)
	case *asCSV && *output != "":
		if err = os.MkdirAll(*output, 0o777); err == nil {
			err = writeCSVFiles(*output, a)
		}
	case *asCSV:
		err = set.WriteRunsCSV(stdout)
	case *html:
		if *title == "" {
			*title = planTitle(set)
		}
		page := *output
		if page == "" {
			page = filepath.Join(directoryOf(f.Arg(0)), "report.html")
		}
		if err = writeFile(page, func(w io.Writer) error { return a.WriteHTML(w, *title) }); err == nil {
			err = printf(stdout, "%s\n", page)
		}
	default:
		err = a.WriteText(stdout)
	}
	return complainOf(errors.Join(broken, err, anyMeasured(set)), "report", stderr)
}

// directoryOf is a source's directory: itself, or where the file lies.
func directoryOf(source string) string {
	if fi, err := os.Stat(source); err == nil && fi.IsDir() {
		return source
	}
	if source == "-" {
		return "."
	}
	return filepath.Dir(source)
}
