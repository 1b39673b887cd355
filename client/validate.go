package client

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"syscall"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/session"
	"linkperf/protocol/sockopt"
	"linkperf/protocol/stream"
)

// ErrNoHost says that [Config] names no server.
var ErrNoHost = errors.New("the name of the server is empty")

// Validate reports the first field, in iperf3's order, that no test can be made
// of. The error holds a *protocol.Error with iperf3's number, but for
// [ErrNoHost], which iperf3 finds out when it connects and comes last.
func (c *Config) Validate() error {
	for _, check := range []struct {
		ok   bool
		code protocol.Code
	}{
		{between(c.Port, 0, 65535) && between(c.LastPort, 0, 65535), protocol.CodeBadPort},
		{between(c.ClientPort, 0, 65535), protocol.CodeBadPort},
		{c.ClientPort == 0 || c.ClientPort+c.streams()-1 <= 65535, protocol.CodeBadPort}, // each stream has the next one
		{c.Interval == 0 || c.Interval >= 100*time.Millisecond && c.Interval <= time.Minute, protocol.CodeInterval},
		{!c.Reverse || !c.Bidirectional, protocol.CodeReverseBidir},
		{wholeSeconds(c.Time, protocol.MaxTime), protocol.CodeDuration},
		{between(c.Parallel, 0, protocol.MaxStreams), protocol.CodeNumStreams},
		{c.Bytes >= 0 && c.Blocks >= 0, protocol.CodeEndConditions},
		{between(c.Window, 0, protocol.MaxWindow), protocol.CodeBufSize},
		{between(c.MSS, 0, protocol.MaxMSS), protocol.CodeMSS},
		{between(c.Burst, 0, protocol.MaxBurst), protocol.CodeBurst},
		{between(c.TOS, 0, protocol.MaxTOS), protocol.CodeBadTOS},
		{between(c.FlowLabel, 0, protocol.MaxFlowLabel), protocol.CodeSetFlow},
		{wholeSeconds(c.Omit, protocol.MaxOmit), protocol.CodeOmit},
		{cpuIndex(c.Affinity) && cpuIndex(c.ServerAffinity), protocol.CodeAffinity},
		{c.PacingTimer >= 0, protocol.CodeUnitVal},
		{c.ReceiveTimeout >= 0, protocol.CodeRcvTimeout},
		{c.SendTimeout >= 0, protocol.CodeSndTimeout},
		{c.ControlKeepalive == nil || c.ControlKeepalive.Valid(), protocol.CodeCntlKA},
		{c.authOK(), protocol.CodeSetClientAuth},
		{c.ReceiveTimeout == 0 || c.receives(), protocol.CodeRvrsOnlyRcvTimeout},
		{!c.ZeroCopy || sockopt.Supported(sockopt.Sendfile), protocol.CodeNoSendfile},
		{!c.SkipRxCopy || c.Reverse || sockopt.Supported(sockopt.SkipRxCopy), protocol.CodeRvrsOnlySkipRxCopy},
		{c.File == "" || c.Transport != protocol.UDP, protocol.CodeUDPFileTransfer},
	} {
		if !check.ok {
			return c.say(check.code)
		}
	}
	if c.File != "" && c.Bidirectional {
		return protocol.NewError(protocol.CodeFile, fmt.Errorf("%s would be read and overwritten at once (-F with --bidir)", c.File))
	}
	if err := c.validateLength(); err != nil {
		return err
	}
	if ends := count(c.Time > 0 || c.TimeSet, c.Bytes > 0, c.Blocks > 0); ends > 1 {
		return protocol.NewError(protocol.CodeEndConditions, nil)
	}
	switch c.Transport {
	case "", protocol.TCP, protocol.UDP, protocol.SCTP:
	default:
		return c.say(protocol.CodeProtocol)
	}
	if err := c.validateSystem(); err != nil {
		return err
	}
	if name, _ := splitHost(c.Host); name == "" {
		return ErrNoHost
	}
	return nil
}

