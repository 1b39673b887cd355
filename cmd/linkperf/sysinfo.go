package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"strconv"

	"github.com/spf13/pflag"

	"linkperf/client"
	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/sysinfo"
)

// runSysinfo is linkperf sysinfo: the facts of this host, or with a host, of
// the path to it and of its end.
func runSysinfo(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := untilSignal(ctx)
	defer stop()
	flags := pflag.NewFlagSet("linkperf sysinfo", pflag.ContinueOnError)
	asJSON := flags.Bool("json", false, "print the record as JSON")
	raw := flags.String("raw", "", "`DIR` save what the system answered there, without addresses, names and\nserial numbers")
	devices := flags.Bool("devices", false, "list USB, Thunderbolt and storage devices with their speeds")
	redact := flags.Bool("redact", false, "leave out addresses and host names")
	port := client.DefaultPort
	flags.VarP(&wholeNumber{&port, 1, math.MaxUint16}, "port", "p", "`PORT` TCP port of the server on HOST (5201)")
	synopsis := "sysinfo [HOST | HOST:PORT] [options]\n\nWithout HOST the facts of this host; with it those of the path to a server there,\nand of that host if the server is linkperf. An IPv6 address with a port stands in\nbrackets: [ADDRESS]:PORT."
	if status, stop := parseFlags(flags, synopsis, args, stdout, stderr); stop {
		return status
	}
	if err := filled(flags); err != nil {
		return complainOf(err, "sysinfo", stderr)
	}
	if flags.NArg() > 1 {
		return complainOf(fmt.Errorf("one host at most: %q", flags.Args()), "sysinfo", stderr)
	}
	host := ""
	if flags.NArg() == 1 {
		given := port
		var err error
		if host, port, err = splitAddress(flags.Arg(0), given); err != nil {
			return complainOf(err, "sysinfo", stderr)
		}
		if flags.Changed("port") && port != given {
			return complainOf(fmt.Errorf("%q and --port %d name two ports: choose one", flags.Arg(0), given), "sysinfo", stderr)
		}
	}
	options := sysinfo.Options{Tool: "linkperf", Version: version(), HostName: true, Devices: *devices}
	if *raw != "" {
		files, err := sysinfo.SaveRaw(ctx, *raw)
		if err != nil {
			return complainOf(err, "sysinfo", stderr)
		}
		fmt.Fprintf(stderr, "Saved %d files in %s; %s lists them. Please read them before you hand them on.\n", files, *raw, sysinfo.RawIndex)
	}
	var show survey
	if host == "" {
		show = survey{client: sysinfo.Collect(ctx, options)}
	} else {
		show = surveyPath(ctx, host, port, options)
	}
	show.devices = *devices
	if *redact {
		show.redact()
	}
	err := show.write(stdout, *asJSON)
	if err == nil && show.failure != nil {
		err = errors.New(show.note)
	}
	return complainOf(err, "sysinfo", stderr)
}

// A survey is what linkperf sysinfo found out: the record of this end, that of
// the other end if it is linkperf and tells it, and in words how that went.
type survey struct {
	client, server *sysinfo.Record
	note           string
	devices        bool  // those of this end were asked for
	failure        error // no path could be looked at
}

// surveyPath makes the shortest possible test to look at the path.
func surveyPath(ctx context.Context, host string, port int, o sysinfo.Options) survey {
	watch := &lookout{level: sysinfo.Limited, options: o}
	host, device := splitDevice(host)
	cfg := client.Config{
		Host: host, BindDevice: device, Port: port,
		Blocks: 1, Observe: watch.observe, Version: version(),
	}
	var sink measure.Recorder
	_, err := client.Run(ctx, cfg, watch.watched(&sink))
	s := survey{failure: err}
	if r, _ := sink.Result(); r != nil {
		s.client, _ = sysinfo.ParseRecord(r.LocalRecord)
		s.server, _ = sysinfo.ParseRecord(r.PeerRecord)
		switch {
		case r.PeerLinkperf && s.server == nil:
			s.note = "the other end is linkperf and tells nothing about itself"
		case r.PeerLinkperf:
			s.note = "the other end is linkperf " + sysinfo.Printable(r.PeerVersion)
			if s.server.IsLimited() {
				s.note += "; its record is the one for strangers, --sysinfo=full there tells more"
			}
		default:
			s.note = "the other end is iperf3, which tells nothing about itself"
		}
	}
	switch {
	case errors.Is(err, protocol.ErrServerBusy):
		s.note = "the server is busy with another test"
	case err != nil:
		s.note = fmt.Sprintf("no server at %s: %v", net.JoinHostPort(host, strconv.Itoa(port)), err)
	}
	if s.client == nil {
		s.client = sysinfo.Collect(ctx, o)
	}
	return s
}

func (s *survey) redact() {
	for _, r := range []*sysinfo.Record{s.client, s.server} {
		if r != nil {
			r.Redact()
		}
	}
	if s.failure != nil {
		s.note = "no server there"
	}
}

func (s *survey) write(w io.Writer, asJSON bool) error {
	if asJSON {
		return s.writeJSON(w)
	}
	if s.server == nil {
		if s.note != "" && s.failure == nil {
			fmt.Fprintf(w, "%s\n\n", s.note)
		}
		return s.writeOwn(w)
	}
	fmt.Fprintf(w, "%s\n\nThis end:\n", s.note)
	if err := s.writeOwn(w); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nOther end:\n")
	return writeFacts(w, s.server)
}

// writeOwn writes the facts of this end. Devices that were asked for and are not
// there are an answer, too.
func (s *survey) writeOwn(w io.Writer) error {
	err := writeFacts(w, s.client)
	if err != nil || !s.devices || len(s.client.Devices) > 0 {
		return err
	}
	answer := "none"
	if why, unknown := s.client.Why("devices"); unknown {
		answer = orReason(nil, why.Reason)
	}
	_, err = fmt.Fprintf(w, "\nDevices: %s\n", answer)
	return err
}

// writeJSON writes the record, or both in the form that results have.
func (s *survey) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if s.note == "" {
		return e.Encode(s.client)
	}
	return e.Encode(map[string]any{"client": s.client, "server": s.server, "note": s.note})
}
