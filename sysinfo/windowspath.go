package sysinfo

import (
	"fmt"
	"net/netip"
	"slices"
)

// windowsAdapter is one interface of Windows with its addresses.
type windowsAdapter struct {
	ifRow2
	known     bool // IP Helper described it; otherwise only name, MTU and state are known
	Addresses []netip.Prefix
}

func (a windowsAdapter) texts() []string {
	list := []string{}
	for _, p := range a.Addresses {
		list = append(list, p.String())
	}
	return list
}

func (a windowsAdapter) has(addr netip.Addr) bool {
	if addr.Zone() != "" && addr.Zone() != a.Alias {
		return false
	}
	return slices.ContainsFunc(a.Addresses, func(p netip.Prefix) bool {
		return p.Addr().WithZone("") == addr.WithZone("") || addr.IsLoopback() && p.Addr().IsLoopback() && p.Addr().Is4() == addr.Is4()
	})
}

// describe gives the adapter as one of a list.
func (a windowsAdapter) describe() Interface {
	kind, _ := a.kind()
	if !a.known && kind != KindLoopback {
		kind = KindOther
	}
	i := Interface{Name: Printable(a.Alias), Kind: kind, Up: a.Up && a.Connected, Addresses: a.texts()}
	if a.MTU > 0 {
		i.MTU = new(int64(a.MTU))
	} else {
		i.Reason = NotApplicable
	}
	var why error
	if i.SpeedRx, i.SpeedTx, why = a.speed(); why != nil {
		i.Reason = unknownOf(why).Reason
	}
	return i
}

// ownerOfAddress finds the adapter that has an address.
func ownerOfAddress(all []windowsAdapter, a netip.Addr) (windowsAdapter, bool) {
	i := slices.IndexFunc(all, func(w windowsAdapter) bool { return w.has(a) })
	if i < 0 {
		return windowsAdapter{}, false
	}
	return all[i], true
}

// describedWithoutRoute reports whether the path needs no route to be known.
func describedWithoutRoute(remote netip.Addr, all []windowsAdapter) bool {
	_, own := ownerOfAddress(all, remote)
	return own || remote.IsLoopback()
}

// describeWindowsPath says which way the data goes, by the route's interface.
// For an own address the route names the adapter that has it, though nothing
// passes there: the addresses are compared first.
func describeWindowsPath(r *Record, local, remote netip.Addr, all []windowsAdapter, index uint32, gateway netip.Addr) {
	if owner, ok := ownerOfAddress(all, local); ok {
		r.Path.AddressInterface = new(owner.Alias)
	} else {
		r.unknown("path.address_interface", because(NotFound, "no interface has the local address"))
	}
	owner, own := ownerOfAddress(all, remote)
	i := slices.IndexFunc(all, func(a windowsAdapter) bool {
		if own || remote.IsLoopback() {
			return a.Type == ifTypeLoopback
		}
		return a.Index == index
	})
	r.Path.OnLink, r.Path.VLANTags = new(!gateway.IsValid()), new(int64(0))
	r.unknown("path.gateway", because(NotApplicable, "the other end is on the link"))
	if gateway.IsValid() {
		r.Path.Gateway = new(gateway.String())
	}
	var kind, evidence string
	switch {
	case remote.IsLoopback():
		kind, evidence = KindLoopback, "the other end is "+remote.String()
	case own:
		kind, evidence = KindOwnAddress, fmt.Sprintf("%s is an address of this host (%s)", remote, Printable(owner.Alias))
	case i < 0:
		kind, evidence = KindOther, fmt.Sprintf("interface %d of the route is not in the list", index)
	case !all[i].known:
		kind, evidence = KindOther, fmt.Sprintf("%s: IP Helper tells no type", Printable(all[i].Alias))
	default:
		kind, evidence = all[i].kind()
	}
	r.Path.Kind, r.Path.Evidence = &kind, &evidence
	if i < 0 {
		r.unknown("path.interface", because(NotFound, "no such interface"))
		return
	}
	r.Path.Interface, r.Path.Stack = new(all[i].Alias), []string{all[i].Alias}
}
