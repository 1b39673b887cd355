package stream

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// longGap is the pause between sends from which on a stream sleeps by an alarm
// if its waits do not keep a Go processor.
const longGap = time.Millisecond

// alarm is a timer on which Go's network poller waits, as precise as ppoll(2)
// and not bound to a thread. For long pauses it is cheaper: while a thread
// sleeps in a system call, the scheduler's monitor wakes up every 20 µs at
// first to look after it, which costs a stream of 1 Mbit/s more than its sends.
type alarm struct {
	fd   int
	file *os.File
	buf  [8]byte
}

func newAlarm() (*alarm, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("timerfd: %w", err)
	}
	return &alarm{fd: fd, file: os.NewFile(uintptr(fd), "timerfd")}, nil
}

// set makes the alarm ring after d.
func (a *alarm) set(d time.Duration) error {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(max(int64(d), 1))}
	if err := unix.TimerfdSettime(a.fd, 0, &spec, nil); err != nil {
		return fmt.Errorf("timerfd: %w", err)
	}
	return nil
}

// wait returns when the alarm rings.
func (a *alarm) wait() error {
	if _, err := a.file.Read(a.buf[:]); err != nil {
		return fmt.Errorf("timerfd: %w", err)
	}
	return nil
}

func (a *alarm) close() error { return a.file.Close() }
