package sysinfo

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// systems are those that have a table of sources.
var systems = []string{"linux", "darwin", "windows"}

func TestEveryFieldHasASourceOrAReason(t *testing.T) {
	for _, goos := range systems {
		t.Run(goos, func(t *testing.T) {
			tb := tableOf(goos)
			for path := range leaves(new(Record)) {
				told := slices.ContainsFunc(tb.sources, func(s source) bool { return s.answers(path) })
				absent := slices.ContainsFunc(tb.absent, func(a absence) bool { return a.answers(path) })
				if !told && !absent {
					t.Errorf("%s has neither source nor reason", path)
				}
				if told && absent {
					t.Errorf("%s has a source and a reason to have none", path)
				}
			}
		})
	}
}

func TestTablesNameFieldsOfTheRecord(t *testing.T) {
	for _, goos := range systems {
		tb := tableOf(goos)
		var named []string
		for _, s := range tb.sources {
			named = append(named, s.fields...)
		}
		for _, a := range tb.absent {
			named = append(named, a.fields...)
			if a.reason == "" || a.detail == "" {
				t.Errorf("%s: %v is absent without reason", goos, a.fields)
			}
		}
		for _, f := range named {
			exists := false
			for path := range leaves(new(Record)) {
				exists = exists || covers(f, path)
			}
			if !exists {
				t.Errorf("%s: no field of the record is named %s", goos, f)
			}
		}
	}
}

func TestCollectorsMatchTheTable(t *testing.T) {
	for _, goos := range systems {
		t.Run(goos, func(t *testing.T) {
			code := readCode(t, goos)
			have := append(code.collectorNames(t), slices.Collect(maps.Keys(portableCollectors))...)
			var want []string
			for _, s := range tableOf(goos).sources {
				if s.stage != during && s.stage != derived {
					want = append(want, s.name)
				}
			}
			slices.Sort(have)
			slices.Sort(want)
			for _, name := range want {
				if !slices.Contains(have, name) {
					t.Errorf("the source %q has no collector", name)
				}
			}
			for _, name := range have {
				if !slices.Contains(want, name) {
					t.Errorf("the collector %q has no row in the table", name)
				}
			}
		})
	}
	for name, f := range allCollectors() {
		if f == nil {
			t.Errorf("%s: the collector %q is nil", runtime.GOOS, name)
		}
	}
}

func TestParsersAreReached(t *testing.T) {
	reachedOn := make(map[string][]string)
	listed := make(map[string]bool)
	for _, goos := range systems {
		code := readCode(t, goos)
		reached := code.reachable(seamFunctions)
		for _, name := range slices.Sorted(maps.Keys(code.parsers)) {
			if reached[name] {
				reachedOn[name] = append(reachedOn[name], goos)
			}
		}
		for _, s := range tableOf(goos).sources {
			for _, name := range s.parsers {
				listed[name] = true
				if !reached[name] {
					t.Errorf("%s: the source %q names the parser %s, which nothing on that system calls", goos, s.name, name)
				}
			}
		}
	}
	code := readCode(t, "linux")
	for name, ofBytes := range code.parsers {
		if len(reachedOn[name]) == 0 {
			t.Errorf("no system's collectors reach %s", name)
		}
		if ofBytes && !listed[name] {
			t.Errorf("no source names the parser %s", name)
		}
	}
}

// seamFunctions are where a system's code is entered.
var seamFunctions = []string{"collectors", "listInterfaces", "readCPUTimes", "readFrequencies", "readThrottled", "readProcessCPU", "readSocket",
	"readLink", "readStack", "recordCommands"}

// code is the package as it is built for one system.
type code struct {
	uses    map[string][]string // function → names in its body
	funcs   map[string]*ast.FuncDecl
	parsers map[string]bool // functions parse… of parse_*.go; true if they take bytes
}

func readCode(t *testing.T, goos string) code {
	t.Helper()
	// Symbols of another system cannot be loaded, its text can be read.
	context := build.Default
	context.GOOS, context.GOARCH, context.CgoEnabled = goos, "amd64", false
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	c := code{make(map[string][]string), make(map[string]*ast.FuncDecl), make(map[string]bool)}
	for _, e := range entries {
		name := e.Name()
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		built, err := context.MatchFile(".", name)
		if err != nil {
			t.Fatal(err)
		}
		if !built {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				// Tables of functions are used as a whole.
				ast.Inspect(d, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						c.uses["package variables"] = append(c.uses["package variables"], id.Name)
					}
					return true
				})
				continue
			}
			c.funcs[f.Name.Name] = f
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					c.uses[f.Name.Name] = append(c.uses[f.Name.Name], id.Name)
				}
				return true
			})
			if strings.HasPrefix(name, "parse_") && strings.HasPrefix(f.Name.Name, "parse") && f.Recv == nil {
				c.parsers[f.Name.Name] = takesBytes(f)
			}
		}
	}
	return c
}

func takesBytes(f *ast.FuncDecl) bool {
	if f.Type.Params.NumFields() == 0 {
		return false
	}
	list, ok := f.Type.Params.List[0].Type.(*ast.ArrayType)
	if !ok || list.Len != nil {
		return false
	}
	element, ok := list.Elt.(*ast.Ident)
	return ok && element.Name == "byte"
}

// reachable follows names from functions to functions.
func (c code) reachable(from []string) map[string]bool {
	seen := make(map[string]bool)
	next := slices.Clone(from)
	for len(next) > 0 {
		name := next[len(next)-1]
		next = next[:len(next)-1]
		if seen[name] {
			continue
		}
		seen[name] = true
		next = append(next, c.uses[name]...)
	}
	return seen
}

// collectorNames are the keys of the map that the function collectors returns.
func (c code) collectorNames(t *testing.T) []string {
	t.Helper()
	f := c.funcs["collectors"]
	if f == nil {
		t.Fatal("no function collectors")
	}
	var names []string
	ast.Inspect(f.Body, func(n ast.Node) bool {
		pair, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		switch key := pair.Key.(type) {
		case *ast.BasicLit:
			name, err := strconv.Unquote(key.Value)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, name)
		case *ast.Ident:
			t.Errorf("the collector %s is not named by a literal", key.Name)
		}
		return true
	})
	return names
}
