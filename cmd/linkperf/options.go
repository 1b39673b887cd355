package main

import (
	"math"
	"slices"
	"strings"
	"time"

	"linkperf/protocol"
	"linkperf/report"
)

// Limits of iperf3's option values.
const (
	maxSeconds  = 86400
	maxOmit     = 600
	maxBurst    = 1000
	maxParallel = 128
	maxMSS      = 32767
	maxWindow   = 512 << 20
	maxLength   = 1 << 20
	maxCPU      = 1024
	maxLabel    = 1<<20 - 1
)

// allowedRates is what --bitrate and its older name allow.
const allowedRates = "0 to 18446744T bits per second; after a slash 1 to 1000 blocks"

// options is every option there is.
var options = slices.Concat(iperf3Options, ourOptions)

// iperf3Options are iperf3's, in the order in which it lists the candidates for
// an ambiguous name.
var iperf3Options = []option{
	{long: "port", short: "p", takes: required, placeholder: "PORT", allowed: "1 to 65535",
		help: "TCP port of the server (5201); also the port of all data",
		set: func(s *settings, v string) (err error) {
			s.client.Port, err = within(v, 1, math.MaxUint16, protocol.CodeBadPort)
			s.server.Port = s.client.Port
			return err
		}},
	{long: "format", short: "f", takes: required, placeholder: "LETTER",
		help: "unit of bit rates: k, m, g, t for bits, K, M, G, T for bytes",
		set: func(s *settings, v string) error {
			if v == "" || !strings.Contains("kmgtKMGT", v[:1]) {
				return protocol.NewError(protocol.CodeBadFormat, nil)
			}
			s.report.Format = v[0]
			return nil
		}},
	{long: "interval", short: "i", takes: required, placeholder: "SECONDS", allowed: "0, and 0.1 to 60 seconds",
		help: "time between reports, 0.1 to 60 (1); 0 for one report at the end",
		set: func(s *settings, v string) error {
			seconds := atof(v)
			s.client.Interval, s.client.IntervalSet = duration(seconds), true
			s.server.Interval, s.server.IntervalSet = duration(seconds), true
			return check(seconds == 0 || seconds >= 0.1 && seconds <= 60, protocol.CodeInterval)
		}},
	{long: "daemon", short: "D", who: serverOnly, needs: background,
		help: "run in the background once the port is open",
		set:  func(s *settings, _ string) error { s.daemon = true; return nil }},
	{long: "one-off", short: "1", who: serverOnly,
		help: "end after one test",
		set:  func(s *settings, _ string) error { s.server.OneOff = true; return nil }},
	{long: "verbose", short: "V",
		help: "more detail in text",
		set:  func(s *settings, _ string) error { s.report.Verbose = true; return nil }},
	{long: "json", short: "J",
		help: "one JSON document per test instead of text",
		set: func(s *settings, _ string) error {
			if s.report.Kind == report.Text {
				s.report.Kind = report.JSON
			}
			return nil
		}},
	{long: "json-stream",
		help: "one JSON object per line, as things happen",
		set:  func(s *settings, _ string) error { s.report.Kind = report.JSONStream; return nil }},
	{long: "json-stream-full-output",
		help: "with --json-stream, add the whole document at the end",
		set:  func(s *settings, _ string) error { s.report.FullOutput = true; return nil }},
	{long: "version", short: "v",
		help: "print the version and the features of this system",
		set:  func(*settings, string) error { return errVersion }},
	{long: "server", short: "s",
		help: "be a server",
		set: func(s *settings, _ string) error {
			if s.role == clientRole {
				return protocol.NewError(protocol.CodeServClient, nil)
			}
			s.role = serverRole
			return nil
		}},
	{long: "client", short: "c", takes: required, placeholder: "HOST[%DEV]",
		help: "be a client of that server; %DEV is --bind-dev, or an address's scope",
		set: func(s *settings, v string) error {
			if s.role == serverRole {
				return protocol.NewError(protocol.CodeServClient, nil)
			}
			s.role = clientRole
			return s.onDevice(v, &s.client.Host)
		}},
	{long: "udp", short: "u", who: clientOnly,
		help: "send UDP instead of TCP",
		set:  func(s *settings, _ string) error { s.client.Transport = protocol.UDP; return nil }},
	{long: "bitrate", short: "b", takes: required, placeholder: "RATE[/BURST]", who: clientOnly, allowed: allowedRates,
		help: "bits per second of each stream, 0 for no limit (UDP 1M, else no limit);\nafter a slash, the number of blocks sent at once, up to 1000",
		set:  setBitrate},
	{long: "bandwidth", takes: required, who: clientOnly, alias: "bitrate", allowed: allowedRates, set: setBitrate},
	{long: "server-bitrate-limit", takes: required, placeholder: "RATE[/SECONDS]", who: serverOnly, allowed: "0 to 18446744T bits per second; after a slash 0, and 0.1 to 60 seconds",
		help: "largest sum of all streams of a test, in bits per second (no limit);\nafter a slash, the time over which the mean is taken, 0.1 to 60 (5)",
		set: func(s *settings, v string) (err error) {
			limit, average, given := strings.Cut(v, "/")
			if given {
				seconds := atof(average)
				s.server.BitrateAverage = duration(seconds)
				if err := check(seconds == 0 || seconds >= 0.1 && seconds <= 60, protocol.CodeTotalInterval); err != nil {
					return err
				}
			}
			s.server.BitrateLimit, err = rate(limit)
			return err
		}},
	{long: "server-max-duration", takes: required, placeholder: "SECONDS", who: serverOnly, allowed: "0 to 86400 seconds",
		help: "refuse tests that would take longer, and those without an end (no limit)",
		set: func(s *settings, v string) (err error) {
			s.server.MaxDuration, err = seconds(v, 0, maxSeconds, protocol.CodeDuration)
			return err
		}},
	{long: "time", short: "t", takes: required, placeholder: "SECONDS", who: clientOnly, allowed: "0 to 86400 seconds",
		help: "length of the test, up to 86400 (10); 0 until interrupted",
		set: func(s *settings, v string) (err error) {
			s.client.Time, err = seconds(v, 0, maxSeconds, protocol.CodeDuration)
			s.client.TimeSet = true
			return err
		}},
	{long: "bytes", short: "n", takes: required, placeholder: "SIZE", who: clientOnly, allowed: "0 to 8388607T bytes",
		help: "end after so many bytes on all streams together, not after a time",
		set:  func(s *settings, v string) (err error) { s.client.Bytes, err = size(v); return err }},
	{long: "blockcount", short: "k", takes: required, placeholder: "COUNT", who: clientOnly, allowed: "0 to 8388607T blocks",
		help: "end after so many blocks or datagrams",
		set:  func(s *settings, v string) (err error) { s.client.Blocks, err = size(v); return err }},
	{long: "length", short: "l", takes: required, placeholder: "SIZE", who: clientOnly, allowed: "0 to 1M bytes",
		help: "bytes of one block or datagram (TCP 128K, SCTP 64K, UDP as fits the path)",
		set: func(s *settings, v string) error {
			n, err := quantity(v, sizeBase)
			if err != nil {
				return err
			}
			n = math.Trunc(n)
			s.client.Length = int(min(n, maxLength))
			return check(n >= 0 && n <= maxLength, protocol.CodeBlockSize)
		}},
	{long: "parallel", short: "P", takes: required, placeholder: "COUNT", who: clientOnly, allowed: "1 to 128",
		help: "streams in each direction, 1 to 128 (1)",
		set: func(s *settings, v string) (err error) {
			s.client.Parallel, err = within(v, 1, maxParallel, protocol.CodeNumStreams)
			return err
		}},
	{long: "reverse", short: "R", who: clientOnly,
		help: "the server sends and the client receives",
		set: func(s *settings, _ string) error {
			s.client.Reverse = true
			return check(!s.client.Bidirectional, protocol.CodeReverseBidir)
		}},
	{long: "bidir", who: clientOnly,
		help: "both directions at once, on separate streams",
		set: func(s *settings, _ string) error {
			s.client.Bidirectional = true
			return check(!s.client.Reverse, protocol.CodeReverseBidir)
		}},
	{long: "window", short: "w", takes: required, placeholder: "SIZE", who: clientOnly, allowed: "0 to 512M bytes",
		help: "socket buffers of the data connections, on both sides",
		set: func(s *settings, v string) error {
			n, err := quantity(v, sizeBase)
			if err != nil {
				return err
			}
			s.client.Window = int(min(n, maxWindow))
			return check(n >= 0 && n <= maxWindow, protocol.CodeBufSize)
		}},
	{long: "bind", short: "B", takes: required, placeholder: "HOST[%DEV]",
		help: "local address of all connections; %DEV is --bind-dev",
		set: func(s *settings, v string) error {
			err := s.onDevice(v, &s.client.Bind)
			s.server.Bind = s.client.Bind
			return err
		}},
	{long: "bind-dev", takes: required, placeholder: "DEV", needs: bindDevice,
		help: "network interface of all connections",
		set: func(s *settings, v string) error {
			s.client.BindDevice, s.server.BindDevice = v, v
			return nil
		}},
	{long: "cport", takes: required, placeholder: "PORT", allowed: "1 to 65535",
		help: "local port of the client's first stream; the others follow",
		set: func(s *settings, v string) (err error) {
			s.client.ClientPort, err = within(v, 1, math.MaxUint16, protocol.CodeBadPort)
			return err
		}},
	{long: "set-mss", short: "M", takes: required, placeholder: "BYTES", who: clientOnly, allowed: "0 to 32767 bytes",
		help: "TCP maximum segment size, up to 32767",
		set: func(s *settings, v string) (err error) {
			s.client.MSS, err = within(v, 0, maxMSS, protocol.CodeMSS)
			return err
		}},
	{long: "no-delay", short: "N", who: clientOnly,
		help: "send small segments at once (TCP_NODELAY)",
		set:  func(s *settings, _ string) error { s.client.NoDelay = true; return nil }},
	{long: "version4", short: "4",
		help: "IPv4 only",
		set:  func(s *settings, _ string) error { s.family(4); return nil }},
	{long: "version6", short: "6",
		help: "IPv6 only",
		set:  func(s *settings, _ string) error { s.family(6); return nil }},
	{long: "tos", short: "S", takes: required, placeholder: "N", who: clientOnly, allowed: "0 to 255",
		help: "IP type of service or IPv6 traffic class of the data, 0 to 255;\ndecimal, octal (064) or hexadecimal (0x34)",
		set: func(s *settings, v string) error {
			n, _, ok := integer(v)
			s.client.TOS = n
			return check(ok && n >= 0 && n <= 255, protocol.CodeBadTOS)
		}},
	{long: "dscp", takes: required, placeholder: "N", who: clientOnly, allowed: "0 to 63, and names such as af11",
		help: "DSCP of the data, 0 to 63 or a name: af11 to af43, cs0 to cs7, ef, va,\nlowdelay, throughput, reliability",
		set:  func(s *settings, v string) (err error) { s.client.TOS, err = dscp(v); return err }},
	{long: "extra-data", takes: required, placeholder: "TEXT", who: clientOnly,
		help: "text to keep in the JSON of both sides",
		set:  func(s *settings, v string) error { s.client.ExtraData, s.report.ExtraData = v, v; return nil }},
	{long: "flowlabel", short: "L", takes: required, placeholder: "N", who: clientOnly, needs: flowLabel, allowed: "1 to 1048575",
		help: "IPv6 flow label of the data (Linux)",
		set: func(s *settings, v string) error {
			n, _, ok := integer(v)
			s.client.FlowLabel = n
			return check(ok && n >= 1 && n <= maxLabel, protocol.CodeSetFlow)
		}},
	{long: "zerocopy", short: "Z", who: clientOnly, needs: sendfile,
		help: "send without copying (sendfile)",
		set:  func(s *settings, _ string) error { s.client.ZeroCopy = true; return nil }},
	{long: "omit", short: "O", takes: required, placeholder: "SECONDS", who: clientOnly, allowed: "0 to 600 seconds",
		help: "run so long before the measured part, up to 600",
		set: func(s *settings, v string) (err error) {
			s.client.Omit, err = seconds(v, 0, maxOmit, protocol.CodeOmit)
			return err
		}},
	{long: "file", short: "F", takes: required, placeholder: "FILE",
		help: "send what is in the file, or write what is received to it",
		set:  func(s *settings, v string) error { s.client.File, s.server.File = v, v; return nil }},
	{long: "repeating-payload", who: clientOnly,
		help: "send repeated digits instead of random bytes",
		set:  func(s *settings, _ string) error { s.client.RepeatingPayload = true; return nil }},
	{long: "timestamps", takes: optional, placeholder: "FORMAT",
		help: "put a time in front of each line, as strftime formats it (\"%c \")",
		set: func(s *settings, v string) error {
			if v == absent {
				v = "%c "
			}
			s.report.Timestamps = v
			return nil
		}},
	{long: "affinity", short: "A", takes: required, placeholder: "CPU[,CPU]", needs: affinity, allowed: "CPUs from 0 to 1024",
		help: "pin this process to a CPU, and a client's server to the second one",
		set:  setAffinity},
	{long: "title", short: "T", takes: required, placeholder: "TEXT", who: clientOnly,
		help: "put the text in front of each line, and in the JSON",
		set:  func(s *settings, v string) error { s.client.Title, s.report.Title = v, v; return nil }},
	{long: "congestion", short: "C", takes: required, placeholder: "NAME", who: clientOnly, needs: congestion,
		help: "TCP congestion control on both sides (Linux, FreeBSD)",
		set:  setCongestion},
	{long: "linux-congestion", takes: required, who: clientOnly, alias: "congestion", needs: congestion, set: setCongestion},
	{long: "sctp", who: clientOnly, needs: sctp,
		help: "send SCTP instead of TCP (Linux)",
		set:  func(s *settings, _ string) error { s.client.Transport = protocol.SCTP; return nil }},
	{long: "nstreams", takes: required, placeholder: "COUNT", who: clientOnly, needs: sctp, allowed: "0 to 65535",
		help: "SCTP streams of each association",
		set: func(s *settings, v string) error {
			n, err := natural(v, sizeBase, math.MaxUint16)
			s.client.SCTPStreams = int(n)
			return err
		}},
	{long: "xbind", short: "X", takes: required, placeholder: "HOST",
		help: "local address of SCTP associations; may be repeated",
		set: func(s *settings, v string) error {
			s.client.XBind = append(s.client.XBind, v)
			s.server.XBind = s.client.XBind
			return nil
		}},
	{long: "pidfile", short: "I", takes: required, placeholder: "FILE",
		help: "write the process id to the file while the program runs",
		set:  func(s *settings, v string) error { s.pidFile = v; return nil }},
	{long: "logfile", takes: required, placeholder: "FILE",
		help: "append reports and errors to the file",
		set:  func(s *settings, v string) error { s.logFile = v; return nil }},
	{long: "forceflush",
		help: "accepted; output is always written line by line",
		set:  func(*settings, string) error { return nil }},
	{long: "get-server-output", who: clientOnly,
		help: "show the server's own report as well",
		set:  func(s *settings, _ string) error { s.client.GetServerOutput = true; return nil }},
	{long: "udp-counters-64bit", who: clientOnly,
		help: "64-bit packet counters in UDP data",
		set:  func(s *settings, _ string) error { s.client.UDPCounters64 = true; return nil }},
	{long: "no-fq-socket-pacing", who: clientOnly,
		help: "old form of --fq-rate 0",
		set: func(s *settings, _ string) error {
			s.client.FQRate = 0
			s.deprecated = true
			return nil
		}},
	{long: "dont-fragment", who: clientOnly, needs: dontFrag,
		help: "forbid fragmentation of UDP over IPv4",
		set:  func(s *settings, _ string) error { s.client.DontFragment = true; return nil }},
	{long: "skip-rx-copy", who: clientOnly,
		help: "receive TCP without copying (MSG_TRUNC)",
		set:  func(s *settings, _ string) error { s.client.SkipRxCopy = true; return nil }},
	{long: "username", takes: required, placeholder: "NAME", who: clientOnly,
		help: "log in; the password comes from IPERF3_PASSWORD or is asked for",
		set:  func(s *settings, v string) error { s.client.Username = v; return nil }},
	{long: "rsa-public-key-path", takes: required, placeholder: "FILE", who: clientOnly,
		help: "the server's public key, for the login",
		set:  func(s *settings, v string) error { s.publicKeyFile = v; return nil }},
	{long: "rsa-private-key-path", takes: required, placeholder: "FILE", who: serverOnly,
		help: "private key, for clients to log in",
		set:  func(s *settings, v string) error { s.privateKeyFile = v; return nil }},
	{long: "authorized-users-path", takes: required, placeholder: "FILE", who: serverOnly,
		help: "users that may log in, one \"name,hash\" a line",
		set:  func(s *settings, v string) error { s.usersFile = v; return nil }},
	{long: "time-skew-threshold", takes: required, placeholder: "SECONDS", who: serverOnly, allowed: "1 to 2147483647 seconds",
		help: "accepted difference between the clocks at a login (10)",
		set: func(s *settings, v string) (err error) {
			s.server.TimeSkew, err = seconds(v, 1, math.MaxInt32, protocol.CodeSkewThreshold)
			return err
		}},
	{long: "use-pkcs1-padding",
		help: "the padding of logins before iperf3 3.17, which is less safe",
		set: func(s *settings, _ string) error {
			s.client.PKCS1Padding, s.server.PKCS1Padding = true, true
			return nil
		}},
	{long: "fq-rate", takes: required, placeholder: "RATE", who: clientOnly, needs: pacing, allowed: "0 to 18446744T bits per second",
		help: "pacing of each stream by the kernel, in bits per second (Linux)",
		set:  func(s *settings, v string) (err error) { s.client.FQRate, err = rate(v); return err }},
	{long: "pacing-timer", takes: required, placeholder: "MICROSECONDS", who: clientOnly, allowed: "0 to 2147483647 microseconds",
		help: "hint for servers before iperf3 3.18 (1000)",
		set: func(s *settings, v string) error {
			n, err := natural(v, sizeBase, math.MaxInt32)
			s.client.PacingTimer = int(n)
			return err
		}},
	{long: "connect-timeout", takes: required, placeholder: "MILLISECONDS", who: clientOnly, allowed: "0 to 2147483647 milliseconds",
		help: "limit for opening the control connection",
		set: func(s *settings, v string) error {
			n, err := natural(v, sizeBase, math.MaxInt32)
			s.client.ConnectTimeout = time.Duration(n) * time.Millisecond
			return err
		}},
	{long: "idle-timeout", takes: required, placeholder: "SECONDS", who: serverOnly, allowed: "1 to 86400 seconds",
		help: "with -1, end when no client came for so long",
		set: func(s *settings, v string) (err error) {
			s.server.IdleTimeout, err = seconds(v, 1, maxSeconds, protocol.CodeIdleTimeout)
			return err
		}},
	{long: "rcv-timeout", takes: required, placeholder: "MILLISECONDS", allowed: "100 to 86400000 milliseconds",
		help: "end a test in which nothing arrives for so long (client 120000, server 8000)",
		set: func(s *settings, v string) error {
			n, err := within(v, 100, maxSeconds*1000, protocol.CodeRcvTimeout)
			s.client.ReceiveTimeout = time.Duration(n) * time.Millisecond
			s.server.ReceiveTimeout = s.client.ReceiveTimeout
			return err
		}},
	{long: "snd-timeout", takes: required, placeholder: "MILLISECONDS", needs: userTimeout, allowed: "0 to 86400000 milliseconds",
		help: "end a test whose TCP data is not acknowledged for so long",
		set: func(s *settings, v string) error {
			n, err := within(v, 0, maxSeconds*1000, protocol.CodeSndTimeout)
			s.client.SendTimeout = time.Duration(n) * time.Millisecond
			s.server.SendTimeout = s.client.SendTimeout
			return err
		}},
	{long: "cntl-ka", takes: optional, placeholder: "IDLE/INTERVAL/COUNT", allowed: "whole seconds up to 32767, likewise, and a count up to 127",
		help: "TCP keepalive of the control connection, in seconds and retries;\neach part may be empty",
		set:  setKeepalive},
	{long: "mptcp", short: "m", needs: multipath,
		help: "Multipath TCP for the data (Linux)",
		set: func(s *settings, _ string) error {
			s.client.MPTCP, s.client.Transport = true, protocol.TCP
			return nil
		}},
	{long: "gsro", who: clientOnly,
		help: "UDP segmentation and receive offload (Linux)",
		set:  func(s *settings, _ string) error { s.client.GSRO = true; return nil }},
	{long: "debug", short: "d", takes: optional, placeholder: "LEVEL", allowed: "1 to 4",
		help: "tell on standard error what happens: 1 errors to 4 everything (4)",
		set: func(s *settings, v string) error {
			if s.debug = atoi(v); v == absent || s.debug < 0 {
				s.debug = 4
			}
			return nil
		}},
	{long: "help", short: "h",
		help: "print this text",
		set:  func(*settings, string) error { return errHelp }},
}
