// Command again runs the tests of the whole program and gives those that fail
// another chance, by themselves: they measure time on machines that others use
// too. A test that fails three times in a row has failed. All arguments go to
// go test.
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
	failed, err := run(os.Args[1:]...)
	if err != nil || len(failed) > most {
		fmt.Printf("failed: %s %v\n", strings.Join(failed, ", "), err)
		os.Exit(1)
	}
	status := 0
	for _, name := range failed {
		if !recovers(name) {
			fmt.Printf("failed %d times: %s\n", 1+chances, name)
			status = 1
		}
	}
	os.Exit(status)
}

func recovers(name string) bool {
	for range chances {
		fmt.Printf("again: %s\n", name)
		if failed, err := run(append(slices.Clone(os.Args[1:]), "-run", pattern(name))...); err == nil && len(failed) == 0 {
			return true
		}
	}
	return false
}

// pattern is the argument of -run that fits one test only.
func pattern(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// run runs go test and returns the tests that failed and of which no part did.
// The error is that of a run which did not come to its end.
func run(args ...string) (failed []string, err error) {
	cmd := exec.Command("go", append([]string{"test", "-json", "-count=1", "./test"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
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
				if e.Action == "fail" && e.Test != "" {
					failed = append(failed, e.Test)
				}
			case "output":
				if e.Test == "" || !strings.HasPrefix(e.Output, "=== ") {
					fmt.Print(e.Output)
				}
			}
		}
		if readErr == io.EOF {
			break
		}
		if readErr != nil {
			return failed, readErr
		}
	}
	exit := cmd.Wait()
	if len(running) > 0 || exit != nil && len(failed) == 0 {
		return failed, fmt.Errorf("the run broke off: %w", exit)
	}
	return slices.DeleteFunc(failed, func(name string) bool {
		return slices.ContainsFunc(failed, func(other string) bool { return strings.HasPrefix(other, name+"/") })
	}), nil
}
