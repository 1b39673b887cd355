package sysinfo

import "slices"

// finishFirewall draws the summary from the layers: on if one on the path is
// on, off if all of them are known to be off, and otherwise unknown for the
// reason of the one that is not known.
func finishFirewall(r *Record) {
	if r.Firewall.State != nil {
		return
	}
	if r.Firewall.Layers == nil {
		if why, ok := r.Why("firewall.layers"); ok {
			r.Unknown["firewall.state"] = why
		}
		return
	}
	state := new(Off)
	var why Unknown
	for _, l := range r.Firewall.Layers {
		if !l.OnPath {
			continue
		}
		switch {
		case l.State == nil:
			state, why = nil, Unknown{l.Reason, l.Name + ": " + l.Detail}
		case *l.State == On:
			r.Firewall.State = new(On)
			delete(r.Unknown, "firewall.state")
			return
		}
	}
	if state == nil {
		r.Unknown["firewall.state"] = why
		return
	}
	r.Firewall.State = state
	delete(r.Unknown, "firewall.state")
}

// addLayers puts the layers that several sources told into one list, each name
// once: of two the one whose state is known.
func addLayers(have, more []Layer) []Layer {
	have = slices.Clone(have)
	for _, l := range more {
		i := slices.IndexFunc(have, func(h Layer) bool { return h.Name == l.Name })
		switch {
		case i < 0:
			have = append(have, l)
		case have[i].State == nil && l.State != nil:
			have[i] = l
		}
	}
	return have
}
