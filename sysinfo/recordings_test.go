package sysinfo

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A recording that no test reads, or whose origin nobody knows, proves nothing.
func TestEveryRecordingIsReadAndHasAnOrigin(t *testing.T) {
	var named []string
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil {
					named = append(named, s)
				}
			}
			return true
		})
	}
	for _, system := range []string{"macos", "windows"} {
		sources, err := os.ReadFile(filepath.Join("testdata", system, "SOURCES"))
		if err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(filepath.Join("testdata", system))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() == "SOURCES" {
				continue
			}
			// Tests name a recording whole, or by its end behind a common start.
			read := slices.ContainsFunc(named, func(s string) bool {
				end := strings.TrimSuffix(strings.TrimPrefix(s, system+"/"), ".txt")
				return len(end) > 4 && strings.HasSuffix(strings.TrimSuffix(e.Name(), ".txt"), end)
			})
			if !read {
				t.Errorf("no test reads %s/%s", system, e.Name())
			}
			if !strings.Contains(string(sources), "\n"+e.Name()+": ") {
				t.Errorf("SOURCES does not name %s/%s", system, e.Name())
			}
		}
	}
}
