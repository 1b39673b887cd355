package matrix

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"linkperf/client/matrix/lock"
)

// The files of a stored plan. Everything else in the directory is derived.
const (
	PlanFile = "plan.yaml"
	RunsFile = "runs.jsonl"
)

// The states of a run.
const (
	StatusOK      = "ok"
	StatusFailed  = "failed"
	StatusSkipped = "skipped"
)

// Record is what a stored run says of itself under linkperf.run of its
// document.
type Record struct {
	Case        string    `json:"case"`
	Labels      Labels    `json:"labels"`
	Args        []string  `json:"args,omitempty"`   // the client's command line, without host and port
	Server      string    `json:"server,omitempty"` // as the plan names it
	Round       int       `json:"round"`            // below 1: a warm-up round
	Order       int       `json:"order"`
	Warmup      bool      `json:"warmup,omitempty"`
	Interleaved bool      `json:"interleaved"`
	Start       time.Time `json:"start"`
	Status      string    `json:"status"`
	Reason      string    `json:"reason,omitempty"` // of a failed or skipped run
}

// Store keeps the runs of one plan in a directory. Each run is one line, written
// whole and synced before the next run begins. A run that is made again is
// written again: of the lines of one case and round the last one holds.
type Store struct {
	dir  string
	held *os.File // locked while the store is open; nil where files have no locks
	runs *os.File
	done map[string]Record // by case and round, the last one written
}

// ErrExists is returned for a directory that holds runs already.
var ErrExists = errors.New("the directory holds runs already (--resume continues them)")

// ErrChanged is returned for a directory whose runs are not those of its plan.
var ErrChanged = errors.New("the plan was changed after these runs; run the new one in a directory of its own")

// ErrForeign is returned for a directory in which somebody's plan would be
// overwritten.
var ErrForeign = errors.New("this file is not of a stored plan and would be overwritten; choose another directory")

// ErrInUse is returned for a directory whose plan another process is running.
var ErrInUse = errors.New("another linkperf is running the plan of this directory")

// LockFile is locked while a plan is run. It stays behind, empty.
const LockFile = "lock"

// hold keeps other processes from running a plan in the directory until the file
// is released.
func hold(dir string) (*os.File, error) {
	f, ok, err := lock.Try(filepath.Join(dir, LockFile))
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("lock the directory: %w", err)
	case !ok:
		return nil, fmt.Errorf("%s: %w", dir, ErrInUse)
	}
	return f, nil
}

func release(held *os.File) error {
	if held == nil {
		return nil
	}
	return lock.Release(held)
}

// Vacant returns an error that wraps [ErrExists] or [ErrForeign] if [Create]
// would refuse the directory, which need not exist.
func Vacant(dir string) error {
	fi, err := os.Stat(filepath.Join(dir, RunsFile))
	if err == nil && fi.Size() > 0 {
		return fmt.Errorf("%s: %w", dir, ErrExists)
	}
	if name := filepath.Join(dir, PlanFile); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(name); err == nil {
			return fmt.Errorf("%s: %w", name, ErrForeign)
		}
	}
	return nil
}

// Create makes the directory and writes the plan as it will be run.
func Create(dir string, p *Plan) (s *Store, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	held, err := hold(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, release(held))
		}
	}()
	if err := Vacant(dir); err != nil {
		return nil, err
	}
	text, err := p.Marshal()
	if err != nil {
		return nil, err
	}
	if err := writeSynced(filepath.Join(dir, PlanFile), text); err != nil {
		return nil, fmt.Errorf("write the plan: %w", err)
	}
	return open(dir, held)
}

// Resume opens a stored plan and returns it as it was run. A last line that a
// crash left unfinished is not a run and is cut off.
func Resume(dir string) (*Store, *Plan, error) {
	name := filepath.Join(dir, PlanFile)
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, fmt.Errorf("no plan is stored in %s: %w", dir, err)
	}
	p, err := Parse(name, text)
	if err != nil {
		return nil, nil, err
	}
	held, err := hold(dir)
	if err != nil {
		return nil, nil, err
	}
	s, err := open(dir, held)
	if err != nil {
		return nil, nil, errors.Join(err, release(held))
	}
	return s, p, nil
}

