package sysinfo

import (
	"context"
	"fmt"

	"github.com/vishvananda/netlink"
)

// collectQueue reads the queue discipline at the root of the interface, and
// the rate at which it lets packets out if it is a shaper.
func collectQueue(_ context.Context, p *probe, r *Record) error {
	if p.link() == "" {
		return errNoLink
	}
	link, err := netlink.LinkByName(p.link())
	if err != nil {
		return fmt.Errorf("interface %s: %w", p.link(), err)
	}
	qdiscs, err := netlink.QdiscList(link)
	if err != nil {
		return fmt.Errorf("queue disciplines of %s: %w", p.link(), err)
	}
	p.note("tc qdisc "+p.link(), qdiscs)
	r.unknown("queue.rate_bits_per_second", because(NotApplicable, "no shaper"))
	for _, q := range qdiscs {
		if q.Attrs().Parent == netlink.HANDLE_ROOT {
			r.Queue.Discipline = new(q.Type())
		}
		if rate := rateOf(link, q); rate > 0 && (r.Queue.Rate == nil || rate < *r.Queue.Rate) {
			r.Queue.Rate = &rate
		}
	}
	// A kernel leaves the default of devices that need no queue out.
	if r.Queue.Discipline == nil {
		r.Queue.Discipline = new("noqueue")
	}
	return nil
}

// rateOf is the rate of a shaper in bits per second, 0 if it has none. The
// kernel counts bytes.
func rateOf(link netlink.Link, q netlink.Qdisc) int64 {
	switch q := q.(type) {
	case *netlink.Tbf:
		return int64(q.Rate) * 8
	case *netlink.Netem:
		return int64(q.Rate64) * 8
	case *netlink.Htb:
		return htbRate(link, q)
	}
	return 0
}

// htbRate is the ceiling of the class that unclassified packets get.
func htbRate(link netlink.Link, q *netlink.Htb) int64 {
	classes, err := netlink.ClassList(link, 0)
	if err != nil {
		return 0
	}
	major := q.Attrs().Handle &^ 0xffff
	for _, c := range classes {
		if h, ok := c.(*netlink.HtbClass); ok && h.Attrs().Handle == major|q.Defcls {
			return int64(h.Ceil) * 8
		}
	}
	return 0
}

// queueDrops is how many packets the root discipline has dropped so far.
func queueDrops(link netlink.Link) (int64, error) {
	qdiscs, err := netlink.QdiscList(link)
	if err != nil {
		return 0, fmt.Errorf("queue disciplines: %w", err)
	}
	for _, q := range qdiscs {
		if s := q.Attrs().Statistics; q.Attrs().Parent == netlink.HANDLE_ROOT && s != nil && s.Queue != nil {
			return int64(s.Queue.Drops), nil
		}
	}
	return 0, because(NotSupported, "no counter of drops")
}
