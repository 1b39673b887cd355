// Package test runs the built linkperf against itself and against stock
// iperf3: every mode in both roles, in network namespaces, inside a User Mode
// Linux kernel and, for the Windows build, under Wine. It knows nothing of the
// packages beside it but what a user of the program sees.
//
// Environment:
//
//	STOCK=/path/to/iperf3    one more stock peer, beside the iperf3 in PATH
//	LINKPERF_TEST_ALL=1      every mode, not only the short subset
//	LINKPERF_TEST_UML=1      the tests that need a User Mode Linux kernel
//	LINKPERF_TEST_WINDOWS=1  the tests of the Windows build under Wine
//	LINKPERF_TEST_RACE=1     build linkperf with the race detector
//	LINKPERF_TEST_STOCK=1    hold stock against stock, to check the tests (TestStockAgainstStock, TestTruth)
//	LINKPERF_BENCH=ROUNDS    compare speed with stock (see bench_test.go)
//	LINKPERF_BIN=/path       use this linkperf instead of building one
//	CI=anything              what is missing is a failure, not a skip
package test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// insideUML, in the environment, tells the tests that they run inside a User
// Mode Linux kernel, which is theirs to configure.
const insideUML = "LINKPERF_INSIDE_UML"

func TestMain(m *testing.M) {
	if bootedAsInit() {
		runAsInit()
	}
	code := m.Run()
	if scratch.dir != "" {
		os.RemoveAll(scratch.dir)
	}
	os.Exit(code)
}

// scratch is a directory for files that outlive one test, such as the built
// program. TestMain removes it.
var scratch struct {
	once sync.Once
	dir  string
	err  error
}

func scratchDir(t testing.TB) string {
	t.Helper()
	scratch.once.Do(func() {
		scratch.dir, scratch.err = os.MkdirTemp("", "linkperf-test-")
	})
	if scratch.err != nil {
		t.Fatal(scratch.err)
	}
	return scratch.dir
}

// need ends the test when something it cannot do without is missing: with a
// skip that says why on a developer's machine, with a failure in CI, where a
// skipped test would prove nothing.
func need(t testing.TB, have bool, format string, args ...any) {
	t.Helper()
	if have {
		return
	}
	reason := fmt.Sprintf(format, args...)
	if os.Getenv("CI") != "" {
		t.Fatalf("%s (and CI is set)", reason)
	}
	t.Skip(reason)
}

// want skips a test that was not asked for. Unlike need it also does so in CI,
// where another step asks for it.
func want(t testing.TB, variable, how string) {
	t.Helper()
	if os.Getenv(variable) == "" {
		t.Skipf("runs with %s=1 (%s)", variable, how)
	}
}

// everything tells whether the long form of the tests was asked for.
func everything() bool { return os.Getenv("LINKPERF_TEST_ALL") != "" }

var built struct {
	sync.Mutex
	path map[string]string
}

// build returns the path of the program under test, which is compiled once.
func build(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("LINKPERF_BIN"); path != "" {
		return path
	}
	if os.Getenv("LINKPERF_TEST_RACE") != "" {
		return compile(t, "linkperf", []string{"-race"})
	}
	return compile(t, "linkperf", nil)
}

// compile builds cmd/linkperf with additions to the flags and the environment,
// once for each name.
func compile(t testing.TB, name string, flags []string, env ...string) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	if path, ok := built.path[name]; ok {
		return path
	}
	path := filepath.Join(scratchDir(t), name)
	args := append(append([]string{"build", "-o", path}, flags...), "../cmd/linkperf")
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", name, err, out)
	}
	if built.path == nil {
		built.path = make(map[string]string)
	}
	built.path[name] = path
	return path
}
