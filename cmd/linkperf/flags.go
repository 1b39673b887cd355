package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// argument says whether an option takes a value.
type argument int8

const (
	noValue  argument = iota
	required          // "--name value", "--name=value", "-nvalue", "-n value"
	optional          // "--name" or "--name=value"; the short form takes none
)

// audience says who may use an option.
type audience int8

const (
	everyone audience = iota
	serverOnly
	clientOnly
)

// An option is one row of the table in options.go.
type option struct {
	long, short string
	takes       argument
	placeholder string // of the value, in the help
	who         audience
	needs       *feature // nil if every system can do it
	// ours marks an option that iperf3 does not have. It must be written in
	// full, so that prefixes keep meaning what they mean to iperf3.
	ours bool
	help string // empty for an older name
	// allowed is the range of an option that takes numbers, for the complaint
	// about a value that is none (infinite, not a number) or cannot be held.
	// Other wrong values are reported in iperf3's words, which have the range.
	allowed string
	// alias is the present name of the option of which this is an older name.
	alias string
	// set takes the value, or absent when an optional one was not given.
	set func(s *settings, value string) error
}

// absent is the value of an option that was given without one. No argument of
// a program can contain a zero byte.
const absent = "\x00"

// errHelp and errVersion end the scan at -h and -v.
var (
	errHelp    = errors.New("help requested")
	errVersion = errors.New("version requested")
)

// A grammarError is a complaint of getopt: the command line is wrong before
// any value is looked at.
type grammarError string

func (e grammarError) Error() string { return string(e) }

// scan reads a command line without the program's name, as getopt_long does,
// and applies each option to s as it is met. The first error ends the scan.
func scan(s *settings, args []string) error {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	byName := make(map[string]*option, len(options))
	for i := range options {
		o := &options[i]
		byName[o.long] = o
		f := flags.VarPF(noVariable{}, o.long, o.short, "")
		if o.takes != required {
			f.NoOptDefVal = absent
		}
	}
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if found := withPrefix(name); len(found) == 1 {
			name = found[0]
		}
		return pflag.NormalizedName(name)
	})
	err := flags.ParseAll(args, func(f *pflag.Flag, value string) error {
		o := byName[f.Name]
		if o.takes == noValue && value != absent {
			return grammarError(fmt.Sprintf("option '--%s' doesn't allow an argument", o.long))
		}
		switch o.who {
		case serverOnly:
			s.hasServerOption = true
		case clientOnly:
			s.hasClientOption = true
		}
		if err := o.needs.require(); err != nil {
			return err
		}
		return o.apply(s, value)
	})
	return inGetoptsWords(err, args)
}

// apply gives the option's value to s. iperf3 takes infinities and what is not
// a number for some limit or for 0, which nobody means; here they are errors.
func (o *option) apply(s *settings, value string) error {
	outside := fmt.Errorf("option --%s: %q; allowed are %s", o.long, value, o.allowed)
	if o.allowed != "" && slices.ContainsFunc(strings.FieldsFunc(value, func(c rune) bool { return c == '/' || c == ',' }), infinite) {
		return outside
	}
	err := o.set(s, value)
	if errors.Is(err, errRange) {
		return outside
	}
	return err
}

// numbers reports whether a value is made of numbers of the option's kind and
// nothing else. It is true for options of another kind, and for names.
func (o *option) numbers(value string) bool {
	if o.allowed == "" || o.long == "dscp" {
		return true
	}
	whole := slices.Contains(wholeNumbers, o.long)
	for i, part := range strings.FieldsFunc(value, func(c rune) bool { return c == '/' || c == ',' }) {
		if whole || i > 0 {
			if _, rest, ok := integer(part); !ok || rest != "" {
				return false
			}
			continue
		}
		if number, rest := floatPrefix(part); number == "" || len(rest) > 1 || rest != "" && !strings.ContainsAny(rest, "KMGTkmgt") {
			return false
		}
	}
	return value != ""
}

// wholeNumbers are the options without fractions and suffixes.
var wholeNumbers = []string{"port", "time", "parallel", "cport", "set-mss", "tos", "flowlabel", "omit", "affinity", "rcv-timeout", "snd-timeout", "cntl-ka", "debug"}

// noVariable is the value of every flag: the option table has functions
// instead.
type noVariable struct{}

func (noVariable) String() string   { return "" }
func (noVariable) Set(string) error { return nil }
func (noVariable) Type() string     { return "" }

// withPrefix returns the long options that a possibly shortened name stands
// for, in iperf3's order. A full name stands for itself alone.
func withPrefix(name string) []string {
	var found []string
	for i := range options {
		switch o := &options[i]; {
		case o.long == name:
			return []string{name}
		case !o.ours && strings.HasPrefix(o.long, name):
			found = append(found, o.long)
		}
	}
	return found
}

// inGetoptsWords replaces the parser's errors by grammar errors with getopt's
// texts and leaves the others alone.
func inGetoptsWords(err error, args []string) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown):
		if unknown.GetSpecifiedShortnames() != "" {
			return grammarError(fmt.Sprintf("invalid option -- '%s'", unknown.GetSpecifiedName()))
		}
		return unknownLong(unknown.GetSpecifiedName(), args)
	case errors.As(err, &syntax):
		return grammarError(fmt.Sprintf("unrecognized option '%s'", syntax.GetSpecifiedFlag()))
	case errors.As(err, &missing):
		if missing.GetSpecifiedShortnames() != "" {
			return grammarError(fmt.Sprintf("option requires an argument -- '%s'", missing.GetSpecifiedName()))
		}
		return grammarError(fmt.Sprintf("option '--%s' requires an argument", missing.GetFlag().Name))
	}
	return err
}

// unknownLong complains about a long option that is none or may be several.
// getopt shows it with the value that was given to it.
func unknownLong(name string, args []string) error {
	given := "--" + name
	if i := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, given+"=") }); i >= 0 {
		given = args[i]
	}
	found := withPrefix(name)
	if len(found) == 0 {
		return grammarError(fmt.Sprintf("unrecognized option '%s'", given))
	}
	text := fmt.Sprintf("option '%s' is ambiguous; possibilities:", given)
	for _, f := range found {
		if aliasOf(f) != found[0] {
			text += fmt.Sprintf(" '--%s'", f)
		}
	}
	return grammarError(text)
}

func aliasOf(name string) string {
	i := slices.IndexFunc(options, func(o option) bool { return o.long == name })
	return options[i].alias
}
