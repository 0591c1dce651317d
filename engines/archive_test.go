package engines_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// archive is a text that holds files: after a comment, each begins with a line
// "-- name --". Trees of messy sources stay out of the reach of this repository's own
// tools that way.
type archive []struct{ name, text string }

func archiveOf(t *testing.T, engine string) archive {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", engine+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var a archive
	for line := range strings.Lines(string(text)) {
		name, found := strings.CutPrefix(line, "-- ")
		if name, end := strings.CutSuffix(name, " --\n"); found && end {
			a = append(a, struct{ name, text string }{name: name})
			continue
		}
		if len(a) > 0 {
			a[len(a)-1].text += line
		}
	}
	return a
}

// below returns the files whose names start with prefix and a slash, without that.
func (a archive) below(prefix string) map[string]string {
	files := map[string]string{}
	for _, f := range a {
		if name, ok := strings.CutPrefix(f.name, prefix+"/"); ok {
			files[name] = f.text
		}
	}
	return files
}

// diagnostics returns those that the archive expects: each starts with its severity.
func (a archive) diagnostics() []string {
	var list []string
	for _, f := range a {
		if f.name != "diagnostics" {
			continue
		}
		for line := range strings.Lines(f.text) {
			line = strings.TrimSuffix(line, "\n")
			if strings.HasPrefix(line, "error ") || strings.HasPrefix(line, "warning ") || strings.HasPrefix(line, "info ") {
				list = append(list, line)
				continue
			}
			list[len(list)-1] += "\n" + line
		}
	}
	return list
}
