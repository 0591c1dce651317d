package transaction

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
)

// Session is one conversation of a host with its agents.
type Session struct {
	ID  string
	Dir string // the session's working directory and workspace root (§§ 20.1, 20.6)
}

// Scope is where a message writes.
type Scope struct {
	Root          string
	Name          string        // "": "root:<path>"
	Authorization Authorization // AuthSession (default) or AuthMountedWorkspace
	Backend       Backend       // nil: the Git backend; compared by identity (§ 20.3)
}

// Authorization says why a scope may be written (§ 20.6).
type Authorization string

// The authorizations. A mounted workspace may be written in policy mode workspace-write
// although it lies outside the session's directory.
const (
	AuthSession          Authorization = "session"
	AuthMountedWorkspace Authorization = "mounted-workspace"
)

// scopeDefault is the name of the scope that no resolver claims.
const scopeDefault = "workspace"

// Resolver claims paths with a scope or passes on with nil. paths is a list of one, or nil
// before a step; then a root that is not ready answers ErrNeedsPreparation at once (§ 20.4).
type Resolver interface {
	Resolve(ctx context.Context, agent string, s Session, paths []string) (*Scope, error)
}

// ErrNeedsPreparation is what a Resolver answers before a step when its root can't be
// had at once: the snapshot is then taken when the agent commits.
var ErrNeedsPreparation = errors.New("the root needs preparation")

// Mode is a policy mode (§ 20.6).
type Mode string

// The policy modes.
const (
	ReadOnly         Mode = "read-only"          // refuses every message that has blocks
	WorkspaceWrite   Mode = "workspace-write"    // accepts roots at or below the session's, and mounted workspaces
	DangerFullAccess Mode = "danger-full-access" // accepts all
)

// ModeProvider says the policy mode of a session (§ 20.6).
type ModeProvider interface {
	Mode(ctx context.Context, s Session) (Mode, error) // ReadOnly, WorkspaceWrite, DangerFullAccess
}

// registry holds registrations, the newest first.
type registry[T any] struct {
	mu    sync.Mutex
	items []*T
}

// add puts x before all earlier ones and returns what takes away exactly this one.
func (r *registry[T]) add(x T) (remove func()) {
	item := &x
	r.mu.Lock()
	r.items = append([]*T{item}, r.items...)
	r.mu.Unlock()
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.items = slices.DeleteFunc(slices.Clone(r.items), func(i *T) bool { return i == item })
	}
}

// all returns the registrations as they are now.
func (r *registry[T]) all() []T {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]T, 0, len(r.items))
	for _, i := range r.items {
		out = append(out, *i)
	}
	return out
}

// RegisterResolver puts r before all earlier ones. remove takes away exactly this
// registration and may be called twice.
func (s *Service) RegisterResolver(r Resolver) (remove func()) { return s.resolvers.add(r) }

// errMixed says that the paths of a message lead to more than one scope (§ 20.3).
var errMixed = errors.New("the paths lead to more than one root, scope or backend")

// resolve returns the scope of the paths of a message: each is asked for alone. Without
// paths it is the default.
func (s *Service) resolve(ctx context.Context, agent string, sess Session, paths []string) (Scope, error) {
	var first *Scope
	for _, path := range paths {
		sc, err := s.claim(ctx, agent, sess, []string{path})
		if err != nil {
			return Scope{}, err
		}
		if first == nil {
			first = &sc
		} else if !first.same(sc) {
			return Scope{}, errMixed
		}
	}
	if first != nil {
		return *first, nil
	}
	return s.defaultScope(sess)
}

// claim asks the resolvers, the newest first, and at last the default.
func (s *Service) claim(ctx context.Context, agent string, sess Session, paths []string) (Scope, error) {
	for _, r := range s.resolvers.all() {
		sc, err := r.Resolve(ctx, agent, sess, paths)
		if err != nil {
			return Scope{}, err
		}
		if sc != nil {
			return sc.complete(), nil
		}
	}
	return s.defaultScope(sess)
}

func (s *Service) defaultScope(sess Session) (Scope, error) {
	root, err := s.defaultRoot(sess)
	return Scope{Root: root, Name: scopeDefault, Authorization: AuthSession}, err
}

// complete fills in what a bare root leaves out (§ 20.2).
func (sc Scope) complete() Scope {
	if sc.Name == "" {
		sc.Name = "root:" + sc.Root
	}
	if sc.Authorization == "" {
		sc.Authorization = AuthSession
	}
	sc.Root = filepath.Clean(sc.Root)
	return sc
}

// same reports whether two scopes are one to a transaction (§ 20.3).
func (sc Scope) same(other Scope) bool {
	return sc.Root == other.Root && sc.Name == other.Name && sameBackend(sc.Backend, other.Backend)
}

// sameBackend compares by identity. Backends that can't be compared are never the same.
func sameBackend(a, b Backend) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return reflect.TypeOf(a).Comparable() && reflect.TypeOf(b).Comparable() && a == b
}

// context says for whom a backend is asked.
func (sc Scope) context(agent string) Context {
	return Context{Root: sc.Root, Scope: sc.Name, AgentID: agent}
}
