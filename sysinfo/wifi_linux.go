package sysinfo

import (
	"context"
)

const iwProgram = "/usr/sbin/iw"

// collectWiFi describes the radio link, if the path goes over one.
func collectWiFi(ctx context.Context, p *probe, r *Record) error {
	name := p.link()
	if name == "" || kindOfLink(p, name) != KindWiFi {
		return because(NotApplicable, "the path is not Wi-Fi")
	}
	w, err := askWiFi(ctx, p, name)
	if err != nil {
		return err
	}
	r.WiFi = w
	r.Link.SpeedRx, r.Link.SpeedTx = w.RateRx, w.RateTx
	return nil
}

func askWiFi(ctx context.Context, p *probe, name string) (WiFi, error) {
	b, err := p.command(ctx, iwProgram, "dev", name, "link")
	if err != nil {
		return WiFi{}, err
	}
	return parseIWLink(b)
}
