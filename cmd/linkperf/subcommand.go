package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// parseFlags reads a subcommand's options. stop is true when there is nothing
// more to do, with the exit status.
func parseFlags(f *pflag.FlagSet, synopsis string, args []string, stdout, stderr io.Writer) (status int, stop bool) {
	f.SortFlags = false
	f.SetOutput(stdout)
	f.Usage = func() {
		fmt.Fprintf(stdout, "Usage: linkperf %s\n\n", synopsis)
		f.VisitAll(func(flag *pflag.Flag) { writeFlag(stdout, flag) })
	}
	switch err := f.Parse(args[1:]); {
	case errors.Is(err, pflag.ErrHelp):
		return 0, true
	case err != nil:
		fmt.Fprintf(stderr, "%s: %v\n", f.Name(), err)
		return 1, true
	}
	return 0, false
}

// writeFlag writes a subcommand's option as the client's and server's are
// written. A placeholder stands quoted before its text.
func writeFlag(w io.Writer, flag *pflag.Flag) {
	o := option{long: flag.Name, short: flag.Shorthand}
	if o.placeholder, o.help = pflag.UnquoteUsage(flag); o.placeholder != "" {
		o.takes, o.help = required, strings.TrimPrefix(o.help, o.placeholder+" ")
	}
	writeOption(w, &o)
}

// A wholeNumber is the value of an option that takes whole numbers from lowest
// to highest.
type wholeNumber struct {
	to              *int
	lowest, highest int
}

func (n *wholeNumber) String() string {
	if n.to == nil {
		return ""
	}
	return strconv.Itoa(*n.to)
}

func (n *wholeNumber) Type() string { return "int" }

func (n *wholeNumber) Set(text string) error {
	v, err := strconv.Atoi(text)
	if err != nil || v < n.lowest || v > n.highest {
		return fmt.Errorf("allowed are %d to %d", n.lowest, n.highest)
	}
	*n.to = v
	return nil
}

// filled returns an error if an option or argument is given and empty, as a
// shell's variable that is not set makes it: that must not mean "not given".
func filled(f *pflag.FlagSet) (err error) {
	f.Visit(func(flag *pflag.Flag) {
		if flag.Value.String() == "" {
			err = fmt.Errorf("--%s has an empty value", flag.Name)
		}
	})
	if slices.Contains(f.Args(), "") {
		err = errors.New("an argument is empty")
	}
	return err
}

// exclusive returns an error if more than one of the flags was given.
func exclusive(f *pflag.FlagSet, names ...string) error {
	given := ""
	for _, n := range names {
		if !f.Changed(n) {
			continue
		}
		if given != "" {
			return fmt.Errorf("--%s and --%s do not go together: choose one", given, n)
		}
		given = n
	}
	return nil
}

// complainOf prints an error, each line of it (errors that were joined have
// more) for itself, and returns the exit status that goes with it.
func complainOf(err error, command string, stderr io.Writer) int {
	if err == nil {
		return 0
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintf(stderr, "linkperf %s: %s\n", command, line)
	}
	return 1
}
