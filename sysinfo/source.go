package sysinfo

import (
	"context"
	"slices"
	"time"
)

// stage is when a source is asked. Sources of a stage run side by side.
type stage int

const (
	ofHost  stage = iota // needs nothing
	ofPath               // needs the data connections; tells the path
	ofLink               // needs the path: its interface, its stack
	during               // read again and again while the test runs, see [Observation]
	onOrder              // only when a caller asks for it by an option
	derived              // never asked: follows from other facts of the record
)

// source is one row of a system's table: which fields of the record it
// answers, and how.
type source struct {
	name    string   // as the record's sources name it
	stage   stage    //
	fields  []string // paths in the record, or groups of them
	parsers []string // the functions that read its answer
	timeout time.Duration
	keep    time.Duration // how long a slow answer may be used again
}

func (s source) answers(path string) bool  { return oneCovers(s.fields, path) }
func (a absence) answers(path string) bool { return oneCovers(a.fields, path) }

func oneCovers(fields []string, path string) bool {
	return slices.ContainsFunc(fields, func(f string) bool { return covers(f, path) })
}

// defaultTimeout is how long a source may take that names no other time.
const defaultTimeout = time.Second

// absence lists fields that a system does not tell at all, with the reason.
type absence struct {
	fields []string
	reason Reason
	detail string
}

// table is everything about one system: its sources, best first where several
// answer one field, and the fields without source.
type table struct {
	sources []source
	absent  []absence
}

// collector asks one source. It sets the fields it learns in r, an empty
// record of its own, and may give reasons for others with r.unknown; an error
// is the reason for all fields of the source that it left nil and unexplained.
// It must come back soon after ctx ends.
type collector func(ctx context.Context, p *probe, r *Record) error

// unknown gives the reason for a field that stays nil.
func (r *Record) unknown(path string, err error) {
	if r.Unknown == nil {
		r.Unknown = make(map[string]Unknown)
	}
	r.Unknown[path] = unknownOf(err)
}

// errNoLink is the reason of facts about an interface where none is known.
var errNoLink = because(NotApplicable, "no interface carries the data")
