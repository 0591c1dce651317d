package engine

import (
	"slices"
	"testing"

	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/policy"
)

const depth = 32

// all is a driver that serves everything.
var all = Driver{
	Needs:    []Need{NeedDelete, NeedMkdir, NeedRename},
	Modes:    []Mode{InPlace, Filter, Delta},
	Accesses: []Access{Mount, Facade},
	Images:   true,
}

func yes() *bool { b := true; return &b }
func no() *bool  { b := false; return &b }

// format, lint and check return sound declarations for some extensions.
func format(exts ...string) CapabilityDeclaration {
	return CapabilityDeclaration{Extensions: exts, Mode: InPlace, Scope: []string{"**"}, Invoke: Invoke{Command: []string{"tool"}}}
}

func lint(exts ...string) CapabilityDeclaration {
	d := format(exts...)
	d.Fixable = yes()
	return d
}

func check(exts ...string) CapabilityDeclaration {
	return CapabilityDeclaration{Extensions: exts, Invoke: Invoke{Command: []string{"tool"}}}
}

// with returns d changed.
func with(d CapabilityDeclaration, change func(*CapabilityDeclaration)) CapabilityDeclaration {
	change(&d)
	return d
}

func registry(t *testing.T, decls ...Declaration) *Registry {
	t.Helper()
	r, err := NewRegistry(decls, all, depth)
	if err != nil {
		t.Fatalf("NewRegistry: %v", err)
	}
	return r
}

func selector(t *testing.T, paths ...string) glob.Entries {
	t.Helper()
	s, err := ParseSelector(paths, depth)
	if err != nil {
		t.Fatalf("ParseSelector(%q): %v", paths, err)
	}
	return s
}

// refuses is a policy that allows all but what it lists.
type refuses struct {
	read, write []string
}

func (r refuses) CanRead(path string) policy.Verdict {
	return policy.Verdict{Allowed: !slices.Contains(r.read, path)}
}

func (r refuses) CanWrite(path string) policy.Verdict {
	return policy.Verdict{Allowed: !slices.Contains(r.write, path)}
}

func plan(t *testing.T, r *Registry, q Query) Selection {
	t.Helper()
	if q.Policy == nil {
		q.Policy = refuses{}
	}
	s, err := r.Plan(q)
	if err != nil {
		t.Fatalf("Plan: %v", err)
	}
	return s
}
