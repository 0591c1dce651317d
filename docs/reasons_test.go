package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestTroubleshootingHasEveryKindAndReason and no other: the constants of package fault,
// and what other packages declare to be a fault.Reason or give fault.New as one.
func TestTroubleshootingHasEveryKindAndReason(t *testing.T) {
	documented := map[string]map[string]bool{"kind": {}, "reason": {}}
	for _, table := range docPage(t, "tasks/troubleshooting.md").tables() {
		words := documented[table.columns[0]]
		if words == nil {
			continue
		}
		for _, row := range table.rows {
			for _, word := range code(row[0]) {
				if table.columns[0] == "reason" && words[word] {
					t.Errorf("the reason %s has two rows", word)
				}
				words[word] = true
			}
		}
	}
	kinds, reasons := faults(t)
	wantSame(t, "kinds", documented["kind"], kinds)
	wantSame(t, "reasons", documented["reason"], reasons)
}

func wantSame(t *testing.T, what string, documented, coded map[string]bool) {
	t.Helper()
	for word := range coded {
		if !documented[word] {
			t.Errorf("%s: %s is in the code, and troubleshooting.md doesn't say what it means", what, word)
		}
	}
	for word := range documented {
		if !coded[word] {
			t.Errorf("%s: %s is explained in troubleshooting.md, and no code has it", what, word)
		}
	}
}

// faults returns all kinds and reasons that the module can give.
func faults(t *testing.T) (kinds, reasons map[string]bool) {
	t.Helper()
	kinds, reasons = map[string]bool{}, map[string]bool{}
	eachGoFile(t, filepath.Join(repository, "internal"), func(file *ast.File) {
		inFault := file.Name.Name == "fault"
		aliases := map[string]bool{"fault.Reason": true}
		if inFault {
			aliases = map[string]bool{"Reason": true, "Kind": true}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec: // type SkipReason = fault.Reason
				if n.Assign.IsValid() && typeName(n.Type) == "fault.Reason" {
					aliases[n.Name.Name] = true
				}
			case *ast.ValueSpec:
				if name := typeName(n.Type); aliases[name] {
					for _, v := range n.Values {
						word := literal(v)
						switch {
						case word == "" || word == "ok": // ok is how a tool ends that doesn't fail
						case name == "Kind":
							kinds[word] = true
						default:
							reasons[word] = true
						}
					}
				}
			case *ast.CallExpr: // fault.New(kind, "word", …)
				if typeName(n.Fun) == "fault.New" && len(n.Args) > 1 {
					if word := literal(n.Args[1]); word != "" {
						reasons[word] = true
					}
				}
			}
			return true
		})
	})
	if len(kinds) < 9 || len(reasons) < 60 {
		t.Fatalf("found %d kinds and %d reasons: they have moved", len(kinds), len(reasons))
	}
	return kinds, reasons
}

// typeName renders an identifier, or one of another package.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			return x.Name + "." + e.Sel.Name
		}
	}
	return ""
}

// literal returns the value of a string literal, "" for anything else.
func literal(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	value, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return value
}

// constants returns the string constants of a package, by name.
func constants(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	eachGoFile(t, filepath.Join(repository, dir), func(file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok {
				for i, name := range v.Names {
					if i < len(v.Values) {
						all[name.Name] = literal(v.Values[i])
					}
				}
			}
			return true
		})
	})
	return all
}

// eachGoFile visits the parsed Go files below a directory, tests left out.
func eachGoFile(t *testing.T, dir string, visit func(*ast.File)) {
	t.Helper()
	set := token.NewFileSet()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		if slices.Contains(strings.Split(path, string(filepath.Separator)), "testdata") {
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err == nil {
			visit(file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
