package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark/ast"
)

func TestEveryLinkLeadsSomewhere(t *testing.T) {
	anchors := map[string]map[string]bool{}
	for _, p := range pages(t) {
		anchors[p.path] = p.anchors()
	}
	for _, p := range pages(t) {
		for _, link := range p.links() {
			if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
				continue
			}
			file, anchor, _ := strings.Cut(link, "#")
			target := p.path
			if file != "" {
				target = filepath.Join(filepath.Dir(p.path), file)
			}
			if _, err := os.Stat(filepath.Join(repository, target)); err != nil {
				t.Errorf("%s: the link %s leads nowhere", p.path, link)
				continue
			}
			if anchor != "" && !anchors[target][anchor] {
				t.Errorf("%s: the link %s leads to no heading of %s", p.path, link, target)
			}
		}
	}
}

func TestEveryPageIsReachedFromTheIndex(t *testing.T) {
	reached := map[string]bool{}
	todo := []string{"docs/README.md"}
	all := map[string]page{}
	for _, p := range pages(t) {
		all[p.path] = p
	}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		if reached[at] {
			continue
		}
		reached[at] = true
		for _, link := range all[at].links() {
			file, _, _ := strings.Cut(link, "#")
			if target := filepath.Join(filepath.Dir(at), file); filepath.Ext(target) == ".md" {
				todo = append(todo, target)
			}
		}
	}
	for path, p := range all {
		if strings.HasPrefix(path, "docs/") && !p.decision() && !reached[path] {
			t.Errorf("no link leads from docs/README.md to %s", path)
		}
	}
}

func (p page) links() []string {
	var all []string
	if p.root == nil {
		return nil
	}
	each(p, func(n *ast.Link) { all = append(all, string(n.Destination)) })
	each(p, func(n *ast.Image) { all = append(all, string(n.Destination)) })
	return all
}

// anchors returns the fragments that the page's headings have where it is published: in
// lower case, spaces as hyphens, punctuation gone, and numbered from the second on.
func (p page) anchors() map[string]bool {
	all := map[string]bool{}
	times := map[string]int{}
	each(p, func(n *ast.Heading) {
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, plain(n, p.source))
		if times[slug]++; times[slug] > 1 {
			slug = fmt.Sprintf("%s-%d", slug, times[slug]-1)
		}
		all[slug] = true
	})
	return all
}
