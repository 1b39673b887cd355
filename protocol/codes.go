package protocol

import (
	"fmt"
	"strings"
)

// A Code is an iperf3 error number. A server that fails sends it; its text is
// the reader's own. Below 100 are wrong settings, from 100 the control
// connection, from 200 the data streams, from 300 timers.
type Code int32

// The error numbers of iperf3 3.21 and the two that follow it (39, 40), named
// after iperf3's own: IECONNECT is CodeConnect. Code.Text says what each means.
const (
	CodeNone                          Code = 0
	CodeServClient                    Code = 1
	CodeNoRole                        Code = 2
	CodeServerOnly                    Code = 3
	CodeClientOnly                    Code = 4
	CodeDuration                      Code = 5
	CodeNumStreams                    Code = 6
	CodeBlockSize                     Code = 7
	CodeBufSize                       Code = 8
	CodeInterval                      Code = 9
	CodeMSS                           Code = 10
	CodeNoSendfile                    Code = 11
	CodeOmit                          Code = 12
	CodeUnimp                         Code = 13
	CodeFile                          Code = 14
	CodeBurst                         Code = 15
	CodeEndConditions                 Code = 16
	CodeLogFile                       Code = 17
	CodeNoSCTP                        Code = 18
	CodeBind                          Code = 19
	CodeUDPBlockSize                  Code = 20
	CodeBadTOS                        Code = 21
	CodeSetClientAuth                 Code = 22
	CodeSetServerAuth                 Code = 23
	CodeBadFormat                     Code = 24
	CodeReverseBidir                  Code = 25
	CodeBadPort                       Code = 26
	CodeTotalRate                     Code = 27
	CodeTotalInterval                 Code = 28
	CodeSkewThreshold                 Code = 29
	CodeIdleTimeout                   Code = 30
	CodeRcvTimeout                    Code = 31
	CodeRvrsOnlyRcvTimeout            Code = 32
	CodeSndTimeout                    Code = 33
	CodeUDPFileTransfer               Code = 34
	CodeServerAuthUsers               Code = 35
	CodeCntlKA                        Code = 36
	CodeMaxServerTestDurationExceeded Code = 37
	CodeUnitVal                       Code = 38
	CodeRvrsOnlySkipRxCopy            Code = 39
	CodeBadDSCP                       Code = 40

	CodeNewTest                   Code = 100
	CodeInitTest                  Code = 101
	CodeListen                    Code = 102
	CodeConnect                   Code = 103
	CodeAccept                    Code = 104
	CodeSendCookie                Code = 105
	CodeRecvCookie                Code = 106
	CodeCtrlWrite                 Code = 107
	CodeCtrlRead                  Code = 108
	CodeCtrlClose                 Code = 109
	CodeMessage                   Code = 110
	CodeSendMessage               Code = 111
	CodeRecvMessage               Code = 112
	CodeSendParams                Code = 113
	CodeRecvParams                Code = 114
	CodePackageResults            Code = 115
	CodeSendResults               Code = 116
	CodeRecvResults               Code = 117
	CodeSelect                    Code = 118
	CodeClientTerm                Code = 119
	CodeServerTerm                Code = 120
	CodeAccessDenied              Code = 121
	CodeSetNoDelay                Code = 122
	CodeSetMSS                    Code = 123
	CodeSetBuf                    Code = 124
	CodeSetTOS                    Code = 125
	CodeSetCOS                    Code = 126
	CodeSetFlow                   Code = 127
	CodeReuseAddr                 Code = 128
	CodeNonBlocking               Code = 129
	CodeSetWindowSize             Code = 130
	CodeProtocol                  Code = 131
	CodeAffinity                  Code = 132
	CodeDaemon                    Code = 133
	CodeSetCongestion             Code = 134
	CodePIDFile                   Code = 135
	CodeV6Only                    Code = 136
	CodeSetSCTPDisableFrag        Code = 137
	CodeSetSCTPNStream            Code = 138
	CodeSetSCTPBindx              Code = 139
	CodeSetPacing                 Code = 140
	CodeSetBuf2                   Code = 141
	CodeAuthTest                  Code = 142
	CodeBindDev                   Code = 143
	CodeNoMsg                     Code = 144
	CodeSetDontFragment           Code = 145
	CodeBindDevNoSupport          Code = 146
	CodeHostDev                   Code = 147
	CodeSetUserTimeout            Code = 148
	CodePthreadCreate             Code = 150
	CodePthreadCancel             Code = 151
	CodePthreadJoin               Code = 152
	CodePthreadAttrInit           Code = 153
	CodePthreadAttrDestroy        Code = 154
	CodeSetCntlKA                 Code = 155
	CodeSetCntlKAKeepIdle         Code = 156
	CodeSetCntlKAInterval         Code = 157
	CodeSetCntlKACount            Code = 158
	CodePthreadSigMask            Code = 159
	CodeServerTestDurationExpired Code = 160

	CodeCreateStream  Code = 200
	CodeInitStream    Code = 201
	CodeStreamListen  Code = 202
	CodeStreamConnect Code = 203
	CodeStreamAccept  Code = 204
	CodeStreamWrite   Code = 205
	CodeStreamRead    Code = 206
	CodeStreamClose   Code = 207
	CodeStreamID      Code = 208

	CodeNewTimer    Code = 300
	CodeUpdateTimer Code = 301
)

