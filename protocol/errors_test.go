package protocol_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"linkperf/protocol"
)

func TestRecordedTexts(t *testing.T) {
	b, err := os.ReadFile("testdata/errors.json")
	if err != nil {
		t.Fatal(err)
	}
	var texts []struct {
		Number protocol.Code
		Text   string `json:"text_3.21"`
		Reason bool   `json:"reason_appended"`
	}
	if err := json.Unmarshal(b, &texts); err != nil || len(texts) < 100 {
		t.Fatal(len(texts), err)
	}
	for _, want := range texts {
		if want.Number == protocol.CodeSetSCTPNStream {
			want.Text = strings.TrimSuffix(want.Text, `\n`) // iperf3 breaks the line here
		}
		arg := "x"
		if got := want.Number.Text(arg); got != strings.Replace(want.Text, "%s", arg, 1) {
			t.Errorf("%d: got %q, want %q", want.Number, got, want.Text)
		}
		if want.Number.Suffix() != want.Reason {
			t.Errorf("%d: reason %v, want %v", want.Number, want.Number.Suffix(), want.Reason)
		}
	}
}

func TestErrorText(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	const connect = "unable to connect to server - server may have stopped running or use a different port, firewall issue, etc.: "
	for _, test := range []struct {
		name string
		err  *protocol.Error
		want string
	}{
		{"system error deep inside", protocol.NewError(protocol.CodeConnect, fmt.Errorf("connect to x: %w", refused)), connect + "Connection refused"},
		{"no cause", protocol.NewError(protocol.CodeConnect, nil), connect},
		{"name not found", protocol.NewError(protocol.CodeConnect, &net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}),
			connect + "Name or service not known"},
		{"resolver unreachable", protocol.NewError(protocol.CodeConnect, &net.DNSError{Err: "server misbehaving", IsTemporary: true}),
			connect + "Temporary failure in name resolution"},
		{"resolver slow", protocol.NewError(protocol.CodeConnect, &net.DNSError{Err: "i/o timeout", IsTimeout: true}),
			connect + "Temporary failure in name resolution"},
		{"resolver broken", protocol.NewError(protocol.CodeConnect, &net.DNSError{Err: "cannot unmarshal"}),
			connect + "Non-recoverable failure in name resolution"},
		{"deadline", protocol.NewError(protocol.CodeConnect, os.ErrDeadlineExceeded), connect + "Connection timed out"},
		{"context", protocol.NewError(protocol.CodeConnect, context.DeadlineExceeded), connect + "Connection timed out"},
		{"other cause", protocol.NewError(protocol.CodeRecvResults, errors.New("streams is missing")), "unable to receive results: streams is missing"},
		{"cause that iperf3 does not show", protocol.NewError(protocol.CodeCtrlClose, syscall.ECONNRESET), "control socket has closed unexpectedly"},
		{"argument", &protocol.Error{Code: protocol.CodeUnitVal, Arg: "10X"}, "invalid unit value or suffix: '10X'"},
		{"number of the server", &protocol.Error{Code: protocol.CodeStreamListen, Errno: 93, Remote: true},
			"unable to start stream listener: Protocol not supported"},
		{"unknown number", &protocol.Error{Code: 139}, "int_errno=139: "},
		{"unknown number with reason", &protocol.Error{Code: -7, Errno: 2}, "int_errno=-7: No such file or directory"},
		{"address in use", protocol.NewError(protocol.CodeListen, syscall.EADDRINUSE), "unable to start listener for connections: Address already in use"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.err.Error(); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestServerText(t *testing.T) {
	for _, test := range []struct {
		err  protocol.Error
		want string
	}{
		{protocol.Error{Code: protocol.CodeTotalRate, Remote: true}, "SERVER ERROR - total required bandwidth is larger than server limit"},
		{protocol.Error{Code: protocol.CodeStreamListen, Errno: 93, Remote: true},
			"SERVER ERROR - unable to start stream listener: Protocol not supported, errno: Protocol not supported"},
		{protocol.Error{Code: protocol.CodeServerTestDurationExpired, Remote: true}, "SERVER ERROR - server test duration expired: "},
	} {
		if got := test.err.ServerText(); got != test.want {
			t.Errorf("got  %q\nwant %q", got, test.want)
		}
	}
}

func TestErrnoText(t *testing.T) {
	for number, want := range map[int32]string{0: "", 11: "Resource temporarily unavailable", 104: "Connection reset by peer",
		110: "Connection timed out", 4711: "Unknown error 4711", -1: "Unknown error -1"} {
		if got := protocol.ErrnoText(number); got != want {
			t.Errorf("%d: got %q, want %q", number, got, want)
		}
	}
}

func TestErrorIs(t *testing.T) {
	err := fmt.Errorf("test: %w", protocol.NewError(protocol.CodeAccessDenied, syscall.EPIPE))
	for _, target := range []error{protocol.ErrAccessDenied, protocol.ErrServerBusy, syscall.EPIPE} {
		if !errors.Is(err, target) {
			t.Errorf("is not %v", target)
		}
	}
	if errors.Is(err, protocol.NewError(protocol.CodeConnect, nil)) {
		t.Error("is of every code")
	}
}
