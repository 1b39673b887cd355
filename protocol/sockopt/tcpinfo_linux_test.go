package sockopt

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What a kernel does not tell is unknown, not 0.
func TestTCPInfoOfOldKernels(t *testing.T) {
	ti := unix.TCPInfo{Snd_wnd: 7, Reord_seen: 3}
	for _, c := range []struct {
		name            string
		n               uintptr
		window, reorder int64
	}{
		{"all", unsafe.Sizeof(ti), 7, 3},
		{"no send window (5.3)", unsafe.Offsetof(ti.Snd_wnd), -1, 3},
		{"no reordering (4.18)", unsafe.Offsetof(ti.Reord_seen), -1, -1},
	} {
		if got := tcpInfoOf(&ti, c.n); got.SndWnd != c.window || got.Reorder != c.reorder {
			t.Errorf("%s: window %d, reordering %d; want %d, %d", c.name, got.SndWnd, got.Reorder, c.window, c.reorder)
		}
	}
}
