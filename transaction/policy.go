package transaction

import (
	"path/filepath"
	"strings"

	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/transaction/internal/store"
)

// Policy says what may be read and written (§ 4.3). Mandatory denies come first and no
// policy lifts them; without a policy nothing is allowed.
type Policy interface {
	CanRead(path string) Verdict
	CanWrite(path string) Verdict
}

// Verdict is the answer about one path. Reason says which rule decided, in a word or
// two.
type Verdict struct {
	Allowed bool
	Reason  string
}

// AllowAll is the policy of a host that leaves everything but the mandatory denies to
// its agents.
const AllowAll = allowAll("")

type allowAll string

func (allowAll) CanRead(string) Verdict  { return Verdict{Allowed: true, Reason: "default"} }
func (allowAll) CanWrite(string) Verdict { return Verdict{Allowed: true, Reason: "default"} }

const (
	reasonMandatory   = "mandatory"
	reasonUnavailable = "policy-unavailable"
)

// guard is the policy of a Service over the mandatory denies of one root.
type guard struct {
	policy    Policy
	mandatory *policy.Policy
	private   string // a path below the root, "" for none (§ 25.1)
}

// newGuard returns the guard of a root.
func (s *Service) newGuard(root string) guard {
	return guard{policy: s.policy, mandatory: s.mandatory, private: store.Private(root, s.env)}
}

// mandatoryPolicy allows everything but the mandatory denies of the runtime.
func mandatoryPolicy() (*policy.Policy, error) {
	everything := policy.Axis{Allow: []string{"**"}}
	return policy.Parse([]policy.Spec{{Read: everything, Write: everything}}, 1<<20)
}

// canRead answers for reading a path.
func (g guard) canRead(path string) Verdict {
	if g.isPrivate(path) {
		return Verdict{Reason: reasonMandatory}
	}
	if g.policy == nil {
		return Verdict{Reason: reasonUnavailable}
	}
	return g.policy.CanRead(path)
}

// canPropose answers for a target: both verdicts must allow it.
func (g guard) canPropose(path string) (allowed bool, reason string) {
	if v := g.canRead(path); !v.Allowed {
		return false, v.Reason
	}
	if v := g.mandatory.CanWrite(path); !v.Allowed && v.Reason == policy.Mandatory {
		return false, reasonMandatory
	}
	v := g.policy.CanWrite(path)
	return v.Allowed, v.Reason
}

func (g guard) isPrivate(path string) bool {
	return g.private != "" && (path == g.private || strings.HasPrefix(path, g.private+"/"))
}

// acceptedBy reports whether a policy mode lets a message write to the scope (§ 20.6).
func (sc Scope) acceptedBy(m Mode, sess Session) bool {
	switch m {
	case DangerFullAccess:
		return true
	case WorkspaceWrite:
		return sc.Authorization == AuthMountedWorkspace || sess.Dir != "" && isAtOrBelow(sc.Root, sess.Dir)
	}
	return false
}

// isAtOrBelow compares two directories, links resolved where they exist.
func isAtOrBelow(dir, above string) bool {
	rel, err := filepath.Rel(resolved(above), resolved(dir))
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}

func resolved(dir string) string {
	if free, err := linkFree(dir); err == nil {
		return free
	}
	return filepath.Clean(dir)
}
