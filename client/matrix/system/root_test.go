//go:build unix

package system

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A played machine is a copy of testdata/macos or testdata/windows: programs
// that note how they are called and keep a state in files.
type played struct {
	t      *testing.T
	root   string
	config Config
}

func play(t *testing.T, system string, state map[string]string) *played {
	t.Helper()
	p := &played{t: t, root: t.TempDir()}
	source := map[string]string{"darwin": "testdata/macos", "windows": "testdata/windows", "linux": "testdata/linux"}[system]
	err := filepath.WalkDir(source, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(p.root, strings.TrimPrefix(path, source))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, info.Mode())
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range state {
		p.put(name, value)
	}
	dir := t.TempDir()
	p.config = Config{
		Host:    Host{System: system, Root: p.root, Index: func(string) (int, error) { return 12, nil }},
		Journal: filepath.Join(dir, "journal"),
		Lock:    filepath.Join(dir, "lock"),
	}
	return p
}

// put sets a file of the machine's state.
func (p *played) put(name, value string) {
	p.t.Helper()
	path := filepath.Join(p.root, "state", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(value+"\n"), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *played) drop(name string) {
	p.t.Helper()
	if err := os.Remove(filepath.Join(p.root, "state", name)); err != nil {
		p.t.Fatal(err)
	}
}

// is checks the machine's state.
func (p *played) is(state map[string]string) {
	p.t.Helper()
	for name, want := range state {
		got, err := os.ReadFile(filepath.Join(p.root, "state", name))
		if err != nil || strings.TrimSpace(string(got)) != want {
			p.t.Errorf("%s is %q, want %q (%v)", name, got, want, err)
		}
	}
}

// calls checks which commands were given since the last time, one a line.
func (p *played) calls(want string) {
	p.t.Helper()
	name := filepath.Join(p.root, "calls")
	got, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		p.t.Fatal(err)
	}
	var changing []string
	for line := range strings.Lines(string(got)) {
		if !strings.Contains(line, " --get") {
			changing = append(changing, strings.TrimSpace(line))
		}
	}
	var wanted []string
	for line := range strings.Lines(want) {
		if line = strings.TrimSpace(line); line != "" {
			wanted = append(wanted, line)
		}
	}
	if strings.Join(changing, "\n") != strings.Join(wanted, "\n") {
		p.t.Errorf("commands:\n%s\nwant:\n%s", strings.Join(changing, "\n"), strings.Join(wanted, "\n"))
	}
	os.Remove(name)
}

// prepared opens the machine for a plan.
func (p *played) prepared(w Wanted) (*changes, []string) {
	p.t.Helper()
	c, lines, err := p.config.prepared(p.t.Context(), w)
	if err != nil {
		p.t.Fatal(err)
	}
	return c, lines
}

// apply asks for values one after the other.
func (p *played) apply(c *changes, values ...Values) {
	p.t.Helper()
	for _, v := range values {
		if err := c.apply(p.t.Context(), v); err != nil {
			p.t.Fatalf("%+v: %v", v, err)
		}
	}
}

// undo restores everything and expects nothing to be left.
func (p *played) undo(c *changes, want ...string) {
	p.t.Helper()
	restored, err := c.restore(p.t.Context())
	if err != nil {
		p.t.Error(err)
	}
	if strings.Join(restored, ", ") != strings.Join(want, ", ") {
		p.t.Errorf("restored %q, want %q", restored, want)
	}
	if err := c.close(); err != nil {
		p.t.Error(err)
	}
	if _, err := os.Stat(p.config.Journal); !os.IsNotExist(err) {
		p.t.Errorf("the journal is still there: %v", err)
	}
}

// fails checks that an error says something.
func fails(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want one with %q", err, text)
	}
}
