package engine

import (
	"math"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/glob"
)

// meeting intersects patterns, counting its steps.
type meeting struct {
	steps int
}

// entries returns the entries whose union is what a and b both match. They overlap.
func (m *meeting) entries(a, b glob.Entry) ([]glob.Entry, error) {
	if a.IsLiteral() || a.String() == b.String() {
		return []glob.Entry{a}, nil
	}
	if b.IsLiteral() {
		return []glob.Entry{b}, nil
	}
	paths, err := m.paths(strings.Split(a.String(), "/"), strings.Split(b.String(), "/"))
	if err != nil {
		return nil, err
	}
	entries := make([]glob.Entry, 0, len(paths))
	for _, path := range paths {
		if path == "" {
			continue // ** and ** meet in no segment, which is no path
		}
		e, err := glob.ParseEntry(path, glob.Scope, math.MaxInt)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// paths intersects two lists of segments; results end in a slash. A ** matches any run
// of segments without leading dot, so two of them meet as one, followed by what either
// leaves behind it and the whole of the other.
func (m *meeting) paths(a, b []string) ([]string, error) {
	if m.steps--; m.steps < 0 {
		return nil, errTooMany
	}
	runA, runB := len(a) > 0 && a[0] == "**", len(b) > 0 && b[0] == "**"
	switch {
	case len(a) == 0 && len(b) == 0:
		return []string{""}, nil
	case runA && runB:
		return m.either(
			m.after("**/", func() ([]string, error) { return m.paths(a[1:], b) }),
			m.after("**/", func() ([]string, error) { return m.paths(a, b[1:]) }))
	case runB:
		return m.paths(b, a)
	case runA && (len(b) == 0 || b[0][0] == '.'):
		return m.paths(a[1:], b)
	case runA:
		return m.either(
			func() ([]string, error) { return m.paths(a[1:], b) },
			m.after(b[0]+"/", func() ([]string, error) { return m.paths(a, b[1:]) }))
	case len(a) == 0 || len(b) == 0:
		return nil, nil
	case (a[0][0] == '.') != (b[0][0] == '.'):
		return nil, nil // one matches hidden names only, the other none
	}
	names, err := m.names(a[0], b[0])
	if err != nil || len(names) == 0 {
		return nil, err
	}
	rest, err := m.paths(a[1:], b[1:])
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range names {
		out = append(out, m.prefix(name+"/", rest)...)
	}
	return out, nil
}

// names intersects two wildcard strings of one segment in the way of paths. What they
// share starts with a dot only if both do.
func (m *meeting) names(a, b string) ([]string, error) {
	if m.steps--; m.steps < 0 {
		return nil, errTooMany
	}
	starA, starB := strings.HasPrefix(a, "*"), strings.HasPrefix(b, "*")
	switch {
	case a == "" && b == "":
		return []string{""}, nil
	case starA && starB:
		return m.either(
			m.after("*", func() ([]string, error) { return m.names(a[1:], b) }),
			m.after("*", func() ([]string, error) { return m.names(a, b[1:]) }))
	case starB:
		return m.names(b, a)
	case starA && b == "":
		return m.names(a[1:], b)
	case starA:
		return m.either(
			func() ([]string, error) { return m.names(a[1:], b) },
			m.after(b[:1], func() ([]string, error) { return m.names(a, b[1:]) }))
	case a == "" || b == "" || a[0] != b[0]:
		return nil, nil
	}
	return m.after(a[:1], func() ([]string, error) { return m.names(a[1:], b[1:]) })()
}

// after puts prefix before each result of rest.
func (m *meeting) after(prefix string, rest func() ([]string, error)) func() ([]string, error) {
	return func() ([]string, error) {
		texts, err := rest()
		return m.prefix(prefix, texts), err
	}
}

func (m *meeting) prefix(prefix string, rests []string) []string {
	m.steps -= len(rests)
	out := make([]string, len(rests))
	for i, rest := range rests {
		out[i] = prefix + rest
	}
	return out
}

// either returns the results of both, each once.
func (m *meeting) either(one, other func() ([]string, error)) ([]string, error) {
	texts, err := one()
	if err != nil {
		return nil, err
	}
	more, err := other()
	if err != nil {
		return nil, err
	}
	all := slices.Concat(texts, more)
	slices.Sort(all)
	return slices.Compact(all), nil
}
