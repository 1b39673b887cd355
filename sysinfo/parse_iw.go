package sysinfo

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"strings"
)

var (
	iwWidth = regexp.MustCompile(`\b(\d+)MHz\b`)
	iwRate  = regexp.MustCompile(`^([0-9.]+) MBit/s`)
)

// parseIWLink reads the output of "iw dev NAME link". The network's name is
// not kept. With several links (Wi-Fi 7) the first one's frequency is told.
func parseIWLink(b []byte) (WiFi, error) {
	var w WiFi
	text := strings.TrimSpace(string(b))
	if text == "Not connected." {
		return WiFi{State: new("disconnected")}, nil
	}
	if !strings.HasPrefix(text, "Connected to ") {
		return w, notUnderstood("iw link", b)
	}
	w.State = new("connected")
	for line := range bytes.Lines(b) {
		key, value, ok := strings.Cut(strings.TrimSpace(string(line)), ": ")
		if !ok {
			continue
		}
		switch key {
		case "freq":
			if mhz, err := strconv.ParseFloat(value, 64); err == nil && w.Band == nil {
				w.setFrequency(mhz)
			}
		case "signal":
			number, _, _ := strings.Cut(value, " ")
			if dbm, err := strconv.ParseFloat(number, 64); err == nil && !math.IsInf(dbm, 0) && !math.IsNaN(dbm) {
				w.Signal = &dbm
			}
		case "tx bitrate":
			w.RateTx = iwBitrate(value)
			w.setMode(value)
		case "rx bitrate":
			w.RateRx = iwBitrate(value)
		}
	}
	return w, nil
}

func iwBitrate(s string) *int64 {
	m := iwRate.FindStringSubmatch(s)
	if m == nil {
		return nil
	}
	mbit, err := strconv.ParseFloat(m[1], 64)
	if err != nil || mbit <= 0 || mbit > 1e6 {
		return nil
	}
	return new(int64(math.Round(mbit * 1e6)))
}

// setMode takes the standard and the channel width from the words behind a
// bit rate.
func (w *WiFi) setMode(s string) {
	for _, mode := range []struct{ word, name string }{
		{"EHT-MCS", "802.11be"}, {"HE-MCS", "802.11ax"}, {"VHT-MCS", "802.11ac"}, {" MCS", "802.11n"},
	} {
		if strings.Contains(s, mode.word) {
			w.PhyMode = new(mode.name)
			break
		}
	}
	if m := iwWidth.FindStringSubmatch(s); m != nil {
		if n, err := strconv.ParseInt(m[1], 10, 32); err == nil {
			w.ChannelWidth = &n
		}
	}
}

// setFrequency takes band and channel from the channel's frequency, by the
// numbering of IEEE 802.11.
func (w *WiFi) setFrequency(mhz float64) {
	switch {
	case mhz == 2484:
		w.Band, w.Channel = new("2.4"), new(int64(14))
	case mhz > 2400 && mhz < 2484:
		w.Band, w.Channel = new("2.4"), new(int64(mhz-2407)/5)
	case mhz > 5000 && mhz < 5950:
		w.Band, w.Channel = new("5"), new(int64(mhz-5000)/5)
	case mhz >= 5950 && mhz < 7200:
		w.Band, w.Channel = new("6"), new(int64(mhz-5950)/5)
	}
}
