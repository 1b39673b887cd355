// Command again runs the tests of the whole program and gives those that fail
// another chance, by themselves: they measure time on machines that others use
// too. A test that fails three times in a row has failed, and so has one in which
// a program raced or crashed, which is no matter of time. All arguments go to go
// test.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

const (
	chances = 2  // after the first
	most    = 12 // more failures than this are no accident
)

func main() {
	r, err := run(os.Args[1:]...)
	if err != nil || r.broken || len(r.failed) > most {
		fmt.Printf("failed: %s %v\n", strings.Join(r.failed, ", "), err)
		os.Exit(1)
	}
	status := 0
	for _, name := range r.failed {
		if !recovers(name) {
			fmt.Printf("failed again: %s\n", name)
			status = 1
		}
	}
	os.Exit(status)
}

// recovers gives a test its other chances. One that is skipped then has not
// shown that it passes.
func recovers(name string) bool {
	for range chances {
		fmt.Printf("again: %s\n", name)
		r, err := run(append(slices.Clone(os.Args[1:]), "-run", pattern(name))...)
		switch {
		case r.broken:
			return false
		case err == nil && len(r.failed) == 0 && slices.Contains(r.passed, name):
			return true
		}
	}
	return false
}

// results are the tests of a run that passed, and that failed of which no part
// did.
type results struct {
	passed, failed []string
	broken         bool // a program raced or crashed
}

// pattern is the argument of -run that fits one test only.
func pattern(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// broken is what a program says that races or crashes.
var broken = regexp.MustCompile(`WARNING: DATA RACE|(?m:^\s*(panic|fatal error): )`)

// run runs go test. The error is that of a run which did not come to its end.
func run(args ...string) (r results, err error) {
	cmd := exec.Command("go", append([]string{"test", "-json", "-count=1", "./test"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return r, err
	}
	if err := cmd.Start(); err != nil {
		return r, err
	}
	running := map[string]bool{}
	lines := bufio.NewReader(out)
	for {
		line, readErr := lines.ReadBytes('\n')
		var e struct{ Action, Test, Output string }
		if json.Unmarshal(line, &e) == nil {
			switch e.Action {
			case "run":
				running[e.Test] = true
			case "pass", "skip", "fail":
				delete(running, e.Test)
				switch {
				case e.Test == "" || e.Action == "skip":
				case e.Action == "pass":
					r.passed = append(r.passed, e.Test)
				default:
					r.failed = append(r.failed, e.Test)
				}
			case "output":
				r.broken = r.broken || broken.MatchString(e.Output)
				if e.Test == "" || !strings.HasPrefix(e.Output, "=== ") {
					fmt.Print(e.Output)
				}
			}
		}
		if readErr == io.EOF {
			break
		}
		if readErr != nil {
			return r, readErr
		}
	}
	exit := cmd.Wait()
	if len(running) > 0 || exit != nil && len(r.failed) == 0 {
		return r, fmt.Errorf("the run broke off: %w", exit)
	}
	whole := slices.Clone(r.failed)
	r.failed = slices.DeleteFunc(r.failed, func(name string) bool {
		return slices.ContainsFunc(whole, func(other string) bool { return strings.HasPrefix(other, name+"/") })
	})
	return r, nil
}
