package sockopt

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Requests to the flow label manager (linux/in6.h, ipv6(7)).
const (
	ipv6FlowLabelMgr = 32
	ipv6FlowInfoSend = 33

	flowLabelGet     = 0   // IPV6_FL_A_GET
	flowLabelCreate  = 1   // IPV6_FL_F_CREATE
	flowLabelForAll  = 255 // IPV6_FL_S_ANY: other sockets may use it too
	flowLabelRequest = 32  // size of struct in6_flowlabel_req
)

// connectFlow leases the label, which the kernel demands of labels that it did
// not choose itself, and connects with it.
func connectFlow(fd uintptr, local, remote netip.AddrPort, label uint32) error {
	var request [flowLabelRequest]byte
	address := remote.Addr().As16()
	copy(request[:], address[:])
	binary.BigEndian.PutUint32(request[16:], label)
	request[20], request[21] = flowLabelGet, flowLabelForAll
	binary.NativeEndian.PutUint16(request[22:], flowLabelCreate)
	if err := unix.SetsockoptString(int(fd), unix.IPPROTO_IPV6, ipv6FlowLabelMgr, string(request[:])); err != nil {
		return os.NewSyscallError("IPV6_FLOWLABEL_MGR", err)
	}
	if err := setInt(fd, unix.IPPROTO_IPV6, ipv6FlowInfoSend, 1); err != nil {
		return os.NewSyscallError("IPV6_FLOWINFO_SEND", err)
	}
	if local.Addr().IsValid() || local.Port() != 0 {
		sa := &unix.SockaddrInet6{Port: int(local.Port())}
		if local.Addr().IsValid() {
			sa.Addr = local.Addr().As16()
		}
		zone, err := zoneIndex(local.Addr())
		if err != nil {
			return err
		}
		sa.ZoneId = zone
		if err := unix.Bind(int(fd), sa); err != nil {
			return os.NewSyscallError("bind", err)
		}
	}
	zone, err := zoneIndex(remote.Addr())
	if err != nil {
		return err
	}
	sa := unix.RawSockaddrInet6{Family: unix.AF_INET6, Addr: address, Scope_id: zone}
	binary.BigEndian.PutUint16((*[2]byte)(unsafe.Pointer(&sa.Port))[:], remote.Port())
	binary.BigEndian.PutUint32((*[4]byte)(unsafe.Pointer(&sa.Flowinfo))[:], label)
	_, _, errno := unix.Syscall(unix.SYS_CONNECT, fd, uintptr(unsafe.Pointer(&sa)), unsafe.Sizeof(sa))
	if errno != 0 && errno != unix.EINPROGRESS && errno != unix.EINTR {
		return os.NewSyscallError("connect", errno)
	}
	return nil
}

func zoneIndex(a netip.Addr) (uint32, error) {
	if a.Zone() == "" {
		return 0, nil
	}
	ifi, err := net.InterfaceByName(a.Zone())
	if err != nil {
		return 0, fmt.Errorf("zone %s: %w", a.Zone(), err)
	}
	return uint32(ifi.Index), nil
}
