package matrix

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// One process at a time runs the plan of a directory.
func TestInUse(t *testing.T) {
	p, err := Parse("", []byte(plan))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s, err := Create(dir, p)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(dir, PlanFile))
	if err != nil {
		t.Fatal(err)
	}
	other := *p
	other.Repeat = p.Repeat + 1
	if _, err := Create(dir, &other); !errors.Is(err, ErrInUse) {
		t.Errorf("create: %v", err)
	}
	if _, _, err := Resume(dir); !errors.Is(err, ErrInUse) {
		t.Errorf("resume: %v", err)
	}
	if after, err := os.ReadFile(filepath.Join(dir, PlanFile)); err != nil || string(after) != string(before) {
		t.Errorf("the plan was changed: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, _, err = Resume(dir); err != nil {
		t.Fatal(err)
	}
	s.Close()
}