// say makes the error of a field. iperf3's texts are about what its command line
// takes; where a field can hold more, they say too little.
func (c *Config) say(code protocol.Code) error {
	why := ""
	switch {
	case code == protocol.CodeDuration && c.Time%time.Second != 0:
		why = fmt.Sprintf("Time takes whole seconds, not %v", c.Time)
	case code == protocol.CodeOmit && c.Omit%time.Second != 0:
		why = fmt.Sprintf("Omit takes whole seconds, not %v", c.Omit)
	case code == protocol.CodeEndConditions && (c.Bytes < 0 || c.Blocks < 0):
		why = "Bytes and Blocks cannot be negative"
	case code == protocol.CodeUnitVal:
		return &protocol.Error{Code: code, Arg: fmt.Sprintf("PacingTimer %d", c.PacingTimer)}
	case code == protocol.CodeProtocol:
		why = fmt.Sprintf("Transport %q; allowed are %q, %q and %q", c.Transport, protocol.TCP, protocol.UDP, protocol.SCTP)
	}
	err := protocol.NewError(code, nil)
	if why == "" {
		return err
	}
	return &hintError{err, why}
}

// validateSystem refuses what this system cannot do, before anything is opened.
func (c *Config) validateSystem() error {
	for _, need := range []struct {
		wanted  bool
		feature sockopt.Feature
		what    string
		code    protocol.Code
	}{
		{c.Transport == protocol.SCTP, sockopt.SCTP, "SCTP", protocol.CodeNoSCTP},
		{c.MPTCP, sockopt.MPTCP, "Multipath TCP", protocol.CodeUnimp},
		{c.Affinity != nil, sockopt.Affinity, "CPU affinity", protocol.CodeAffinity},
		{c.FlowLabel > 0, sockopt.FlowLabels, "an IPv6 flow label", protocol.CodeSetFlow},
		{c.Congestion != "", sockopt.Congestions, "the choice of a congestion control algorithm", protocol.CodeUnimp},
		{c.FQRate > 0, sockopt.Pacing, "pacing by the kernel", protocol.CodeUnimp},
		{c.BindDevice != "", sockopt.BindDevice, "binding to an interface", protocol.CodeBindDevNoSupport},
		{c.DontFragment && c.Transport == protocol.UDP, sockopt.DontFragment, "the DF bit", protocol.CodeSetDontFragment},
		{c.SendTimeout > 0, sockopt.UserTimeout, "TCP_USER_TIMEOUT", protocol.CodeSetUserTimeout},
	} {
		if need.wanted && !sockopt.Supported(need.feature) {
			return protocol.NewError(need.code, fmt.Errorf("%s on %s: %w", need.what, runtime.GOOS, errors.ErrUnsupported))
		}
	}
	return nil
}

// tryKernel finds out before anything is sent that this host's kernel has no
// SCTP, although its system can have it. The data connections would fail for
// that only after the server has prepared the test.
func (c *Config) tryKernel() error {
	if c.Transport != protocol.SCTP {
		return nil
	}
	ask := c.kernelSCTP
	if ask == nil {
		ask = openSCTP
	}
	if err := ask(); errors.Is(err, syscall.EPROTONOSUPPORT) {
		return &hintError{protocol.NewError(protocol.CodeNoSCTP, err), "SCTP: this host's kernel has none; its module is sctp"}
	}
	return nil
}

func openSCTP() error {
	anywhere := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 0)
	l, err := stream.ListenSCTP(context.Background(), anywhere, sockopt.Options{}, nil, protocol.Cookie{})
	if err == nil {
		_ = l.Close()
	}
	return err
}

func (c *Config) validateLength() error {
	switch {
	case c.Length == 0:
		return nil
	case c.Transport == protocol.UDP && !between(c.Length, protocol.MinUDPLength, protocol.MaxUDPLength):
		return protocol.NewError(protocol.CodeUDPBlockSize, nil)
	case !between(c.Length, 1, protocol.MaxLength):
		return protocol.NewError(protocol.CodeBlockSize, nil)
	}
	return nil
}

func (c *Config) authOK() bool {
	given := count(c.Username != "", c.Password != "", c.PublicKey != nil)
	return given == 0 || given == 3
}

// streams is how many data connections the test has.
func (c *Config) streams() int {
	n := max(c.Parallel, 1)
	if c.Bidirectional {
		n *= 2
	}
	return n
}

