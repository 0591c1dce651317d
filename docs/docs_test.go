// Package docs holds no code: its tests keep what the documentation says true. They load
// every manifest that it shows, follow every link, compare its tables with the schemas and
// with the packages that decide, and run its first example.
package docs_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// repository is where the tests stand in it.
const repository = ".."

// page is one file of Markdown.
type page struct {
	path   string // from the root of the repository
	source []byte
	root   ast.Node
}

// pages returns the documentation: everything below docs, and the files at the root.
func pages(t *testing.T) []page {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(repository, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(filepath.Join(repository, "docs"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && filepath.Ext(path) == ".md" {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []page
	for _, path := range paths {
		all = append(all, read(t, path))
	}
	return all
}

// docPage returns one page below docs.
func docPage(t *testing.T, name string) page {
	t.Helper()
	return read(t, filepath.Join(repository, "docs", name))
}

func read(t *testing.T, path string) page {
	t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	from, err := filepath.Rel(repository, path)
	if err != nil {
		t.Fatal(err)
	}
	markdown := goldmark.New(goldmark.WithExtensions(extension.Table))
	return page{path: from, source: source, root: markdown.Parser().Parse(text.NewReader(source))}
}

// each visits all nodes of a type, in order.
func each[N ast.Node](p page, visit func(N)) {
	_ = ast.Walk(p.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if node, ok := n.(N); ok && entering {
			visit(node)
		}
		return ast.WalkContinue, nil
	})
}

// fence is a fenced code block: its info string in words, and its lines.
type fence struct {
	info []string
	text string
}

// is reports whether the block is of one of these languages.
func (f fence) is(languages ...string) bool {
	for _, l := range languages {
		if len(f.info) > 0 && f.info[0] == l {
			return true
		}
	}
	return false
}

// attribute returns what stands behind name= in the info string.
func (f fence) attribute(name string) string {
	for _, word := range f.info {
		if value, ok := strings.CutPrefix(word, name+"="); ok {
			return value
		}
	}
	return ""
}

// decision reports whether the page is a dated one of design: it says what was true and
// planned on that day.
func (p page) decision() bool { return strings.HasPrefix(p.path, "docs/design/2") }

func (p page) fences() []fence {
	var all []fence
	each(p, func(n *ast.FencedCodeBlock) {
		var f fence
		if n.Info != nil {
			f.info = strings.Fields(string(n.Info.Value(p.source)))
		}
		f.text = string(n.Lines().Value(p.source))
		all = append(all, f)
	})
	return all
}

// codeSpans returns what stands between backticks.
func (p page) codeSpans() []string {
	var all []string
	each(p, func(n *ast.CodeSpan) { all = append(all, plain(n, p.source)) })
	return all
}

// table is a table: the headings of its columns, its rows, and the heading that it
// stands below.
type table struct {
	below   string
	columns []string
	rows    [][]string
}

// has reports whether the first columns are these.
func (t table) has(columns ...string) bool {
	if len(t.columns) < len(columns) {
		return false
	}
	for i, c := range columns {
		if t.columns[i] != c {
			return false
		}
	}
	return true
}

// tables returns all tables. Cells are text without marks, but for backticks around what
// is code.
func (p page) tables() []table {
	var all []table
	below := ""
	_ = ast.Walk(p.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			below = plain(n, p.source)
		case *extast.Table:
			t := table{below: below}
			for row := n.FirstChild(); row != nil; row = row.NextSibling() {
				var cells []string
				for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
					cells = append(cells, marked(cell, p.source))
				}
				if _, head := row.(*extast.TableHeader); head {
					t.columns = cells
					continue
				}
				t.rows = append(t.rows, cells)
			}
			all = append(all, t)
		}
		return ast.WalkContinue, nil
	})
	return all
}

// plain is the text of a node without any marks.
func plain(n ast.Node, source []byte) string { return render(n, source, "") }

// marked is the text of a node with backticks around what is code.
func marked(n ast.Node, source []byte) string { return strings.TrimSpace(render(n, source, "`")) }

func render(n ast.Node, source []byte, tick string) string {
	var b bytes.Buffer
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.CodeSpan:
			b.WriteString(tick)
		case *ast.Text:
			if entering {
				b.Write(n.Value(source))
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// code returns what is code in a cell: `a` and `b` gives a, b.
func code(cell string) []string {
	var all []string
	for i, part := range strings.Split(cell, "`") {
		if i%2 == 1 {
			all = append(all, part)
		}
	}
	return all
}
