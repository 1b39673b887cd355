//go:build unix

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// daemonVariable is set in the environment of a process that is to be the
// daemon. Its descriptor 3 is the pipe on which it tells how it started.
const daemonVariable = "LINKPERF_DAEMON"

// startedByte is what a daemon sends when it has started. Anything else is
// what it had to say before it failed.
const startedByte = 0

// becomeDaemon starts this program again in the background and waits until it
// listens. It returns the exit status for the caller's process; what the
// daemon complains about before it listens goes to stderr.
func becomeDaemon(args []string, stderr io.Writer) int {
	status, err := startDaemon(args, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "iperf3: error - unable to become a daemon: %v\n", err)
		return 1
	}
	return status
}

func startDaemon(args []string, stderr io.Writer) (status int, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	cmd := exec.Command(self)
	cmd.Args = args
	cmd.Env = append(os.Environ(), daemonVariable+"=1")
	cmd.ExtraFiles = []*os.File{w}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start() // with the null device for input and output
	w.Close()
	if err != nil {
		return 0, err
	}
	said, err := io.ReadAll(r)
	if err == nil && len(said) > 0 && said[len(said)-1] == startedByte {
		stderr.Write(said[:len(said)-1])
		return 0, nil
	}
	stderr.Write(said)
	if err = cmd.Wait(); err == nil {
		return 0, nil // a daemon that was told to end before it had started
	}
	return 1, nil
}

// isDaemon reports whether this process is the daemon. If it is, it returns
// what to write complaints to until started is called; from then on they go to
// the null device.
func isDaemon() (stderr io.Writer, started func(), ok bool) {
	if os.Getenv(daemonVariable) == "" {
		return nil, nil, false
	}
	os.Unsetenv(daemonVariable)
	syscall.CloseOnExec(3)
	pipe := &startPipe{file: os.NewFile(3, "start")}
	return pipe, pipe.started, true
}

// A startPipe is the daemon's end of the pipe to the process that started it.
type startPipe struct {
	mu   sync.Mutex
	file *os.File // nil once the daemon has started
}

func (p *startPipe) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == nil {
		return len(b), nil
	}
	return p.file.Write(b)
}

func (p *startPipe) started() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file != nil {
		p.file.Write([]byte{startedByte})
		p.file.Close()
		p.file = nil
	}
}

// alive reports whether there is a process of that id.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || err == syscall.EPERM
}
