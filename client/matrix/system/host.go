package system

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Host is the machine whose firewall and interfaces are changed. The zero value
// is this one.
type Host struct {
	// System is the operating system by the name that Go has for it; "" is
	// this one.
	System string
	// Root is a directory that stands for the root of the file system: the
	// programs that are run and the files that are read lie below it. ""
	// is this machine's.
	Root string
	// Index finds the number of an interface, which Windows' commands take
	// where names have letters that a console garbles. Nil asks this machine.
	Index func(name string) (int, error)

	// held is inherited by commands that change something, so that it stays
	// locked while one of them outlives this process.
	held *os.File
}

// commandTime bounds every command. Starting a firewall takes seconds.
const commandTime = time.Minute

func (h *Host) system() string {
	if h.System == "" {
		return runtime.GOOS
	}
	return h.System
}

func (h *Host) index(name string) (int, error) {
	if h.Index != nil {
		return h.Index(name)
	}
	i, err := net.InterfaceByName(name)
	if err != nil {
		return 0, fmt.Errorf("interface %q: %w", name, err)
	}
	return i.Index, nil
}

// directories are where a system keeps the programs used here. PATH is not
// asked: what runs with all privileges should not depend on a shell's settings.
func (h *Host) directories() []string {
	switch h.system() {
	case "windows":
		return []string{systemDirectory()}
	case "darwin":
		return []string{"/sbin", "/usr/sbin", "/usr/libexec/ApplicationFirewall"}
	}
	return []string{"/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/sbin", "/usr/local/bin", "/run/current-system/sw/bin"}
}

// errNoProgram is the cause where a command is not installed.
var errNoProgram = errors.New("no such program here")

func (h *Host) program(name string) (string, error) {
	if h.system() == "windows" {
		name += ".exe"
	}
	for _, dir := range h.directories() {
		path := filepath.Join(h.Root, dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, errNoProgram)
}

func (h *Host) has(program string) bool {
	_, err := h.program(program)
	return err == nil
}

// exists reports whether there is a file or directory of that path.
func (h *Host) exists(path string) bool {
	_, err := os.Stat(filepath.Join(h.Root, path))
	return err == nil
}

// readFile returns a file's text, "" if there is none.
func (h *Host) readFile(path string) (string, error) {
	b, err := os.ReadFile(filepath.Join(h.Root, path))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return string(b), err
}

// A command is a program with its arguments and input.
type command struct {
	name  string
	args  []string
	input []byte
	holds bool // keeps what the host holds locked until it has ended
}

// ask is a command that changes nothing.
func ask(name string, args ...string) command { return command{name: name, args: args} }

// tell is a command that changes something.
func tell(name string, args ...string) command { return command{name: name, args: args, holds: true} }

func (c command) with(input []byte) command {
	c.input = input
	return c
}

// String is the command line.
func (c command) String() string { return strings.Join(append([]string{c.name}, c.args...), " ") }

// answer is what a command printed.
type answer struct{ stdout, stderr []byte }

// run runs a command to its end, in English. A command that fails is an error
// with what it complained about.
func (h *Host) run(ctx context.Context, c command) (answer, error) {
	path, err := h.program(c.name)
	if err != nil {
		return answer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, c.args...)
	cmd.Env = append(cmd.Environ(), "LC_ALL=C", "LANGUAGE=C")
	cmd.Stdin = bytes.NewReader(c.input)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second // a daemon that it started may keep its output open
	ownGroup(cmd)
	if c.holds && h.held != nil {
		inherit(cmd, h.held)
	}
	err = cmd.Run()
	a := answer{stdout.Bytes(), stderr.Bytes()}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	if err != nil {
		return a, fmt.Errorf("%s: %w%s", c, err, complaint(a))
	}
	return a, nil
}

// complaint is the first line of what a command said when it failed.
func complaint(a answer) string {
	for _, b := range [][]byte{a.stderr, a.stdout} {
		if line, _, _ := strings.Cut(strings.TrimSpace(string(b)), "\n"); line != "" {
			return ": " + strings.TrimSpace(line)
		}
	}
	return ""
}

// until asks every 100 ms, for limit at most, whether something has come true.
func until(ctx context.Context, limit time.Duration, come func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !come() {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return true
}
