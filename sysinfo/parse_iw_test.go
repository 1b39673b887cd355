package sysinfo

import (
	"math"
	"testing"
)

func TestParseIWLink(t *testing.T) {
	w, err := parseIWLink(linuxFixture(t, "wifi/iw-dev-link.wifi7-mlo.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if w.RateTx == nil || *w.RateTx != 4803_800_000 || *w.PhyMode != "802.11be" || *w.ChannelWidth != 320 || *w.Band != "5" || *w.Channel != 48 ||
		*w.Signal != -40 || *w.State != "connected" {
		t.Errorf("Wi-Fi 7: got %+v", w)
	}
	w, err = parseIWLink(linuxFixture(t, "wifi/iw-dev-link.80211n.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if w.RateTx == nil || *w.RateTx != 13_000_000 || *w.PhyMode != "802.11n" || *w.Band != "5" || *w.Channel != 44 || *w.Signal != -59 {
		t.Errorf("Wi-Fi 4: got %+v", w)
	}
	if w.RateRx != nil {
		t.Errorf("a receive rate of %d that the text does not have", *w.RateRx)
	}
	if w, err = parseIWLink([]byte("Not connected.\n")); err != nil || *w.State != "disconnected" || w.RateTx != nil {
		t.Errorf("not connected: got %+v, %v", w, err)
	}
	if _, err = parseIWLink([]byte("command failed: No such device (-19)\n")); err == nil {
		t.Error("no error for a failure")
	}
}

func TestChannelOfFrequency(t *testing.T) {
	for _, c := range []struct {
		mhz     float64
		band    string
		channel int64
	}{{2412, "2.4", 1}, {2472, "2.4", 13}, {2484, "2.4", 14}, {5180, "5", 36}, {5825, "5", 165}, {5955, "6", 1}, {6375, "6", 85}} {
		var w WiFi
		w.setFrequency(c.mhz)
		if w.Band == nil || *w.Band != c.band || *w.Channel != c.channel {
			t.Errorf("%v MHz: got %+v, want %+v", c.mhz, w, c)
		}
	}
}

func FuzzParseIWLink(f *testing.F) {
	f.Add(linuxFixture(f, "wifi/iw-dev-link.wifi7-mlo.txt"))
	f.Add(linuxFixture(f, "wifi/iw-dev-link.80211n.txt"))
	f.Fuzz(func(t *testing.T, b []byte) {
		w, err := parseIWLink(b)
		if err != nil {
			return
		}
		if w.RateTx != nil && *w.RateTx <= 0 || w.Signal != nil && (math.IsNaN(*w.Signal) || math.IsInf(*w.Signal, 0)) {
			t.Errorf("got %+v", w)
		}
	})
}
