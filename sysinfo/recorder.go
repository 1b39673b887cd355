package sysinfo

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// recorder keeps raw answers for [SaveRaw]; a nil recorder keeps nothing.
type recorder struct {
	mu      sync.Mutex
	answers map[string]rawAnswer // by file name
}

type rawAnswer struct {
	question string
	outcome  string
	text     []byte
}

// maxRawAnswers bounds how many files a recording has.
const maxRawAnswers = 4000

func (r *recorder) keep(name string, a rawAnswer) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answers == nil {
		r.answers = make(map[string]rawAnswer)
	}
	if len(r.answers) < maxRawAnswers {
		r.answers[name] = a
	}
}

func (r *recorder) command(name string, args []string, stdout, stderr []byte, err error) {
	if r == nil {
		return
	}
	question := strings.Join(append([]string{filepath.Base(name)}, args...), " ")
	outcome := "exit status 0"
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		outcome = exit.Error()
	case err != nil:
		outcome = err.Error()
	}
	r.keep(fileName(question)+".txt", rawAnswer{question, outcome, stdout})
	if len(stderr) > 0 {
		r.keep(fileName(question)+".stderr.txt", rawAnswer{question + " (standard error)", outcome, stderr})
	}
}

func (r *recorder) file(name string, content []byte, err error) {
	if r == nil {
		return
	}
	if err != nil {
		r.keep(fileName(name)+".txt", rawAnswer{name, string(unknownOf(err).Reason), nil})
		return
	}
	r.keep(fileName(name)+".txt", rawAnswer{name, "read", content})
}

// note keeps the answer to a system call as Go prints it, one element a line.
func (r *recorder) note(name string, answer any) {
	if r == nil {
		return
	}
	var b strings.Builder
	if v := reflect.ValueOf(answer); v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8 {
		for i := range v.Len() {
			fmt.Fprintf(&b, "%+v\n", v.Index(i).Interface())
		}
	} else {
		fmt.Fprintf(&b, "%+v\n", answer)
	}
	r.keep("call."+fileName(name)+".txt", rawAnswer{"call: " + name, "answered", []byte(b.String())})
}

// fileName makes a question a name that every file system takes.
func fileName(question string) string {
	name := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_':
			return c
		}
		return '-'
	}, question)
	return shorten(strings.Trim(name, "-"), 100)
}

// save writes the answers, with what names this machine replaced, and an index
// of them. It returns how many files that makes.
func (r *recorder) save(dir string, s *scrubber) (files int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var names []string
	for name := range r.answers {
		names = append(names, name)
	}
	slices.Sort(names)
	var index strings.Builder
	index.WriteString("# Raw answers of one machine\n\nAddresses, names, serial numbers and identifiers are replaced by others of the same form.\nPlease read the files before you hand them on.\n\n| file | question | outcome |\n|---|---|---|\n")
	for _, name := range names {
		a := r.answers[name]
		safe := s.replace(name)
		fmt.Fprintf(&index, "| %s | %s | %s |\n", cell(safe), cell(s.replace(a.question)), cell(s.replace(a.outcome)))
		if a.text == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, safe), []byte(s.replace(string(a.text))), 0o600); err != nil {
			return files, fmt.Errorf("save raw answer: %w", err)
		}
		files++
	}
	if err := os.WriteFile(filepath.Join(dir, RawIndex), []byte(index.String()), 0o600); err != nil {
		return files, fmt.Errorf("save index of raw answers: %w", err)
	}
	return files + 1, nil
}

func cell(s string) string { return strings.ReplaceAll(Printable(s), "|", `\|`) }
