package sysinfo

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"github.com/safchain/ethtool"
	"golang.org/x/sys/unix"
)

// glinksettings is struct ethtool_link_settings of linux/ethtool.h with room
// for three bit maps. The library's own call has room for fewer link modes
// than newer kernels have, and then falls back to an older one.
type glinksettings struct {
	cmd, speed                                            uint32
	duplex, port, phyAddress, autoneg, mdixSupport, tpMdi uint8
	tpMdixCtrl                                            uint8
	words                                                 int8
	transceiver, masterSlaveCfg, masterSlaveState, rate   uint8
	reserved                                              [7]uint32
	masks                                                 [3 * maxModeWords]uint32
}

// maxModeWords is the most that words, an int8, can ask for.
const maxModeWords = math.MaxInt8

// ifreqData is struct ifreq with a pointer.
type ifreqData struct {
	name [unix.IFNAMSIZ]byte
	data unsafe.Pointer
	_    [24 - unsafe.Sizeof(uintptr(0))]byte
}

func readLinkSettings(name string) (linkSettings, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return linkSettings{}, fmt.Errorf("open socket: %w", err)
	}
	defer unix.Close(fd)
	var s glinksettings
	// The first call tells, as a negative number, how many words a bit map of
	// this kernel has, the second one fills them.
	for range 2 {
		words := -s.words
		s = glinksettings{cmd: unix.ETHTOOL_GLINKSETTINGS, words: words}
		req := ifreqData{data: unsafe.Pointer(&s)}
		copy(req.name[:unix.IFNAMSIZ-1], name)
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&req)))
		runtime.KeepAlive(&s)
		if errno != 0 {
			return linkSettings{}, fmt.Errorf("link settings of %s: %w", name, errno)
		}
	}
	l := linkSettings{Duplex: s.duplex, Port: s.port, AutoNeg: s.autoneg}
	if mbit, ok := knownSpeed(uint64(s.speed)); ok {
		l.Speed = mbit * 1e6
	}
	if n := int(s.words); n > 0 {
		l.Supported = fastestMode(s.masks[:n])
		l.Partner = fastestMode(s.masks[2*n : 3*n])
	}
	return l, nil
}

// withEthtool calls f with an open ethtool handle.
func withEthtool(f func(*ethtool.Ethtool) error) error {
	e, err := ethtool.NewEthtool()
	if err != nil {
		return fmt.Errorf("open ethtool: %w", err)
	}
	defer e.Close()
	return f(e)
}

func driverInfo(name string) (info ethtool.DrvInfo, err error) {
	err = withEthtool(func(e *ethtool.Ethtool) error {
		info, err = e.DriverInfo(name)
		return err
	})
	return info, err
}

// collectLinkSettings asks the driver for what was negotiated.
func collectLinkSettings(_ context.Context, p *probe, r *Record) error {
	name := p.link()
	if name == "" {
		return errNoLink
	}
	kind := kindOfLink(p, name)
	// veth, tun and others without hardware report a constant.
	if kind == KindVirtual || kind == KindTunnel || kind == KindLoopback {
		return because(NotApplicable, "%s has no hardware", name)
	}
	if kind == KindThunderbolt || kind == KindWiFi {
		return because(NotApplicable, "ethtool does not know the speed of %s", kind)
	}
	s, err := readLinkSettings(name)
	if err != nil {
		return err
	}
	p.note("ethtool "+name, s)
	r.Link.describe(s)
	return nil
}

// collectDriver asks which driver an interface has.
func collectDriver(_ context.Context, p *probe, r *Record) error {
	if p.link() == "" {
		return errNoLink
	}
	info, err := driverInfo(p.link())
	if err != nil {
		return fmt.Errorf("driver of %s: %w", p.link(), err)
	}
	p.note("ethtool -i "+p.link(), info)
	if info.Driver != "" {
		r.Link.Driver = &info.Driver
	}
	if info.Version != "" {
		r.Link.DriverVersion = &info.Version
	}
	return nil
}

// collectFeatures reads the offloads of the interface that hands packets to
// the hardware.
func collectFeatures(_ context.Context, p *probe, r *Record) error {
	if p.link() == "" {
		return errNoLink
	}
	var on map[string]bool
	err := withEthtool(func(e *ethtool.Ethtool) (err error) {
		on, err = e.Features(p.link())
		return err
	})
	if err != nil {
		return fmt.Errorf("features of %s: %w", p.link(), err)
	}
	p.note("ethtool -k "+p.link(), on)
	r.Offload = offloadsOf(on)
	return nil
}

// collectRings reads the sizes of the device's queues.
func collectRings(_ context.Context, p *probe, r *Record) error {
	if p.link() == "" {
		return errNoLink
	}
	return withEthtool(func(e *ethtool.Ethtool) error {
		if ring, err := e.GetRing(p.link()); err == nil {
			r.Queue.RingRx, r.Queue.RingTx = new(int64(ring.RxPending)), new(int64(ring.TxPending))
			r.Queue.RingRxMax, r.Queue.RingTxMax = new(int64(ring.RxMaxPending)), new(int64(ring.TxMaxPending))
		} else {
			for _, f := range []string{"ring_rx", "ring_tx", "ring_rx_max", "ring_tx_max"} {
				r.unknown("queue."+f, err)
			}
		}
		if c, err := e.GetCoalesce(p.link()); err == nil {
			r.Queue.CoalesceRx = new(int64(c.RxCoalesceUsecs))
		} else {
			r.unknown("queue.coalesce_rx_us", err)
		}
		if c, err := e.GetChannels(p.link()); err == nil {
			r.Queue.Channels = new(int64(max(c.RxCount, c.TxCount) + c.CombinedCount))
			r.Queue.ChannelsMax = new(int64(max(c.MaxRx, c.MaxTx) + c.MaxCombined))
			// Receive side scaling is what more than one queue is for.
			r.Offload.RSS = new(max(c.RxCount, c.CombinedCount) > 1)
		} else {
			r.unknown("queue.channels", err)
			r.unknown("queue.channels_max", err)
			r.unknown("offload.rss", err)
		}
		return nil
	})
}

// collectPause reads whether the link may be paused or sleep between packets.
func collectPause(_ context.Context, p *probe, r *Record) error {
	if p.link() == "" {
		return errNoLink
	}
	err := withEthtool(func(e *ethtool.Ethtool) error {
		pause, err := e.GetPause(p.link())
		if err == nil {
			r.Link.FlowControl = new(pause.RxPause != 0 || pause.TxPause != 0)
		}
		return err
	})
	if err != nil {
		r.unknown("link.flow_control", fmt.Errorf("pause of %s: %w", p.link(), err))
	}
	eee, err := readEEE(p.link())
	if err != nil {
		r.unknown("link.energy_efficient_ethernet", err)
		return nil
	}
	r.Link.EEE = &eee
	return nil
}

// readEEE asks whether Energy Efficient Ethernet is active: struct
// ethtool_eee of linux/ethtool.h, all of 32-bit words.
func readEEE(name string) (bool, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return false, fmt.Errorf("open socket: %w", err)
	}
	defer unix.Close(fd)
	const active = 4 // cmd, supported, advertised, partner's, active
	eee := [10]uint32{unix.ETHTOOL_GEEE}
	req := ifreqData{data: unsafe.Pointer(&eee)}
	copy(req.name[:unix.IFNAMSIZ-1], name)
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&req)))
	runtime.KeepAlive(&eee)
	if errno != 0 {
		return false, fmt.Errorf("EEE of %s: %w", name, errno)
	}
	return eee[active] != 0, nil
}