func (c *Config) sends() bool    { return !c.Reverse }
func (c *Config) receives() bool { return c.Reverse || c.Bidirectional }

func between(n, least, most int) bool { return least <= n && n <= most }

func wholeSeconds(d time.Duration, most int) bool {
	return d >= 0 && d <= time.Duration(most)*time.Second && d%time.Second == 0
}

func cpuIndex(n *int) bool { return n == nil || between(*n, 0, protocol.MaxServerAffinity) }

func count(conditions ...bool) (n int) {
	for _, c := range conditions {
		if c {
			n++
		}
	}
	return n
}

// settle returns the configuration with its defaults filled in, as far as they
// are known before there is a connection.
func (c Config) settle() (Config, error) {
	if err := c.Validate(); err != nil {
		return c, err
	}
	if err := c.tryKernel(); err != nil {
		return c, err
	}
	if c.Port == 0 {
		c.Port = DefaultPort
	}
	c.LastPort = max(c.LastPort, c.Port)
	if c.Transport == "" {
		c.Transport = protocol.TCP
	}
	c.Parallel = max(c.Parallel, 1)
	if c.Interval == 0 && !c.IntervalSet {
		c.Interval = DefaultInterval
	}
	if c.ReceiveTimeout == 0 {
		c.ReceiveTimeout = DefaultReceiveTimeout
	}
	if c.Rate == 0 && !c.RateSet && c.Transport == protocol.UDP {
		c.Rate = DefaultUDPRate
	}
	if c.PacingTimer == 0 {
		c.PacingTimer = protocol.DefaultPacingTimer
	}
	if c.File != "" && c.sends() && c.Time == 0 && !c.TimeSet && c.Bytes == 0 && c.Blocks == 0 {
		if info, err := os.Stat(c.File); err == nil {
			c.Bytes = info.Size()
		}
	}
	if c.Time == 0 && !c.TimeSet && c.Bytes == 0 && c.Blocks == 0 {
		c.Time = DefaultTime
	}
	return c, nil
}

// params returns what is asked of the server. mss is the maximum segment size of
// the control connection in bytes, 0 if unknown.
func (c *Config) params(mss int) (protocol.Params, error) {
	p := protocol.Params{
		Transport:        c.Transport,
		Omit:             int(c.Omit / time.Second),
		Time:             int(c.Time / time.Second),
		Bytes:            c.Bytes,
		Blocks:           c.Blocks,
		MSS:              c.MSS,
		NoDelay:          c.NoDelay,
		Parallel:         c.Parallel,
		Reverse:          c.Reverse,
		Bidirectional:    c.Bidirectional,
		MPTCP:            c.MPTCP,
		Window:           c.Window,
		Length:           c.Length,
		Rate:             c.Rate,
		FQRate:           c.FQRate,
		PacingTimer:      c.PacingTimer,
		Burst:            c.Burst,
		TOS:              c.TOS,
		FlowLabel:        c.FlowLabel,
		Title:            c.Title,
		ExtraData:        c.ExtraData,
		Congestion:       c.Congestion,
		GetServerOutput:  c.GetServerOutput,
		UDPCounters64:    c.UDPCounters64,
		RepeatingPayload: c.RepeatingPayload,
		ZeroCopy:         c.ZeroCopy,
		DontFragment:     c.DontFragment,
		SkipRxCopy:       c.SkipRxCopy,
		ServerAffinity:   c.ServerAffinity,
		Linkperf:         session.Marker(c.Version),
	}
	if p.Length == 0 {
		p.Length = p.Transport.DefaultLength()
		if p.Transport == protocol.UDP && between(mss, protocol.MinUDPLength, protocol.MaxUDPLength) {
			p.Length = mss
		}
	}
	if p.Transport == protocol.UDP {
		p.GSO, p.GRO = c.GSRO, c.GSRO
	}
	if c.PublicKey == nil {
		return p, nil
	}
	token, err := protocol.EncryptToken(c.Username, c.Password, time.Now(), c.PublicKey, c.PKCS1Padding)
	if err != nil {
		return p, protocol.NewError(protocol.CodeSetClientAuth, err)
	}
	p.AuthToken = token
	return p, nil
}