func open(dir string, held *os.File) (*Store, error) {
	f, err := os.OpenFile(filepath.Join(dir, RunsFile), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	s := &Store{dir: dir, held: held, runs: f, done: map[string]Record{}}
	if err := s.load(); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return s, nil
}

// load learns which runs are finished and places the file behind the last
// whole line.
func (s *Store) load() error {
	all, err := io.ReadAll(s.runs)
	if err != nil {
		return err
	}
	whole := bytes.LastIndexByte(all, '\n') + 1
	if whole < len(all) {
		if err := s.runs.Truncate(int64(whole)); err != nil {
			return err
		}
	}
	for i, line := range bytes.Split(all[:whole], []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		r, ok := RecordOf(line)
		if !ok {
			return fmt.Errorf("line %d is not a run of a plan", i+1)
		}
		s.done[runKey(r.Case, r.Round)] = r
	}
	_, err = s.runs.Seek(int64(whole), io.SeekStart)
	return err
}

func runKey(id string, round int) string { return fmt.Sprintf("%d %s", round, id) }

// Done reports whether the run of that case and round is on disk with its
// result. One that failed or was skipped is not done.
func (s *Store) Done(step Step) bool {
	return s.last(step).Status == StatusOK
}

// last returns what is on disk of a run; the zero Record for nothing.
func (s *Store) last(step Step) Record {
	return s.done[runKey(step.Case.ID, step.Round)]
}

// Fits returns an error that wraps [ErrChanged] unless every stored run is one
// of the plan's with these cases, made with the same options and the same
// server: others must not be compared.
func (s *Store) Fits(p *Plan, cases []Case) error {
	server := p.withDefaults().Server
	planned := map[string][]string{}
	for _, step := range p.Schedule(cases) {
		planned[runKey(step.Case.ID, step.Round)] = step.Case.Args
	}
	byOrder := func(a, b Record) int { return a.Order - b.Order }
	for _, r := range slices.SortedFunc(maps.Values(s.done), byOrder) {
		args, ok := planned[runKey(r.Case, r.Round)]
		name := fmt.Sprintf("run %d (%s, round %d)", r.Order+1, r.Case, r.Round)
		switch {
		case !ok:
			return fmt.Errorf("%s: %w: %s is not in the plan", s.dir, ErrChanged, name)
		case len(r.Args) > 0 && !slices.Equal(r.Args, args): // earlier versions did not write them
			return fmt.Errorf("%s: %w: %s was made with %s, and the plan says %s", s.dir, ErrChanged, name, strings.Join(r.Args, " "), strings.Join(args, " "))
		case r.Server != "" && r.Server != server: // likewise
			return fmt.Errorf("%s: %w: %s was made with the server %s, and the plan says %s", s.dir, ErrChanged, name, r.Server, server)
		}
	}
	return nil
}

// Dir returns the directory.
func (s *Store) Dir() string { return s.dir }

// Append writes one finished run: the iperf3 document with the record under
// linkperf.run. When it returns nil the run is on disk.
func (s *Store) Append(document json.RawMessage, r Record) error {
	line, err := withRecord(document, r)
	if err != nil {
		return fmt.Errorf("store the run %s: %w", r.Case, err)
	}
	if _, err := s.runs.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("store the run %s: %w", r.Case, err)
	}
	if err := s.runs.Sync(); err != nil {
		return fmt.Errorf("store the run %s: %w", r.Case, err)
	}
	s.done[runKey(r.Case, r.Round)] = r
	return nil
}

// Close closes the files.
func (s *Store) Close() error { return errors.Join(s.runs.Close(), release(s.held)) }

func writeSynced(name string, text []byte) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// RecordOf reads linkperf.run of a document; ok is false if it has none.
func RecordOf(document []byte) (r Record, ok bool) {
	var d struct {
		Linkperf struct {
			Run *Record `json:"run"`
		} `json:"linkperf"`
	}
	if json.Unmarshal(document, &d) != nil || d.Linkperf.Run == nil {
		return Record{}, false
	}
	return *d.Linkperf.Run, true
}

// withRecord returns the document on one line with linkperf.run set, all else
// in its order.
func withRecord(document json.RawMessage, r Record) ([]byte, error) {
	run, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return setKey(document, []string{"linkperf", "run"}, run)
}

// setKey sets a nested key of a JSON object and keeps every other member
// where it is.
func setKey(object json.RawMessage, path []string, value json.RawMessage) ([]byte, error) {
	if len(object) == 0 {
		object = json.RawMessage("{}")
	}
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("not a JSON object: %w", errors.Join(err, json.Unmarshal(object, &map[string]any{})))
	}
	var out bytes.Buffer
	out.WriteByte('{')
	member := func(name string, v []byte) error {
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			return err
		}
		out.Write(quoted)
		out.WriteByte(':')
		return json.Compact(&out, v)
	}
	inner := func(old json.RawMessage) (json.RawMessage, error) {
		if len(path) == 1 {
			return value, nil
		}
		return setKey(old, path[1:], value)
	}
	set := false
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := t.(string) // a key of an object is a string
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, err
		}
		if name == path[0] && !set {
			if v, err = inner(v); err != nil {
				return nil, err
			}
			set = true
		}
		if err := member(name, v); err != nil {
			return nil, err
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if !set {
		v, err := inner(nil)
		if err != nil {
			return nil, err
		}
		if err := member(path[0], v); err != nil {
			return nil, err
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
