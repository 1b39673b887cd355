package sysinfo

import (
	"encoding/json"
	"strings"
)

// parseNFT reads the output of "nft -j list ruleset", see
// libnftables-json(5).
func parseNFT(b []byte) (ruleset, error) {
	var doc struct {
		NFTables []struct {
			Chain *struct {
				Family, Table, Name, Type, Hook, Policy string
				Dev                                     json.RawMessage
			}
			Map *struct {
				Family, Table, Name string
				Elem                []json.RawMessage
			}
			Rule *struct {
				Family, Table, Chain string
				Expr                 []map[string]json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		return ruleset{}, because(ParseError, "nft: %v", err)
	}
	if doc.NFTables == nil {
		return ruleset{}, notUnderstood("nft", b)
	}
	s := ruleset{make(map[chainID]*chain)}
	maps := make(map[chainID]rule) // what the elements of a named map do
	for _, o := range doc.NFTables {
		if o.Chain != nil {
			s.chains[chainID{o.Chain.Family, o.Chain.Table, o.Chain.Name}] = &chain{
				hook: o.Chain.Hook, nat: o.Chain.Type == "nat", drops: o.Chain.Policy == "drop",
			}
		}
		if o.Map != nil {
			var r rule
			for _, e := range o.Map.Elem {
				r.scan(e, nil)
			}
			maps[chainID{o.Map.Family, o.Map.Table, o.Map.Name}] = r
		}
	}
	for _, o := range doc.NFTables {
		if o.Rule == nil {
			continue
		}
		c := s.chains[chainID{o.Rule.Family, o.Rule.Table, o.Rule.Chain}]
		if c == nil {
			return ruleset{}, because(ParseError, "nft: a rule in an unknown chain")
		}
		var r rule
		named := func(set string) rule { return maps[chainID{o.Rule.Family, o.Rule.Table, set}] }
		for _, e := range o.Rule.Expr {
			r.statement(e, named)
		}
		c.rules = append(c.rules, r)
	}
	return s, nil
}

// statement takes one statement of a rule into account.
func (r *rule) statement(e map[string]json.RawMessage, named func(string) rule) {
	for name, value := range e {
		switch name {
		case "drop", "reject", "queue":
			r.drops = true
		case "jump", "goto":
			var to struct{ Target string }
			if json.Unmarshal(value, &to) == nil {
				r.jumps = append(r.jumps, to.Target)
			}
		case "xt":
			var x struct{ Type, Name string }
			r.opaque = true
			if json.Unmarshal(value, &x) == nil {
				r.extension(x.Name)
			}
		case "match", "vmap":
			r.scan(value, named)
		}
	}
}

// extension is a match or target of iptables.
func (r *rule) extension(name string) {
	r.opaque = true
	switch name {
	case "conntrack", "state", "CT", "MASQUERADE", "SNAT", "DNAT", "REDIRECT":
		r.tracked = true
	case "REJECT", "NFQUEUE", "DROP":
		r.drops = true
	}
}

// maxDepth bounds how deep expressions are followed.
const maxDepth = 32

// scan looks through an expression for verdicts of a map and for questions to
// connection tracking.
func (r *rule) scan(value json.RawMessage, named func(string) rule) {
	var v any
	if json.Unmarshal(value, &v) == nil {
		r.scanValue(v, named, 0)
	}
}

func (r *rule) scanValue(v any, named func(string) rule, depth int) {
	if depth > maxDepth {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			r.scanValue(e, named, depth+1)
		}
	case string:
		// A named verdict map stands as "@name".
		if set, ok := strings.CutPrefix(v, "@"); ok && named != nil {
			m := named(set)
			r.drops, r.jumps = r.drops || m.drops, append(r.jumps, m.jumps...)
		}
	case map[string]any:
		for name, e := range v {
			switch name {
			case "ct":
				r.tracked = true
			case "drop", "queue":
				r.drops = true
			case "jump", "goto":
				if to, ok := e.(map[string]any); ok {
					if target, ok := to["target"].(string); ok {
						r.jumps = append(r.jumps, target)
					}
				}
			}
			r.scanValue(e, named, depth+1)
		}
	}
}
