package transaction

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/blocks"
)

// Message is one answer of a model.
type Message struct {
	Agent         string
	Session       Session
	ID            string
	Parts         []string // its texts (§ 2.1)
	TransactionID string   // "": made of session and message (§ 21.6)
}

// Observation is what an agent has seen of one path.
type Observation struct{ Path, Version, Revision string }

// ErrTransactionID says that a transaction id hasn't the form of § 21.6.
var ErrTransactionID = errors.New("a transaction id has 1 to 128 characters of A-Z a-z 0-9 . _ : -")

// transactionID returns the id of a message.
func (m Message) transactionID() (string, error) {
	if m.TransactionID == "" {
		sum := sha256.Sum256([]byte(m.Session.ID + "\x00" + m.ID))
		return hex.EncodeToString(sum[:]), nil
	}
	if len(m.TransactionID) > 128 {
		return "", fmt.Errorf("transaction id %q: %w", m.TransactionID, ErrTransactionID)
	}
	for _, c := range []byte(m.TransactionID) {
		switch {
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '.', c == '_', c == ':', c == '-':
		default:
			return "", fmt.Errorf("transaction id %q: %w", m.TransactionID, ErrTransactionID)
		}
	}
	return m.TransactionID, nil
}

// Commit settles m in the scope that resolvers give its paths. A nil report: nothing to
// do (§ 2.11). Refusals are reports; the error is for a caller's mistake or a context
// that ended before anything could have been published (§ 10.10).
func (s *Service) Commit(ctx context.Context, m Message) (*Report, error) {
	return s.commit(ctx, m, func(paths []string) (Scope, error) { return s.resolve(ctx, m.Agent, m.Session, paths) })
}

// CommitToScope is Commit in sc, without asking resolvers.
func (s *Service) CommitToScope(ctx context.Context, m Message, sc Scope) (*Report, error) {
	return s.commit(ctx, m, func([]string) (Scope, error) { return sc.complete(), nil })
}

func (s *Service) commit(ctx context.Context, m Message, scopeOf func(paths []string) (Scope, error)) (*Report, error) {
	if !s.cfg.Enabled {
		return nil, nil
	}
	parsed := blocks.Parse(blocks.Join(m.Parts), s.cfg.Config)
	if parsed.Nothing() {
		return nil, nil
	}
	id, err := m.transactionID()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t := turn{s: s, m: m, id: id, parsed: parsed}
	report, err := t.settle(ctx, scopeOf)
	if err != nil {
		return nil, err
	}
	s.settled(context.WithoutCancel(ctx), m.Session, report)
	return report, nil
}

// turn is one message while it is settled.
type turn struct {
	s      *Service
	m      Message
	id     string
	parsed blocks.Parsed

	scope   Scope
	root    string // of the scope, without links; "" for a scope with a backend
	targets []string
}

// settle goes the way of § 10.1 up to the point where an authority is asked.
func (t *turn) settle(ctx context.Context, scopeOf func(paths []string) (Scope, error)) (*Report, error) {
	if t.parsed.HintsOnly() {
		r := blocks.HintReport(t.parsed, t.id)
		return &r, nil
	}
	if err := t.parsed.EncodingError(); err != nil {
		return t.failed(*err), nil //nolint:nilerr // a refusal is a report, not a failure
	}
	scope, err := scopeOf(t.paths())
	switch {
	case errors.Is(err, errMixed):
		return t.failed(blocks.Error{Code: blocks.CodeMixedRootScope, Hint: blocks.CodeMixedRootScope.Hint()}), nil
	case err != nil:
		return t.broken(ctx, err)
	}
	if refusal := t.judgeMode(ctx, scope); refusal != nil {
		return t.failed(*refusal), nil //nolint:nilerr // a refusal is a report, not a failure
	}
	t.scope = scope
	if refusal, err := t.validate(); refusal != nil || err != nil {
		if err != nil {
			return t.broken(ctx, err)
		}
		return refusal, nil
	}
	report, err := t.ask(ctx)
	if err != nil {
		return t.broken(ctx, err)
	}
	return t.complete(ctx, report), nil
}

// paths returns the raw paths of the blocks.
func (t *turn) paths() []string {
	paths := make([]string, 0, len(t.parsed.Blocks))
	for _, b := range t.parsed.Blocks {
		paths = append(paths, b.Path)
	}
	return paths
}

// judgeMode applies the policy mode of the session (§ 20.6). A provider that fails
// refuses. A message without well-formed blocks has nothing to refuse.
func (t *turn) judgeMode(ctx context.Context, scope Scope) *blocks.Error {
	if t.s.modes == nil || len(t.parsed.Blocks) == 0 {
		return nil
	}
	mode, err := t.s.modes.Mode(ctx, t.m.Session)
	if err == nil && scope.acceptedBy(mode, t.m.Session) {
		return nil
	}
	refusal := &blocks.Error{Code: blocks.CodeSandboxDenied, Hint: blocks.CodeSandboxDenied.Hint()}
	if err != nil {
		refusal.Detail = fmt.Sprintf("the policy mode can't be had: %v", err)
	}
	return refusal
}

// validate judges the message (§ 5) against the root of the scope.
func (t *turn) validate() (*Report, error) {
	roots := []string{t.scope.Root}
	if t.scope.Backend == nil {
		free, err := linkFree(t.scope.Root)
		if err != nil {
			return nil, err
		}
		t.root = free
		roots = append(roots, free)
	}
	if t.isDefaultRoot() {
		roots = append(roots, t.s.cfg.RootAliases...)
	}
	base := t.root
	if base == "" {
		base = t.scope.Root
	}
	v := blocks.Validate(t.parsed, blocks.Rules{Config: t.s.cfg.Config, Roots: roots, Policy: t.s.newGuard(base).canPropose})
	if !v.OK() {
		return t.failed(v.All()...), nil
	}
	t.targets = v.Targets
	return nil, nil
}

// isDefaultRoot reports whether the scope's root is the one that aliases are for.
func (t *turn) isDefaultRoot() bool {
	root, err := t.s.defaultRoot(t.m.Session)
	return err == nil && resolved(root) == resolved(t.scope.Root)
}

// failed returns a report of status failed.
func (t *turn) failed(errs ...blocks.Error) *Report {
	r := blocks.FailedReport(t.id, t.scope.Name, t.parsed.Hints, errs...)
	return &r
}

// broken turns a failure into a report, unless the caller has ended the context.
func (t *turn) broken(ctx context.Context, err error) (*Report, error) {
	if ctxErr := ctx.Err(); ctxErr != nil && errors.Is(err, ctxErr) {
		return nil, err
	}
	return t.failed(materializeFailed(err)), nil
}

// materializeFailed is the error for a failure of store, lock or backend; an error that
// says it is another code's keeps that.
func materializeFailed(err error) blocks.Error {
	if errors.Is(err, blocks.CodeBackendUnsupported) {
		return blocks.Error{Code: blocks.CodeBackendUnsupported, Hint: blocks.CodeBackendUnsupported.Hint(), Detail: err.Error()}
	}
	return blocks.Error{Code: blocks.CodeMaterializeFailed, Hint: blocks.CodeMaterializeFailed.Hint(), Detail: err.Error()}
}
