package main

import (
	"math"
	"strings"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
)

func setBitrate(s *settings, v string) (err error) {
	v, burst, given := strings.Cut(v, "/")
	if given {
		if s.client.Burst, err = within(burst, 1, maxBurst, protocol.CodeBurst); err != nil {
			return err
		}
	}
	s.client.Rate, err = rate(v)
	s.client.RateSet = true
	return err
}

func setAffinity(s *settings, v string) error {
	n, _, ok := integer(v)
	s.client.Affinity, s.server.Affinity = &n, &n
	if !ok || n < 0 || n > maxCPU {
		return protocol.NewError(protocol.CodeAffinity, nil)
	}
	_, second, given := strings.Cut(v, ",")
	if !given {
		return nil
	}
	s.hasClientOption = true
	m, err := within(second, 0, maxCPU, protocol.CodeAffinity)
	s.client.ServerAffinity = &m
	return err
}

func setCongestion(s *settings, v string) error {
	s.client.Congestion = v
	return nil
}

func setKeepalive(s *settings, v string) error {
	k := new(measure.Keepalive)
	if v != absent {
		parts := append(strings.SplitN(v, "/", 3), "", "")
		k.Idle, k.Interval, k.Count = atoi(parts[0]), atoi(parts[1]), atoi(parts[2])
	}
	s.client.ControlKeepalive, s.server.ControlKeepalive = k, k
	return check(k.Valid(), protocol.CodeCntlKA)
}

// family restricts both roles to one IP version; the last choice holds.
func (s *settings) family(version int) {
	s.client.IPv4Only, s.client.IPv6Only = version == 4, version == 6
	s.server.IPv4Only, s.server.IPv6Only = version == 4, version == 6
}

// onDevice reads host[%device] into host and the device of both roles.
func (s *settings) onDevice(v string, host *string) error {
	var device string
	if *host, device = splitDevice(v); device == "" {
		return nil
	}
	s.client.BindDevice, s.server.BindDevice = device, device
	return bindDevice.require()
}

func duration(seconds float64) time.Duration {
	return time.Duration(math.Round(seconds * float64(time.Second)))
}

// seconds reads whole seconds.
func seconds(v string, lo, hi int, code protocol.Code) (time.Duration, error) {
	n, err := within(v, lo, hi, code)
	return time.Duration(n) * time.Second, err
}
