package blocks_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// § 21.7: the core needs no backend, file, clock or host.
func TestThePackageImportsOnlyWhatIsPure(t *testing.T) {
	allowed := []string{"bytes", "cmp", "embed", "encoding/base64", "encoding/json", "fmt", "index/suffixarray", "iter", "slices", "strconv", "strings", "unicode", "unicode/utf8"}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 20 {
		t.Fatalf("got %q, %v", files, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "gen_") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range file.Imports {
			if path, _ := strconv.Unquote(imp.Path.Value); !slices.Contains(allowed, path) {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}
