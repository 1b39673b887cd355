package main

import (
	"math"
	"strconv"
	"strings"
	"time"

	"linkperf/sysinfo"
)

// defaultRetryBusy is how long --retry-busy without a value waits.
const defaultRetryBusy = 60 * time.Second

// ourOptions are those that iperf3 does not have.
var ourOptions = []option{
	{ours: true, long: "retry-busy", takes: optional, placeholder: "SECONDS", who: clientOnly,
		help: "wait for a busy server, at most so long (60)",
		set: func(s *settings, v string) (err error) {
			s.client.RetryBusy = defaultRetryBusy
			if v != absent {
				s.client.RetryBusy, err = ourSeconds("retry-busy", v)
			}
			return err
		}},
	{ours: true, long: "port-range", takes: required, placeholder: "FIRST-LAST", who: clientOnly,
		help: "try these ports in turn until a server is not busy",
		set: func(s *settings, v string) error {
			first, last, _ := strings.Cut(v, "-")
			a, errA := strconv.ParseUint(first, 10, 16)
			b, errB := strconv.ParseUint(last, 10, 16)
			if errA != nil || errB != nil || a == 0 || b < a {
				return wrongValue("port-range", v, "a range of ports such as 5201-5209")
			}
			s.client.Port, s.client.LastPort = int(a), int(b)
			return nil
		}},
	{ours: true, long: "deadline", takes: required, placeholder: "SECONDS", who: clientOnly,
		help: "end a test that is stuck after so long (time + omit + 30); 0 never",
		set: func(s *settings, v string) (err error) {
			s.client.Deadline, err = ourSeconds("deadline", v)
			if s.client.Deadline == 0 {
				s.client.Deadline = -1
			}
			return err
		}},
	{ours: true, long: "any-port", who: serverOnly,
		help: "listen on a free port and print it",
		set:  func(s *settings, _ string) error { s.server.AnyPort = true; return nil }},
	{ours: true, long: "max-tests", takes: required, placeholder: "COUNT", who: serverOnly,
		help: "tests that may run at once, 1 to 1000 (1)",
		set: func(s *settings, v string) error {
			n, err := strconv.Atoi(v)
			if err != nil || n < 1 || n > 1000 {
				return wrongValue("max-tests", v, "a number from 1 to 1000")
			}
			s.server.MaxTests = n
			return nil
		}},
	{ours: true, long: "addresses", who: serverOnly,
		help: "list the addresses at which this server answers, fastest first",
		set:  func(s *settings, _ string) error { s.addresses = true; return nil }},
	{ours: true, long: "sysinfo", takes: optional, placeholder: "LEVEL",
		help: "what the peer is told about this host: off, limited or full (limited, to\nclients that logged in full); without a level, show the facts in text",
		set: func(s *settings, v string) (err error) {
			if v == absent {
				s.showFacts = true
				return nil
			}
			if s.told, err = sysinfo.ParseLevel(v); err != nil {
				return wrongValue("sysinfo", v, "off, limited or full")
			}
			s.showFacts = s.told != sysinfo.Nothing
			s.blind = !s.showFacts
			return nil
		}},
	{ours: true, long: "csv", takes: required, placeholder: "FILE", who: clientOnly,
		help: "append the result to a table of runs",
		set:  func(s *settings, v string) error { s.csvFile = v; return nil }},
	{ours: true, long: "redact",
		help: "leave addresses and host names out of the facts in the result",
		set:  func(s *settings, _ string) error { s.redact = true; return nil }},
}

// ourSeconds reads the seconds of one of our own options: a whole or decimal
// number up to a year, nothing after it.
func ourSeconds(name, v string) (time.Duration, error) {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || math.IsNaN(n) || n < 0 || n > 365*maxSeconds {
		return 0, wrongValue(name, v, "a number of seconds from 0 to 31536000")
	}
	return duration(n), nil
}
