package docs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
)

const module = "github.com/fettle-dev/fettle"

// group is a section of the map of packages.
type group struct {
	mayImport []string // groups
	outside   []string // prefixes of import paths
}

func TestTheMapOfPackagesHasEveryPackage(t *testing.T) {
	_, where := packageMap(t)
	listed := list(t)
	for path := range listed {
		if where[path] == "" {
			t.Errorf("docs/design/packages.md has no row for %s", path)
		}
	}
	for path := range where {
		if listed[path] == nil {
			t.Errorf("docs/design/packages.md has a row for %s, and there is no such package", path)
		}
	}
}

func TestPackagesImportWhatTheMapAllows(t *testing.T) {
	groups, where := packageMap(t)
	for path, p := range list(t) {
		name := where[path]
		for _, imported := range p.Imports {
			if own, ok := strings.CutPrefix(imported, module+"/"); ok {
				if !slices.Contains(groups[name].mayImport, where[own]) {
					t.Errorf("%s is of the group %s and imports %s of the group %s", path, name, own, where[own])
				}
				continue
			}
			if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
				continue // the standard library
			}
			if !slices.ContainsFunc(groups[name].outside, func(prefix string) bool { return within(imported, prefix) }) {
				t.Errorf("%s is of the group %s and imports %s", path, name, imported)
			}
		}
	}
}

// within reports whether an import path is prefix or below it.
func within(path, prefix string) bool { return path == prefix || strings.HasPrefix(path, prefix+"/") }

// packageMap reads design/packages.md: the groups by name, and the group of each package.
func packageMap(t *testing.T) (groups map[string]group, where map[string]string) {
	t.Helper()
	p := docPage(t, "design/packages.md")
	groups, where = map[string]group{}, map[string]string{}
	for _, table := range p.tables() {
		for _, row := range table.rows {
			path := code(row[0])[0]
			if where[path] != "" {
				t.Errorf("%s has two rows", path)
			}
			where[path] = table.below
		}
	}
	heading := ""
	for n := p.root.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			heading = plain(n, p.source)
		case *ast.Paragraph:
			rules, ok := strings.CutPrefix(marked(n, p.source), "May import: ")
			if !ok {
				continue
			}
			own, outside, ok := strings.Cut(rules, ". Outside the standard library: ")
			if !ok {
				t.Errorf("%s: can't read the rule %q", heading, rules)
			}
			groups[heading] = group{mayImport: strings.Split(own, ", "), outside: code(outside)}
		}
	}
	for path, name := range where {
		if _, ok := groups[name]; !ok {
			t.Errorf("the group %s of %s doesn't say what it may import", name, path)
		}
	}
	for name, g := range groups {
		for _, other := range g.mayImport {
			if _, ok := groups[other]; !ok && other != "nothing" {
				t.Errorf("%s may import %s, and there is no such group", name, other)
			}
		}
	}
	return groups, where
}

// listedPackage is what go list says of a package.
type listedPackage struct {
	ImportPath string
	Imports    []string
}

// list asks the go command for the packages of the module, by path within it.
func list(t *testing.T) map[string]*listedPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports", "./...")
	cmd.Dir = repository
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	all := map[string]*listedPackage{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &listedPackage{}
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		path := strings.TrimPrefix(p.ImportPath, module+"/")
		if slices.Contains(strings.Split(path, "/"), "node_modules") {
			continue // Go in somebody's npm package
		}
		all[path] = p
	}
	return all
}
