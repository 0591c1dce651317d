package local

import (
	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/runtime"
	"github.com/fettle-dev/fettle/internal/workspace/statedir"
)

// observed is a State that remembers whether what it keeps has an entry: something is
// under way then, and must not be forgotten.
type observed struct {
	runtime.State
	open bool
}

// Load implements runtime.State.
func (s *observed) Load() (*runtime.Checkpoint, error) {
	c, err := s.State.Load()
	s.open = c != nil && c.Entry != nil
	return c, err
}

// Save implements runtime.State.
func (s *observed) Save(c runtime.Checkpoint) error {
	err := s.State.Save(c)
	if err == nil {
		s.open = c.Entry != nil
	}
	return err
}

// scrap is the state of a dry run, which nobody goes on with: only its bytes are kept,
// for as long as it lives.
type scrap struct{ pack *statedir.Pack }

var _ runtime.State = scrap{}

// Store implements runtime.State.
func (s scrap) Store() content.Store { return s.pack }

// Load implements runtime.State: there is nothing.
func (scrap) Load() (*runtime.Checkpoint, error) { return nil, nil }

// Save implements runtime.State and keeps nothing.
func (scrap) Save(runtime.Checkpoint) error { return nil }

// Clear implements runtime.State.
func (scrap) Clear() error { return nil }
