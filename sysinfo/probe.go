package sysinfo

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// maxOutput bounds what is read of one command or file, in bytes.
const maxOutput = 4 << 20

// Options are what a caller may choose.
type Options struct {
	Tool     string // name of the calling program
	Version  string // its version
	HostName bool   // tell the host's name
	Devices  bool   // list USB, Thunderbolt and storage devices
	Salt     []byte // makes hashed identifiers comparable within one test only, as its cookie
	Cache    *Cache // keeps slow answers from one test to the next; nil keeps none
}

// Conn is one data connection of a test.
type Conn struct {
	Local, Remote netip.AddrPort
	Raw           syscall.RawConn // may be nil: then the kernel is not asked about the socket
	Sender        bool            // this end sends on it
	Transport     string          // "tcp", "udp", "sctp"
}

// probe is what collectors ask through.
type probe struct {
	Options
	root     string // instead of "/" for files, in tests and recordings
	conns    []Conn // empty when there is no test
	path     Path   // known from the link stage on
	recorder *recorder
	// exec runs a command; nil is execute.
	exec func(ctx context.Context, name string, args []string) (stdout, stderr []byte, err error)
}

// link is the interface at the hardware end of the path, route the one that
// the route names. Both are empty when there is no test or no route.
func (p *probe) link() string {
	if n := len(p.path.Stack); n > 0 {
		return p.path.Stack[n-1]
	}
	return p.route()
}

func (p *probe) route() string {
	if p.path.Interface == nil {
		return ""
	}
	return *p.path.Interface
}

// command runs a program given by its absolute path and returns its standard
// output. A program that answers and then exits with a failure gives both its
// output and an error that has its standard error as text.
func (p *probe) command(ctx context.Context, name string, args ...string) ([]byte, error) {
	run := p.exec
	if run == nil {
		run = execute
	}
	stdout, stderr, err := run(ctx, name, args)
	p.recorder.command(name, args, stdout, stderr, err)
	if err != nil && ctx.Err() != nil {
		return nil, because(Timeout, "%s was ended", filepath.Base(name))
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return stdout, commandError(name, exit.ExitCode(), stderr)
	}
	return stdout, err
}

// commandError is the failure of a program, with the reason that its words
// give.
func commandError(name string, code int, stderr []byte) error {
	text := strings.TrimSpace(string(stderr))
	reason := Failed
	for _, word := range []string{"Permission denied", "Operation not permitted", "need to be root", "must be root", "Access is denied"} {
		if strings.Contains(text, word) {
			reason = NoPermission
		}
	}
	return because(reason, "%s: exit status %d: %s", filepath.Base(name), code, text)
}

// execute runs a command without shell, standard input or inherited
// environment, and reads at most maxOutput bytes of each of its outputs.
func execute(ctx context.Context, name string, args []string) (stdout, stderr []byte, err error) {
	if !filepath.IsAbs(name) {
		return nil, nil, because(Failed, "%s is not an absolute path", name)
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = commandEnvironment()
	var out, diag limited
	cmd.Stdout, cmd.Stderr = &out, &diag
	// A grandchild that holds the pipes must not hold us.
	cmd.WaitDelay = 50 * time.Millisecond
	err = cmd.Run()
	return out.kept.Bytes(), diag.kept.Bytes(), err
}

// commandEnvironment is what every command gets: no language, a fixed search
// path, and on Windows the variables without which programs do not start.
func commandEnvironment() []string {
	env := []string{"LC_ALL=C", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"}
	for _, name := range []string{"SystemRoot", "SystemDrive", "windir"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// limited keeps the first maxOutput bytes written to it. The buffer is not
// embedded: its ReadFrom would go around the limit.
type limited struct{ kept bytes.Buffer }

func (l *limited) Write(b []byte) (int, error) {
	if room := maxOutput - l.kept.Len(); room > 0 {
		l.kept.Write(b[:min(len(b), room)])
	}
	return len(b), nil
}

// readFile reads a file such as /proc/stat below the probe's root.
func (p *probe) readFile(name string) ([]byte, error) {
	b, err := readLimited(p.at(name))
	p.recorder.file(name, b, err)
	return b, err
}

// readText is readFile without the white space around the content.
func (p *probe) readText(name string) (string, error) {
	b, err := p.readFile(name)
	return strings.TrimSpace(string(b)), err
}

// at is where a file of the system is found.
func (p *probe) at(name string) string { return filepath.Join("/", p.root, name) }

func readLimited(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxOutput))
}

// note hands an answer that came by a system call to the recorder of raw
// answers, if there is one.
func (p *probe) note(name string, answer any) { p.recorder.note(name, answer) }

// glob lists the files below the probe's root that match, without the root.
func (p *probe) glob(pattern string) []string {
	found, err := filepath.Glob(p.at(pattern))
	if err != nil {
		return nil
	}
	prefix := filepath.Join("/", p.root)
	for i, f := range found {
		if prefix != "/" {
			found[i] = strings.TrimPrefix(f, prefix)
		}
	}
	return found
}

// resolve gives the file that a path with links leads to, below the probe's
// root and without it.
func (p *probe) resolve(name string) (string, error) {
	target, err := filepath.EvalSymlinks(p.at(name))
	if err != nil {
		return "", err
	}
	if prefix := filepath.Join("/", p.root); prefix != "/" {
		target = strings.TrimPrefix(target, prefix)
	}
	return target, nil
}

// readInt reads a file that holds one whole number.
func (p *probe) readInt(name string) (int64, error) {
	s, err := p.readText(name)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, notUnderstood(name, []byte(s))
	}
	return n, nil
}
