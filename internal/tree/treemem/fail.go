package treemem

import (
	"errors"
	"slices"

	"github.com/fettle-dev/fettle/internal/tree"
)

// hooks say what fails.
type hooks struct {
	read       map[string]error // by path
	list       map[string]error // by directory
	lists      error            // every listing
	unlookable map[string]bool
	op         func(Op) error
	ownerFixed bool
}

func (h *hooks) listing(dir string) error {
	if h.lists != nil {
		return h.lists
	}
	return h.list[dir]
}

// The names of operations that change a tree.
const (
	OpWrite     = "write"
	OpExchange  = "exchange"
	OpRename    = "rename"
	OpRemove    = "remove"
	OpRemoveDir = "removedir"
	OpMkdir     = "mkdir"
	OpSetAttr   = "setattr"
	OpSync      = "sync"
)

// Op is an operation through the contract that changes the tree. To is the second
// path of a rename or exchange; a sync has no paths.
type Op struct {
	Name string
	Path string
	To   string
}

// OnOp has hook asked before each operation that changes the tree and would succeed:
// the operation fails with the hook's error and does nothing. A nil hook ends that.
// The hook must not call the tree.
func (t *Tree) OnOp(hook func(Op) error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hooks.op = hook
}

// Ops returns the operations that were tried since New or ResetOps, in order; one that
// the hook made fail is the last word on itself and is among them.
func (t *Tree) Ops() []Op {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.ops)
}

// ResetOps forgets the operations so far.
func (t *Tree) ResetOps() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ops = nil
}

// FailRead makes reading the file at path fail with err, although it can be looked at;
// nil heals it.
func (t *Tree) FailRead(path string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	setError(&t.hooks.read, path, err)
}

// FailList makes listing the directory dir fail with err; nil heals it.
func (t *Tree) FailList(dir string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	setError(&t.hooks.list, dir, err)
}

// FailLists makes every listing fail with err; nil heals them.
func (t *Tree) FailLists(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hooks.lists = err
}

// Unlookable says whether what is at path exists and can't be looked at.
func (t *Tree) Unlookable(path string, yes bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.hooks.unlookable == nil {
		t.hooks.unlookable = make(map[string]bool)
	}
	t.hooks.unlookable[path] = yes
}

// ForbidOwners says whether giving a file to somebody else isn't permitted.
func (t *Tree) ForbidOwners(yes bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hooks.ownerFixed = yes
}

func setError(m *map[string]error, path string, err error) {
	if *m == nil {
		*m = make(map[string]error)
	}
	if err == nil {
		delete(*m, path)
		return
	}
	(*m)[path] = err
}

// begin books op and asks the hook.
func (t *Tree) begin(op Op) error {
	t.ops = append(t.ops, op)
	if t.hooks.op == nil {
		return nil
	}
	return t.hooks.op(op)
}

// syncable judges one path of Sync: absence is fine.
func (t *Tree) syncable(path string, judge func(place) error) error {
	p, err := t.walk(path)
	if err == nil {
		err = judge(p)
	}
	if errors.Is(err, tree.ErrAbsent) {
		return nil
	}
	return err
}
