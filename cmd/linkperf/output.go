package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"linkperf/protocol/measure"
	"linkperf/report"
	"linkperf/report/explain"
	"linkperf/sysinfo"
)

// An output is where a role writes: reports and run-time errors to one place
// each, or both to the log file.
type output struct {
	report.Options
	reports, errors io.Writer
	warnings        io.Writer // always the standard error
	log             *logFile  // nil without --logfile
	lookout         *lookout  // nil if tests are not observed
	redact, debug   bool
}

// open makes the output that the settings ask for.
func (s *settings) open(side measure.Side, stdout, stderr io.Writer) (*output, error) {
	o := &output{Options: s.report, reports: stdout, errors: stderr, warnings: stderr}
	o.Side = side
	o.debug = s.debug > 0
	o.Version = version()
	o.SystemInfo = report.SystemInfo()
	if o.redact = s.redact; o.redact {
		o.SystemInfo = withoutHostName(o.SystemInfo)
	}
	if !s.blind {
		o.lookout = &lookout{
			level:   s.told,
			redact:  s.redact,
			options: sysinfo.Options{Tool: "linkperf", Version: version()},
		}
	}
	if !s.blind {
		o.Extra = conclude(s.showFacts)
	}
	if s.logFile == "" {
		return o, nil
	}
	log, err := openLogFile(s.logFile)
	if err != nil {
		return o, err
	}
	o.reports, o.errors, o.log = log, log, log
	return o, nil
}

// sink makes the sink of one test.
func (o *output) sink() measure.Sink {
	return o.completed(o.plainSink(o.reports, o.Options))
}

// sinkAnd makes a sink that, if asked to, also writes the test's document.
func (o *output) sinkAnd(asked bool, document io.Writer) measure.Sink {
	if !asked {
		return o.sink()
	}
	asJSON := o.Options
	asJSON.Kind = report.JSON
	return o.completed(measure.Tee(o.plainSink(o.reports, o.Options), o.plainSink(document, asJSON)))
}

// plainSink makes a sink that shows what it is told.
func (o *output) plainSink(w io.Writer, options report.Options) measure.Sink {
	sink, err := report.New(w, o.warnings, options)
	if err != nil {
		panic(err) // the scan has accepted the options
	}
	return sink
}

// completed makes a sink that passes a test on with the records of both ends,
// and without what is not to be told.
func (o *output) completed(sink measure.Sink) measure.Sink {
	if o.debug {
		sink = debugSink{sink, o.warnings}
	}
	if o.redact {
		sink = redactedSink{sink}
	}
	if o.lookout == nil {
		return sink
	}
	return o.lookout.watched(sink)
}

// observe is what tests are observed with.
func (o *output) observe() measure.Observe {
	if o.lookout == nil {
		return makingRoom(nil)
	}
	return makingRoom(o.lookout.observe)
}

// complain prints the lines for a failure in text. In JSON the document has
// them, unless it is the document that could not be written.
func (o *output) complain(err error) {
	if o.Kind == report.Text {
		o.printLines(o.errors, err)
	}
	if (o.Kind != report.Text || o.log != nil) && o.lost() != nil {
		o.printLines(o.warnings, err)
	}
}

// lost returns why a part of the reports could not be written, nil if all were.
func (o *output) lost() error {
	if w, ok := o.reports.(interface{ lost() error }); ok {
		return w.lost()
	}
	return nil
}

func (o *output) printLines(w io.Writer, err error) {
	for _, line := range report.ErrorLines(o.Options, err) {
		fmt.Fprintln(w, line)
	}
}

// fail reports a failure outside any test, in the form that was asked for.
func (o *output) fail(err error) {
	if o.Kind != report.Text {
		err = errors.Join(err, o.sink().End(&measure.Result{}, err))
	}
	o.complain(err)
}

// close closes the log file.
func (o *output) close() {
	if o.log != nil {
		o.log.release()
	}
}

// end closes the log file and returns the exit status: that of the role, or 1 if
// the file does not have everything.
func (o *output) end(status int) int {
	o.close()
	if o.log == nil || status != 0 || o.log.lost() == nil {
		return status
	}
	o.printLines(o.warnings, fmt.Errorf("the log file lacks a part of the output: %w", o.log.lost()))
	return 1
}

// warn prints the warnings about options that do not go together well.
func (s *settings) warn(stderr io.Writer) {
	if s.report.Kind == report.Text {
		return
	}
	if s.report.Format != 0 {
		fmt.Fprintln(stderr, "warning: Report format (-f) flag ignored with JSON output (-J)")
	}
	if s.report.Verbose {
		fmt.Fprintln(stderr, "warning: Verbose output (-v) may interfere with JSON output (-J)")
	}
	if s.debug > 0 {
		fmt.Fprintln(stderr, "warning: Debug output (-d) may interfere with JSON output (-J)")
	}
}

// printExiting prints a server's last line when it cannot go on.
func (o *output) printExiting(w io.Writer) {
	stamp := ""
	if o.Timestamps != "" {
		stamp = report.Stamp(o.Timestamps, time.Now())
	}
	fmt.Fprintf(w, "%siperf3: exiting\n", stamp)
}

// failPIDFile reports that the pid file could not be written. iperf3 does so
// before it looks at the form of output.
func (o *output) failPIDFile(err error) {
	if errors.Is(err, errOtherInstance) {
		fmt.Fprintln(o.errors, "iperf3: Another instance of iperf3 appears to be running")
		return
	}
	o.printLines(o.errors, err)
}

// conclude adds what the result and the records of both ends together mean; to
// text only if it was asked for.
func conclude(showFacts bool) func(*measure.Result, error) report.Extra {
	return func(r *measure.Result, failure error) report.Extra {
		in, err := explain.FromResult(r, failure)
		if err != nil {
			return report.Extra{Warnings: []string{err.Error()}}
		}
		findings := explain.Explain(in)
		x := report.Extra{}
		if x.Findings, err = json.Marshal(findings); err != nil {
			x.Warnings = append(x.Warnings, err.Error())
		}
		own, peer := in.Client, in.Server
		if r.Start != nil && r.Start.Side == measure.Server {
			own, peer = peer, own
		}
		if showFacts && own != nil {
			var b strings.Builder
			writeBrief(&b, own, peer)
			x.Text = b.String() + explain.Text(findings)
		}
		return x
	}
}
