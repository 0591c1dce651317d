package transaction

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/transaction/internal/store"
)

// Service settles messages. It is safe for concurrent use.
type Service struct {
	cfg       Config
	policy    Policy
	mandatory *policy.Policy
	modes     ModeProvider
	now       func() time.Time
	env       []string
	log       *slog.Logger
	git       store.Settings

	resolvers  registry[Resolver]
	publishers registry[Publisher]
	observers  registry[Observer]
	fileView   fileViews

	views  views
	gates  gates
	stores stores
}

// Option changes how a Service works.
type Option func(*Service)

// WithGit says how the stores of the Git backend are opened; package gitstore has the
// options.
func WithGit(settings ...store.Setting) Option {
	return func(s *Service) {
		for _, set := range settings {
			set(&s.git)
		}
	}
}

// WithPolicy sets the policy of § 4.3. Without one every block is refused.
func WithPolicy(p Policy) Option { return func(s *Service) { s.policy = p } }

// WithModes sets who says the policy mode of a session (§ 20.6). Without it every
// session is accepted.
func WithModes(m ModeProvider) Option { return func(s *Service) { s.modes = m } }

// WithClock sets the clock that commits and locks are dated by.
func WithClock(now func() time.Time) Option { return func(s *Service) { s.now = now } }

// WithEnviron sets the environment, as os.Environ gives it, in place of the process's.
func WithEnviron(env []string) Option {
	return func(s *Service) { s.env = slices.Clone(env) }
}

// WithLogger sets where failures go that change nothing. Without it they go nowhere.
func WithLogger(l *slog.Logger) Option { return func(s *Service) { s.log = l } }

// New returns a Service. An error names the key, value and rule of a configuration that
// can't be used.
func New(cfg Config, opts ...Option) (*Service, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	return newService(cfg, opts...)
}

func newService(cfg Config, opts ...Option) (*Service, error) {
	mandatory, err := mandatoryPolicy()
	if err != nil {
		return nil, fmt.Errorf("mandatory denies: %w", err)
	}
	s := &Service{
		cfg: cfg, mandatory: mandatory, now: time.Now, env: os.Environ(), log: slog.New(slog.DiscardHandler),
	}
	for _, o := range opts {
		o(s)
	}
	return s, nil
}

// Close lets go of what the Service holds open. It waits for nothing.
func (s *Service) Close() error { return s.stores.close() }

// Feedback renders a report for the model that wrote the message (§ 18).
func (s *Service) Feedback(r *Report) string { return blocks.Feedback(r, s.cfg.Config) }

// Prompt returns what a model must be told to write blocks (§ 24).
func (s *Service) Prompt() string { return blocks.Prompt(s.cfg.Config) }

// stores are the stores that are open, by root.
type stores struct {
	mu   sync.Mutex
	open map[string]*store.Store
}

// store returns the store of a root without links.
func (s *Service) store(root string) (*store.Store, error) {
	s.stores.mu.Lock()
	defer s.stores.mu.Unlock()
	if st, ok := s.stores.open[root]; ok {
		return st, nil
	}
	host := store.Host{
		Settings: s.git, CanonicalRef: s.cfg.CanonicalRef, MaxSwaps: s.cfg.MaxCasRetries, TempKeep: s.cfg.TempFileKeep,
		Config: s.cfg.Config, Environ: s.env, Now: s.now,
	}
	o, err := host.Options(root)
	if err != nil {
		return nil, err
	}
	st, err := store.Open(o)
	if err != nil {
		return nil, err
	}
	if s.stores.open == nil {
		s.stores.open = map[string]*store.Store{}
	}
	s.stores.open[root] = st
	return st, nil
}

func (s *stores) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, st := range s.open {
		errs = append(errs, st.Close())
	}
	s.open = nil
	return errors.Join(errs...)
}

// all returns the open stores.
func (s *stores) all() []*store.Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*store.Store, 0, len(s.open))
	for _, st := range s.open {
		out = append(out, st)
	}
	return out
}

// DisposeAgent drops the view of an agent and its pending settlements (§ 11.7).
func (s *Service) DisposeAgent(agent string) {
	s.views.drop(agent)
	s.gates.dropAgent(agent)
	for _, st := range s.stores.all() {
		if err := st.Dispose(context.Background(), agent); err != nil {
			s.log.Warn("the view of an agent could not be removed", "agent", agent, "err", err)
		}
	}
}
