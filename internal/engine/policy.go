package engine

import "github.com/fettle-dev/fettle/internal/policy"

// Policy answers whether a file may be read and written (spec §6.2).
type Policy interface {
	CanRead(path string) policy.Verdict
	CanWrite(path string) policy.Verdict
}

// inScope reports whether the invocation may be given a file, as far as its scope goes: a
// capability that declares none takes every file (spec §8.7).
func (i Invocation) inScope(path string) bool { return i.Scope == nil || i.Scope.Match(path) }

// allowed asks both axes, or reading alone for what only reads (spec §8.7, §11.1).
func (i Invocation) allowed(p Policy, path string) bool {
	return p.CanRead(path).Allowed && (i.ReadOnly || p.CanWrite(path).Allowed)
}

// deniedReason is why the policy keeps files from the invocation.
func (i Invocation) deniedReason() SkipReason {
	if i.ReadOnly {
		return ReadDenied
	}
	return WriteDenied
}
