package test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The architecture, as far as imports show it: who may know whom. Each rule
// has its reason, which the test prints when the rule is broken.

// forbidden lists what a package must not import, directly or through others
// of the module. A trailing "/..." stands for all packages below as well.
var forbidden = []struct {
	pkg, must string
	reason    string
}{
	{"protocol", "linkperf/...", "the wire format stands alone, so that it can be tested and fuzzed without sockets"},
	{"protocol", "flag", "what a person typed is cmd's business"},
	{"protocol/measure", "linkperf/protocol/stream", "what a measurement is does not depend on how bytes move"},
	{"protocol/measure", "linkperf/protocol/sockopt", "what a measurement is does not depend on the kernel"},
	{"protocol/measure", "linkperf/report/...", "results do not know how they look"},
	{"protocol/sockopt", "linkperf/protocol/stream", "one socket and the kernel know nothing of streams"},
	{"protocol/stream", "linkperf/client/...", "a stream is the same on both sides"},
	{"protocol/stream", "linkperf/server", "a stream is the same on both sides"},
	{"protocol/stream", "linkperf/report/...", "the data path knows nothing of output"},
	{"protocol/session", "linkperf/client/...", "a session is the same on both sides"},
	{"protocol/session", "linkperf/server", "a session is the same on both sides"},
	{"protocol/session", "linkperf/report/...", "what streams counted does not know how it looks"},
	{"protocol/session", "linkperf/sysinfo", "facts about hosts come through the observer"},
	{"client", "linkperf/server", "both sides stand alone; a library user may want one only"},
	{"client", "linkperf/report/...", "how a test looks is chosen by whoever runs it"},
	{"client", "linkperf/sysinfo", "facts about hosts come through the observer of the configuration"},
	{"client", "linkperf/client/...", "one test knows nothing of plans with many"},
	{"client/matrix", "linkperf/report/...", "a plan runs tests and does not judge them"},
	{"client/matrix", "linkperf/server", "servers are started by whoever runs the plan"},
	{"client/matrix/system", "linkperf/client/matrix", "changing the system knows nothing of plans"},
	{"client/matrix/system", "linkperf/client", "changing the system knows nothing of tests"},
	{"server", "linkperf/client/...", "both sides stand alone; a library user may want one only"},
	{"server", "linkperf/report/...", "how a test looks is chosen by whoever runs it"},
	{"server", "linkperf/sysinfo", "facts about hosts come through the observer of the configuration"},
	{"report", "linkperf/client/...", "a report is made from documents, whoever ran the test"},
	{"report", "linkperf/server", "a report is made from documents, whoever ran the test"},
	{"report", "linkperf/protocol/stream", "a report does not know how bytes move"},
	{"report/explain", "linkperf/client/...", "findings rest on results and records alone"},
	{"report/explain", "linkperf/server", "findings rest on results and records alone"},
	{"report/plot", "linkperf/...", "numbers and labels to pictures: it knows neither iperf3 nor results"},
	{"report/compare", "linkperf/report", "statistics do not know how they look"},
	{"report/compare", "linkperf/client/...", "statistics work on results, whoever ran the test"},
	{"report/compare", "linkperf/server", "statistics work on results, whoever ran the test"},
	{"sysinfo", "linkperf/...", "facts about a host know nothing of tests"},
}

// only lists imports that stand in the named packages and nowhere else.
var only = []struct {
	imports string
	where   []string
	reason  string
}{
	{"golang.org/x/sys/...", []string{"protocol/sockopt", "protocol/stream", "sysinfo"}, "system calls belong into the platform files of few packages"},
	{"flag", []string{"cmd/linkperf"}, "only cmd reads the command line"},
	{"github.com/spf13/pflag", []string{"cmd/linkperf"}, "only cmd reads the command line"},
	{"log", nil, "packages return errors and do not log"},
	{"log/slog", []string{"cmd/linkperf", "server"}, "only cmd owns a logger, which it hands to the server that runs for long"},
	{"C", nil, "the program is built without cgo"},
}

