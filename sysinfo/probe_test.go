package sysinfo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// script writes a program to run.
func script(t *testing.T, text string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell script")
	}
	name := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestCommandThatHangsIsCutOff(t *testing.T) {
	// The child of the shell holds the pipe when the shell is gone.
	program := script(t, "echo begun; sleep 100 & wait")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := (&probe{}).command(ctx, program)
	if u := unknownOf(err); u.Reason != Timeout {
		t.Errorf("%+v, want timeout", u)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("cut off after %v", took)
	}
}

func TestCommandGetsNothingFromOutside(t *testing.T) {
	t.Setenv("SECRET", "x")
	out, err := (&probe{}).command(t.Context(), script(t, `echo "[$SECRET][$LC_ALL]"; cat; echo end`))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(out); got != "[][C]\nend\n" {
		t.Errorf("got %q, want no variable, language C and an empty input", got)
	}
}

func TestCommandOutputIsBounded(t *testing.T) {
	out, err := (&probe{}).command(t.Context(), script(t, "yes | head -c 6000000"))
	if err != nil || len(out) != maxOutput {
		t.Errorf("%d bytes, %v; want %d", len(out), err, maxOutput)
	}
}

func TestCommandFailures(t *testing.T) {
	notUnderWine(t, "way to remove what Go wrote")
	for _, c := range []struct {
		name, text string
		want       Reason
	}{
		{"refused", "echo 'pfctl: /dev/pf: Permission denied' >&2; exit 1", NoPermission},
		{"refused in other words", "echo 'ERROR: You need to be root to run this script' >&2; exit 1", NoPermission},
		{"failed", "echo no >&2; exit 3", Failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := (&probe{}).command(t.Context(), script(t, "echo output;"+c.text))
			if u := unknownOf(err); u.Reason != c.want {
				t.Errorf("%+v, want %s", u, c.want)
			}
			if string(out) != "output\n" {
				t.Errorf("output %q", out)
			}
		})
	}
	if _, err := (&probe{}).command(t.Context(), "ls"); unknownOf(err).Reason != Failed {
		t.Errorf("a relative path: %v", err)
	}
	if _, err := (&probe{}).command(t.Context(), filepath.Join(t.TempDir(), "absent")); unknownOf(err).Reason != NotFound {
		t.Errorf("a missing program: %v", err)
	}
}

func TestProbeReadsBelowItsRoot(t *testing.T) {
	notUnderWine(t, "symbolic links")
	root := t.TempDir()
	dir := filepath.Join(root, "sys", "x")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "n"), []byte(" 42\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, filepath.Join(root, "sys", "link")); err != nil {
		t.Skip("no symbolic links:", err)
	}
	p := &probe{root: root}
	if n, err := p.readInt("/sys/link/n"); err != nil || n != 42 {
		t.Errorf("got %d, %v", n, err)
	}
	if runtime.GOOS == "windows" {
		return // the rest is for paths of the unixes
	}
	if got := p.glob("/sys/*"); len(got) != 2 || got[1] != "/sys/x" {
		t.Errorf("glob %v", got)
	}
	if got, err := p.resolve("/sys/link"); err != nil || got != "/sys/x" {
		t.Errorf("resolve %q, %v", got, err)
	}
	if _, err := p.readFile("/sys/absent"); unknownOf(err).Reason != NotFound {
		t.Errorf("missing file: %v", err)
	}
}

func TestUnknownOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		want Reason
	}{
		{fs.ErrPermission, NoPermission}, {syscall.EACCES, NoPermission}, {fs.ErrNotExist, NotFound}, {exec.ErrNotFound, NotFound},
		{errors.ErrUnsupported, NotSupported}, {context.DeadlineExceeded, Timeout}, {context.Canceled, Timeout},
		{errors.New("x"), Failed}, {because(ParseError, "y"), ParseError}, {fmt.Errorf("z: %w", because(NotApplicable, "y")), NotApplicable},
	} {
		if got := unknownOf(fmt.Errorf("asking: %w", c.err)); got.Reason != c.want {
			t.Errorf("%v: %s, want %s", c.err, got.Reason, c.want)
		}
	}
	u := unknownOf(errors.New(strings.Repeat("ä\x1b", 500)))
	if len(u.Detail) > maxDetail || strings.Contains(u.Detail, "\x1b") {
		t.Errorf("detail of %d bytes: %q", len(u.Detail), u.Detail)
	}
}

func TestPrintable(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain, ünïcödé 世界", "plain, ünïcödé 世界"},
		{"\x1b[31mred\x07", "\uFFFD[31mred\uFFFD"},
		{"a\u202eb\u200bc\u2066", "a\uFFFDb\uFFFDc\uFFFD"},
		{"bad \xff utf-8", "bad \uFFFD utf-8"},
		{"a\tb\nc", "a b c"},
		{"\u009b31m", "\uFFFD31m"},
	} {
		if got := Printable(c.in); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzPrintable(f *testing.F) {
	f.Add("a\x1b[0m\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range Printable(s) {
			if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e {
				t.Errorf("%q has %U", s, r)
			}
		}
		if short := shorten(s, 20); len(short) > 20 {
			t.Errorf("%d bytes", len(short))
		}
	})
}
