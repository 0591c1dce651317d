package local

import "github.com/fettle-dev/fettle/internal/runtime"

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