// calls lists functions and variables that only cmd may use.
var calls = []struct{ name, reason string }{
	{"os.Exit", "only cmd ends the program"},
	{"os.Args", "only cmd reads the command line"},
	{"os.Getenv", "only cmd reads the environment"},
	{"os.LookupEnv", "only cmd reads the environment"},
	{"os.Environ", "only cmd reads the environment"},
	{"os.Stdout", "packages write to the writer they are given"},
	{"os.Stderr", "packages write to the writer they are given"},
	{"fmt.Print", "packages write to the writer they are given"},
	{"fmt.Printf", "packages write to the writer they are given"},
	{"fmt.Println", "packages write to the writer they are given"},
	{"signal.Notify", "signals are cmd's; packages watch their context"},
	{"signal.NotifyContext", "signals are cmd's; packages watch their context"},
	{"slog.Default", "only cmd owns a logger"},
	{"slog.Info", "only cmd owns a logger"},
	{"slog.Warn", "only cmd owns a logger"},
	{"slog.Error", "only cmd owns a logger"},
	{"runtime.GOMAXPROCS", "the processors belong to the program, not to a library in it"},
}

// exceptions are uses that break a rule of calls for a reason.
var exceptions = []struct{ name, file, reason string }{
	{"os.LookupEnv", "sysinfo/probe.go", "hands on the variables without which no program starts on Windows, and reads no setting"},
}

// goPackage is what go list tells of a package.
type goPackage struct {
	ImportPath string
	Dir        string
	Imports    []string
	Deps       []string
	GoFiles    []string
	CgoFiles   []string
}

func (p goPackage) short() string { return strings.TrimPrefix(p.ImportPath, "linkperf/") }

// listPackages lists the packages of the module as one system sees them.
func listPackages(t *testing.T, goos string) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,Deps,GoFiles,CgoFiles", "linkperf/...")
	cmd.Env = append(cmd.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	var list []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

// matches tells whether the import path is the pattern or, after a trailing
// "/...", lies below it.
func matches(path, pattern string) bool {
	if below, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == below || strings.HasPrefix(path, below+"/")
	}
	return path == pattern
}

func TestImports(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows", "freebsd"} {
		t.Run(goos, func(t *testing.T) {
			list := listPackages(t, goos)
			for _, p := range list {
				for _, rule := range forbidden {
					if p.short() != rule.pkg {
						continue
					}
					for _, dep := range p.Deps {
						if matches(dep, rule.must) && dep != p.ImportPath {
							t.Errorf("%s must not know %s: %s", p.short(), dep, rule.reason)
						}
					}
				}
				for _, rule := range only {
					for _, imported := range p.Imports {
						if matches(imported, rule.imports) && !slices.Contains(rule.where, p.short()) && p.short() != "test" {
							t.Errorf("%s imports %s: %s", p.short(), imported, rule.reason)
						}
					}
				}
				if len(p.CgoFiles) > 0 {
					t.Errorf("%s uses cgo in %v", p.short(), p.CgoFiles)
				}
			}
			for _, rule := range forbidden {
				known := slices.ContainsFunc(list, func(p goPackage) bool { return p.short() == rule.pkg })
				if !known {
					t.Errorf("a rule names %s, which is no package", rule.pkg)
				}
			}
		})
	}
}

// TestOnlyCmd reads the source for uses of what belongs to the program as a
// whole.
func TestOnlyCmd(t *testing.T) {
	seen := make(map[string]bool)
	for _, goos := range []string{"linux", "darwin", "windows", "freebsd"} {
		for _, p := range listPackages(t, goos) {
			if strings.HasPrefix(p.short(), "cmd/") || p.short() == "test/again" { // programs
				continue
			}
			for _, name := range p.GoFiles {
				file := filepath.Join(p.Dir, name)
				if seen[file] {
					continue
				}
				seen[file] = true
				for _, use := range uses(t, file) {
					for _, c := range calls {
						excepted := slices.ContainsFunc(exceptions, func(e struct{ name, file, reason string }) bool {
							return e.name == c.name && strings.HasSuffix(filepath.ToSlash(file), "/"+e.file)
						})
						if use.name == c.name && !excepted {
							t.Errorf("%s uses %s: %s", use.at, c.name, c.reason)
						}
					}
				}
			}
		}
	}
	if len(seen) == 0 {
		t.Error("no source was read")
	}
}

type use struct{ name, at string }

// uses lists the names of other packages that a file mentions, as package.Name.
func uses(t *testing.T, file string) []use {
	t.Helper()
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	imported := make(map[string]bool)
	for _, spec := range tree.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		imported[path[strings.LastIndexByte(path, '/')+1:]] = true
	}
	var list []use
	ast.Inspect(tree, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && imported[id.Name] {
				list = append(list, use{id.Name + "." + s.Sel.Name, set.Position(s.Pos()).String()})
			}
		}
		return true
	})
	return list
}