// codeText is the text of a code. With suffix, the reason of the operating
// system follows after a colon.
type codeText struct {
	text   string
	suffix bool
}

var codeTexts = map[Code]codeText{
	CodeNone:                          {"no error", false},
	CodeServClient:                    {"cannot be both server and client", false},
	CodeNoRole:                        {"must either be a client (-c) or server (-s)", false},
	CodeServerOnly:                    {"some option you are trying to set is server only", false},
	CodeClientOnly:                    {"some option you are trying to set is client only", false},
	CodeDuration:                      {"test duration valid values are 0 to 86400 seconds", false},
	CodeNumStreams:                    {"invalid number of parallel streams (min = 1, max = 128)", false},
	CodeBlockSize:                     {"block size too large (maximum = 1048576 bytes)", false},
	CodeBufSize:                       {"socket buffer size too large (maximum = 536870912 bytes)", false},
	CodeInterval:                      {"invalid report interval (min = 0.1, max = 60 seconds)", false},
	CodeMSS:                           {"TCP MSS too large (maximum = 32767 bytes)", false},
	CodeNoSendfile:                    {"this OS does not support sendfile", false},
	CodeOmit:                          {"bogus value for --omit (maximum = 600 seconds)", false},
	CodeUnimp:                         {"an option you are trying to set is not implemented yet", false},
	CodeFile:                          {"unable to open -F file", true},
	CodeBurst:                         {"invalid burst count (maximum = 1000)", false},
	CodeEndConditions:                 {"only one test end condition (-t, -n, -k) may be specified", false},
	CodeLogFile:                       {"unable to open log file", true},
	CodeNoSCTP:                        {"no SCTP support available", false},
	CodeBind:                          {"--bind must be specified to use --cport", false},
	CodeUDPBlockSize:                  {"block size invalid (minimum = 16 bytes, maximum = 65507 bytes)", false},
	CodeBadTOS:                        {"bad TOS value (must be between 0 and 255 inclusive)", false},
	CodeSetClientAuth:                 {"you must specify a username, password, and path to a valid RSA public key", false},
	CodeSetServerAuth:                 {"you must specify a path to a valid RSA private key and a user credential file", false},
	CodeBadFormat:                     {"bad format specifier (valid formats are in the set [kmgtKMGT])", false},
	CodeReverseBidir:                  {"cannot be both reverse and bidirectional", false},
	CodeBadPort:                       {"port number must be between 1 and 65535 inclusive", false},
	CodeTotalRate:                     {"total required bandwidth is larger than server limit", false},
	CodeTotalInterval:                 {"invalid time interval for calculating average data rate", false},
	CodeSkewThreshold:                 {"skew threshold must be a positive number", false},
	CodeIdleTimeout:                   {"idle timeout parameter is not positive or larger than allowed limit", false},
	CodeRcvTimeout:                    {"receive timeout value is incorrect or not in range", true},
	CodeRvrsOnlyRcvTimeout:            {"client receive timeout is valid only in receiving mode", true},
	CodeSndTimeout:                    {"send timeout value is incorrect or not in range", true},
	CodeUDPFileTransfer:               {"cannot transfer file using UDP", false},
	CodeServerAuthUsers:               {"cannot access authorized users file", false},
	CodeCntlKA:                        {"control connection Keepalive period should be larger than the full retry period (interval * count)", true},
	CodeMaxServerTestDurationExceeded: {"client's requested duration exceeds the server's maximum permitted limit", false},
	CodeUnitVal:                       {"invalid unit value or suffix: '%s'", false},
	CodeRvrsOnlySkipRxCopy:            {"this OS does not support --skip-rx-copy", false},
	CodeBadDSCP:                       {"bad DSCP value (numeric: 0-63 inclusive, symbolic: one of [af11-13, af21-23, af31-33, af41-43, cs1-7, ef, va, lowdelay, throughput, reliability])", false},
	CodeNewTest:                       {"unable to create a new test", true},
	CodeInitTest:                      {"test initialization failed", true},
	CodeListen:                        {"unable to start listener for connections", true},
	CodeConnect:                       {"unable to connect to server - server may have stopped running or use a different port, firewall issue, etc.", true},
	CodeAccept:                        {"unable to accept connection from client", true},
	CodeSendCookie:                    {"unable to send cookie to server", true},
	CodeRecvCookie:                    {"unable to receive cookie at server", true},
	CodeCtrlWrite:                     {"unable to write to the control socket", true},
	CodeCtrlRead:                      {"unable to read from the control socket", true},
	CodeCtrlClose:                     {"control socket has closed unexpectedly", false},
	CodeMessage:                       {"received an unknown control message (ensure other side is iperf3 and not iperf)", false},
	CodeSendMessage:                   {"unable to send control message - port may not be available, the other side may have stopped running, etc.", true},
	CodeRecvMessage:                   {"unable to receive control message - port may not be available, the other side may have stopped running, etc.", true},
	CodeSendParams:                    {"unable to send parameters to server", true},
	CodeRecvParams:                    {"unable to receive parameters from client", true},
	CodePackageResults:                {"unable to package results", true},
	CodeSendResults:                   {"unable to send results", true},
	CodeRecvResults:                   {"unable to receive results", true},
	CodeSelect:                        {"select failed", true},
	CodeClientTerm:                    {"the client has terminated", false},
	CodeServerTerm:                    {"the server has terminated", false},
	CodeAccessDenied:                  {"the server is busy running a test. try again later", false},
	CodeSetNoDelay:                    {"unable to set TCP/SCTP NODELAY", true},
	CodeSetMSS:                        {"unable to set TCP/SCTP MSS", true},
	CodeSetBuf:                        {"unable to set socket buffer size", true},
	CodeSetTOS:                        {"unable to set IP TOS", true},
	CodeSetCOS:                        {"unable to set IPv6 traffic class", true},
	CodeSetFlow:                       {"unable to set IPv6 flow label", false},
	CodeReuseAddr:                     {"unable to reuse address on socket", true},
	CodeNonBlocking:                   {"unable to set socket to non-blocking", true},
	CodeSetWindowSize:                 {"unable to set socket window size", true},
	CodeProtocol:                      {"protocol does not exist", false},
	CodeAffinity:                      {"unable to set CPU affinity", true},
	CodeDaemon:                        {"unable to become a daemon", true},
	CodeSetCongestion:                 {"unable to set TCP_CONGESTION: Supplied congestion control algorithm not supported on this host", false},
	CodePIDFile:                       {"unable to write PID file", true},
	CodeV6Only:                        {"Unable to set/reset IPV6_V6ONLY", true},
	CodeSetSCTPDisableFrag:            {"unable to set SCTP_DISABLE_FRAGMENTS", true},
	CodeSetSCTPNStream:                {"unable to set SCTP_INIT num of SCTP streams", true},
	CodeSetPacing:                     {"unable to set socket pacing", true},
	CodeSetBuf2:                       {"socket buffer size not set correctly", false},
	CodeAuthTest:                      {"test authorization failed", false},
	CodeBindDev:                       {"Unable to bind-to-device (check perror, maybe permissions?)", false},
	CodeNoMsg:                         {"idle timeout for receiving data", false},
	CodeSetDontFragment:               {"unable to set IP Do-Not-Fragment flag", false},
	CodeBindDevNoSupport:              {"`<ip>%<dev>` is not supported as system does not support bind to device", false},
	CodeHostDev:                       {"host device name (ip%<dev>) is supported (and required) only for IPv6 link-local address", false},
	CodeSetUserTimeout:                {"unable to set TCP USER_TIMEOUT", true},
	CodePthreadCreate:                 {"unable to create thread", true},
	CodePthreadCancel:                 {"unable to cancel thread", true},
	CodePthreadJoin:                   {"unable to join thread", true},
	CodePthreadAttrInit:               {"unable to create thread attributes", true},
	CodePthreadAttrDestroy:            {"unable to destroy thread attributes", false},
	CodeSetCntlKA:                     {"unable to set socket keepalive (SO_KEEPALIVE) option", true},
	CodeSetCntlKAKeepIdle:             {"unable to set socket keepalive TCP period (TCP_KEEPIDLE) option", true},
	CodeSetCntlKAInterval:             {"unable to set/get socket keepalive TCP retry interval (TCP_KEEPINTVL) option", true},
	CodeSetCntlKACount:                {"unable to set/get socket keepalive TCP number of retries (TCP_KEEPCNT) option", true},
	CodePthreadSigMask:                {"unable to change mask of blocked signals", false},
	CodeServerTestDurationExpired:     {"server test duration expired", true},
	CodeCreateStream:                  {"unable to create a new stream", true},
	CodeInitStream:                    {"unable to initialize stream", true},
	CodeStreamListen:                  {"unable to start stream listener", true},
	CodeStreamConnect:                 {"unable to connect stream", true},
	CodeStreamAccept:                  {"unable to accept stream connection", true},
	CodeStreamWrite:                   {"unable to write to stream socket", true},
	CodeStreamRead:                    {"unable to read from stream socket", true},
	CodeStreamClose:                   {"stream socket has closed unexpectedly", false},
	CodeStreamID:                      {"stream has an invalid id", false},
	CodeNewTimer:                      {"unable to create new timer", true},
	CodeUpdateTimer:                   {"unable to update timer", true},
}

// Text returns iperf3's text for the code, without any reason. Arg is the
// offending value, which only CodeUnitVal shows. A code without a text gives
// "int_errno=N".
func (c Code) Text(arg string) string {
	t, ok := codeTexts[c]
	if !ok {
		return fmt.Sprintf("int_errno=%d", int32(c))
	}
	if c == CodeUnitVal {
		return strings.ReplaceAll(t.text, "%s", arg)
	}
	return t.text
}

// Suffix reports whether ": " and the reason of the operating system follow the
// text, the reason being empty when there is none. It is true for codes without
// a text.
func (c Code) Suffix() bool {
	t, ok := codeTexts[c]
	return !ok || t.suffix
}
