package engine

import "github.com/fettle-dev/fettle/internal/diagnostic"

// Policy answers whether an invocation may be given a file (spec §6.2).
type Policy interface {
	MayRead(path string) bool
	MayWrite(path string) bool
}

// inScope reports whether the invocation may be given a file, as far as its scope goes: a
// capability that declares none takes every file (spec §8.7).
func (i Invocation) inScope(path string) bool { return i.Scope == nil || i.Scope.Match(path) }

// allowed asks both axes, or reading alone for what only reads (spec §8.7, §11.1).
func (i Invocation) allowed(policy Policy, path string) bool {
	return policy.MayRead(path) && (i.ReadOnly || policy.MayWrite(path))
}

// DeniedOf reports which of the workspace's files, sorted, the policy keeps from the
// invocation: of those in scope and selector that aren't withheld (spec §8.7). It isn't
// narrowed by extension, since the allowlist isn't either.
func (i Invocation) DeniedOf(files []string, policy Policy, withheld func(path string) bool) Denied {
	d := Denied{Reason: WriteDenied}
	if i.ReadOnly {
		d.Reason = ReadDenied
	}
	for _, f := range files {
		if !i.inScope(f) || i.Selector != nil && !i.Selector.Match(f) || withheld != nil && withheld(f) || i.allowed(policy, f) {
			continue
		}
		d.Count++
		if len(d.Paths) < diagnostic.MaxListed {
			d.Paths = append(d.Paths, f)
		}
	}
	return d
}
