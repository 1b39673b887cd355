package matrix

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed plans/*.yaml
var plans embed.FS

// Ready returns the text of a plan that ships with the program; ok is false
// if there is none of that name.
func Ready(name string) (source []byte, ok bool) {
	b, err := plans.ReadFile("plans/" + name + ".yaml")
	return b, err == nil
}

// ReadyNames lists the plans that ship with the program, with the comment
// that opens each.
func ReadyNames() (names, about []string) {
	files, _ := fs.Glob(plans, "plans/*.yaml") // the pattern is well-formed
	for _, f := range files {
		b, _ := plans.ReadFile(f) // an embedded file
		first, _, _ := strings.Cut(string(b), "\n")
		names = append(names, strings.TrimSuffix(path.Base(f), ".yaml"))
		about = append(about, strings.TrimSpace(strings.TrimPrefix(first, "#")))
	}
	return names, about
}
