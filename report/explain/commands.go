package explain

import (
	"fmt"
	"strings"
	"unicode"
)

// Names that may stand in a command. The name of an interface comes from the
// other end, and people paste commands: nothing that a shell reads as more
// than a word gets into one, and nothing that is an option.

// bareName tells whether a name can stand by itself.
func bareName(name string) bool {
	return named(name, 64, func(r rune) bool { return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) }, "._:@-")
}

// quotedName tells whether a name can stand between quotation marks.
func quotedName(name string) bool {
	return named(name, 128, func(r rune) bool { return unicode.In(r, unicode.L, unicode.N) }, " ._()#*:-")
}

// named tells whether a name of 1 to most characters begins with a word's
// character and goes on with these and others.
func named(name string, most int, word func(rune) bool, others string) bool {
	n := 0
	for _, r := range name {
		if n++; n > most || !word(r) && (n == 1 || !strings.ContainsRune(others, r)) {
			return false
		}
	}
	return n > 0
}

// device is the name of the path's interface for a command, a placeholder if
// it is not known or not fit for one.
func (e *end) device() string {
	for _, n := range []*string{e.Path.Interface, e.Link.Name} {
		if n == nil {
			continue
		}
		if is(e.Host.OS, "windows") {
			if quotedName(*n) {
				return `"` + *n + `"`
			}
		} else if bareName(*n) {
			return *n
		}
	}
	return "INTERFACE"
}

// at says where a command is to be typed.
func (e *end) at(command string) string { return "at the " + e.side + ": " + command }

// setMTU is the command that changes the MTU of the path's interface.
func (e *end) setMTU(n int64) string {
	device := e.device()
	switch or(e.Host.OS, "") {
	case "linux":
		return fmt.Sprintf("sudo ip link set dev %s mtu %d", device, n)
	case "macos":
		return fmt.Sprintf("sudo networksetup -setMTU %s %d (until the next start: sudo ifconfig %s mtu %d)", device, n, device, n)
	case "windows":
		family := "ipv4"
		if or(e.Path.Family, 4) == 6 {
			family = "ipv6"
		}
		return fmt.Sprintf("netsh interface %s set subinterface %s mtu=%d store=persistent (as administrator)", family, device, n)
	case "freebsd", "openbsd", "netbsd", "dragonfly":
		return fmt.Sprintf("sudo ifconfig %s mtu %d", device, n)
	}
	return fmt.Sprintf("set the MTU of the interface to %d", n)
}

// setReceiveBuffer is the command that lets TCP's receive buffer grow to n
// bytes.
func (e *end) setReceiveBuffer(n int64) string {
	switch or(e.Host.OS, "") {
	case "linux":
		return fmt.Sprintf(`sudo sysctl -w net.ipv4.tcp_rmem="4096 131072 %d"`, n)
	case "macos":
		return fmt.Sprintf("sudo sysctl -w net.inet.tcp.autorcvbufmax=%d", n)
	case "freebsd":
		return fmt.Sprintf("sudo sysctl net.inet.tcp.recvbuf_max=%d", n)
	case "windows":
		return "netsh interface tcp set global autotuninglevel=normal (as administrator)"
	}
	return fmt.Sprintf("let the receive buffer grow to %d bytes", n)
}

// setSendBuffer is the command that lets TCP's send buffer grow to n bytes.
func (e *end) setSendBuffer(n int64) string {
	switch or(e.Host.OS, "") {
	case "linux":
		return fmt.Sprintf(`sudo sysctl -w net.ipv4.tcp_wmem="4096 16384 %d"`, n)
	case "macos":
		return fmt.Sprintf("sudo sysctl -w net.inet.tcp.autosndbufmax=%d", n)
	case "freebsd":
		return fmt.Sprintf("sudo sysctl net.inet.tcp.sendbuf_max=%d", n)
	}
	return fmt.Sprintf("let the send buffer grow to %d bytes", n)
}

// setSocketBuffer is the command that lets a socket ask for a receive buffer
// of n bytes.
func (e *end) setSocketBuffer(n int64) string {
	switch or(e.Host.OS, "") {
	case "linux":
		return fmt.Sprintf("sudo sysctl -w net.core.rmem_max=%d", n)
	case "macos", "freebsd":
		return fmt.Sprintf("sudo sysctl -w kern.ipc.maxsockbuf=%d", n)
	}
	return ""
}
