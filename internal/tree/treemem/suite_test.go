package treemem_test

import (
	"testing"

	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
	"github.com/fettle-dev/fettle/internal/tree/treetest"
)

func TestTreeKeepsTheContract(t *testing.T) {
	treetest.Run(t, func(t *testing.T) treetest.Subject {
		m, err := treemem.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		return subject{t, m}
	})
}

// subject plants by a stranger's hands and looks at snapshots.
type subject struct {
	t *testing.T
	m *treemem.Tree
}

func (s subject) Tree() tree.Tree { return s.m }

func (s subject) put(path string, e treemem.Entry) {
	s.t.Helper()
	if err := s.m.Put(path, e); err != nil {
		s.t.Fatal(err)
	}
}

func (s subject) File(path, data string, mode uint32) {
	s.t.Helper()
	s.put(path, treemem.Entry{Data: data, Mode: mode})
}

func (s subject) Dir(path string) {
	s.t.Helper()
	s.put(path, treemem.Entry{Kind: tree.Directory})
}

func (s subject) Link(path, target string) {
	s.t.Helper()
	s.put(path, treemem.Entry{Target: target})
}

func (s subject) FIFO(path string) {
	s.t.Helper()
	s.put(path, treemem.Entry{Kind: tree.Other})
}

func (s subject) Hide(path string) bool {
	s.m.Unlookable(path, true)
	return true
}

func (s subject) Find(path string) (tree.Kind, string, bool) {
	e, ok := s.m.Snapshot()[path]
	if e.Kind == tree.Link {
		return e.Kind, e.Target, ok
	}
	return e.Kind, e.Data, ok
}
