package transaction

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/fettle-dev/fettle/blocks"
)

// Publisher returns a receipt, nil to decline, or an error to reject (§ 23.1). Publishers
// are a bridge for the Git backend only, and run after an ok report, the newest first;
// the first receipt wins. Who must decide whether a transaction commits writes a
// Backend instead.
type Publisher interface {
	Publish(ctx context.Context, req PublishRequest) (*Receipt, error)
}

// PublishRequest is what a Publisher is told.
type PublishRequest struct {
	Agent       string
	Session     Session
	Root, Scope string
	Paths       []string // raw, as written
	Report      *Report
}

// Receipt says where something was published.
type Receipt struct {
	Scope, Revision string
	NoOp            bool
}

// Observer hears of every settled transaction once (§ 23.2). What it returns late or
// panics with changes nothing.
type Observer interface {
	TransactionSettled(ctx context.Context, s Session, r *Report)
}

// FileView is the host's file-system provider (§ 23.5). Stat returns "absent" for non-existence.
type FileView interface {
	Stat(ctx context.Context, s Session, path string) (version string, err error)
	Observed(ctx context.Context, s Session, path, version string)
}

// RegisterPublisher puts p before all earlier ones. remove takes away exactly this
// registration and may be called twice.
func (s *Service) RegisterPublisher(p Publisher) (remove func()) { return s.publishers.add(p) }

// RegisterObserver has o hear of every settled transaction.
func (s *Service) RegisterObserver(o Observer) (remove func()) { return s.observers.add(o) }

// SetFileView sets the host's file-system provider; nil takes it away.
func (s *Service) SetFileView(v FileView) { s.fileView.set(v) }

// fileViews holds the file-system provider.
type fileViews struct {
	mu   sync.Mutex
	view FileView
}

func (f *fileViews) set(v FileView) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.view = v
}

func (f *fileViews) get() FileView {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.view
}

// publish has the publishers run. A rejection makes the report publication-failed; the
// local commit stays.
func (t *turn) publish(ctx context.Context, r *Report) {
	req := PublishRequest{Agent: t.m.Agent, Session: t.m.Session, Root: t.scope.Root, Scope: t.scope.Name, Paths: t.paths(), Report: r}
	for _, p := range t.s.publishers.all() {
		receipt, err := tryPublish(ctx, p, req)
		if err != nil {
			r.Status = blocks.StatusPublicationFailed
			r.Publications = nil
			r.Errors = []blocks.Error{{Code: blocks.CodePublicationFailed, Hint: blocks.CodePublicationFailed.Hint(), Detail: err.Error()}}
			return
		}
		if receipt != nil {
			r.Publications = []blocks.Publication{{Scope: receipt.Scope, Revision: receipt.Revision, NoOp: receipt.NoOp}}
			return
		}
	}
}

// tryPublish takes a panic for a rejection.
func tryPublish(ctx context.Context, p Publisher, req PublishRequest) (receipt *Receipt, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			receipt, err = nil, fmt.Errorf("the publisher panicked: %v", cause)
		}
	}()
	return p.Publish(ctx, req)
}

// settled tells the observers.
func (s *Service) settled(ctx context.Context, sess Session, r *Report) {
	for _, o := range s.observers.all() {
		s.swallow("an observer panicked", func() { o.TransactionSettled(ctx, sess, r) })
	}
}

// tellFiles has the file-system provider look at the files of a report (§ 23.5).
func (s *Service) tellFiles(ctx context.Context, sess Session, r *Report) {
	v := s.fileView.get()
	if v == nil {
		return
	}
	for _, res := range r.Results {
		s.swallow("the file view panicked", func() {
			version, err := v.Stat(ctx, sess, res.Path)
			if err == nil {
				v.Observed(ctx, sess, res.Path, version)
			}
		})
	}
}

// swallow keeps a panic of the host from its transaction.
func (s *Service) swallow(what string, do func()) {
	defer func() {
		if cause := recover(); cause != nil {
			s.log.Error(what, "cause", cause, "stack", string(debug.Stack()))
		}
	}()
	do()
}
