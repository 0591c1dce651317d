package manifest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const repository = "../.."

// fence is a block of YAML in Markdown.
var fence = regexp.MustCompile("(?ms)^ *```ya?ml\n(.*?)^ *```")

// Every manifest that the repository shows anybody must load: those in docs, in README
// files, among the examples and the published engines.
func TestEveryManifestThatTheRepositoryShowsIsValid(t *testing.T) {
	shown := 0
	for _, root := range []string{"README.md", "docs", "examples", "engines", "config/samples"} {
		err := filepath.WalkDir(filepath.Join(repository, root), func(path string, entry fs.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil
			}
			if err != nil {
				return err
			}
			if entry.IsDir() {
				if entry.Name() == "node_modules" {
					return fs.SkipDir
				}
				return nil
			}
			if !entry.Type().IsRegular() {
				return nil
			}
			for _, in := range manifestsIn(t, path) {
				shown++
				if _, err := Load(t.Context(), in); err != nil {
					t.Errorf("%v", err)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if shown < 5 {
		t.Errorf("got %d manifests, want at least the 5 of examples/manifests", shown)
	}
}

// manifestsIn returns the manifests of our group in a file.
func manifestsIn(t *testing.T, path string) []Input {
	t.Helper()
	extension := filepath.Ext(path)
	if !slices.Contains([]string{".yaml", ".yml", ".md"}, extension) {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{string(data)}
	if extension == ".md" {
		texts = nil
		for _, m := range fence.FindAllStringSubmatch(string(data), -1) {
			texts = append(texts, m[1])
		}
	}
	var inputs []Input
	for _, text := range texts {
		if strings.Contains("\n"+text, "\napiVersion: fettle.dev/") {
			inputs = append(inputs, Input{Name: path, Data: []byte(text)})
		}
	}
	return inputs
}
