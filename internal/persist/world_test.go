package persist

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/text"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// bystander is a file that no run acquires.
const bystander = "bystander"

// world is a run over a disk in memory.
type world struct {
	t     testing.TB
	disk  *treemem.Tree
	store *content.Memory
	books *Books
	rules *policy.Policy
	ops   []Op // journalled last
	seen  []string
}

// newWorld acquires files; whatever else is put on the disk is somebody else's.
func newWorld(t testing.TB, files map[string]string) *world {
	t.Helper()
	entries := treemem.Files(files)
	entries[bystander] = treemem.Entry{Data: "not yours\n"}
	disk, err := treemem.New(entries)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, disk: disk, store: &content.Memory{}, rules: mustPolicy(t, policy.Spec{Write: policy.Axis{Allow: everything}})}
	w.books = &Books{Workspace: workspace.New(0), Baselines: workspace.NewBaselines(0)}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		data, id, err := disk.ReadFile(path, 1<<20, nil)
		if err != nil {
			t.Fatal(err)
		}
		ref, err := w.store.Put(data)
		if err != nil {
			t.Fatal(err)
		}
		w.books.Workspace.Put(path, workspace.File{Content: ref, Mode: id.Mode, MIME: text.Plain, Origin: path, Disk: path})
		w.books.Baselines.PutAcquired(path, ref)
		w.books.Baselines.PutPersisted(path, workspace.Persisted{Content: ref, ID: id})
	}
	return w
}

var everything = []string{"**", "**/.fettle-*"}

func mustPolicy(t testing.TB, specs ...policy.Spec) *policy.Policy {
	t.Helper()
	p, err := policy.Parse(specs, 32)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// clone returns the same world on a disk of its own.
func (w *world) clone() *world {
	w.t.Helper()
	disk, err := treemem.New(w.disk.Snapshot())
	if err != nil {
		w.t.Fatal(err)
	}
	c := *w
	c.disk = disk
	c.books = &Books{
		Workspace: w.books.Workspace.Clone(), Baselines: w.books.Baselines.Clone(),
		Written: slices.Clone(w.books.Written),
	}
	c.ops, c.seen = nil, nil
	for path, p := range c.books.Baselines.AllPersisted() {
		if p.ID, err = disk.Stat(path); err == nil {
			c.books.Baselines.PutPersisted(path, p)
		}
	}
	return &c
}

func (w *world) Begin(ops []Op) error {
	w.ops = slices.Clone(ops)
	return nil
}

func (w *world) writer(disk tree.Tree) *Writer {
	return &Writer{
		Tree: disk, Store: w.store, Policy: func() *policy.Policy { return w.rules }, Journal: w,
		Random:  rand.NewChaCha8([32]byte{byte(len(w.seen))}),
		Observe: func(op Op) { w.seen = append(w.seen, op.String()) },
	}
}

func (w *world) write(paths ...string) (Result, error) {
	var selected func(string) bool
	if len(paths) > 0 {
		selected = func(p string) bool { return slices.Contains(paths, p) }
	}
	return w.writer(w.disk).Write(context.Background(), w.books, selected)
}

func (w *world) mustWrite(paths ...string) {
	w.t.Helper()
	if _, err := w.write(paths...); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) env() workspace.Env {
	types, err := text.NewTypes(text.Overrides{})
	if err != nil {
		w.t.Fatal(err)
	}
	return workspace.Env{Store: w.store, OnDisk: workspace.Exists(w.disk), Types: types, Bounds: workspace.DefaultBounds()}
}

// do applies primitives: "add p text", "update p text", "delete p", "move p q".
func (w *world) do(commands ...string) error {
	w.t.Helper()
	batch := w.books.Workspace.Batch(w.env())
	for _, command := range commands {
		f := strings.SplitN(command+"  ", " ", 3)
		arg := strings.TrimRight(f[2], " ")
		switch f[0] {
		case "add":
			batch.Add(f[1], arg)
		case "update":
			batch.Update(f[1], arg)
		case "delete":
			batch.Delete(f[1])
		case "move":
			batch.Move(f[1], arg)
		default:
			w.t.Fatalf("unknown command %q", command)
		}
	}
	next, err := batch.Commit()
	if err == nil {
		w.books.Workspace = next
	}
	return err
}

func (w *world) must(commands ...string) {
	w.t.Helper()
	if err := w.do(commands...); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) content(r content.Ref) string {
	w.t.Helper()
	data, err := w.store.Get(r, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

// files are the contents of all regular files on disk.
func (w *world) files() map[string]string {
	out := map[string]string{}
	for path, e := range w.disk.Files() {
		out[path] = e.Data
	}
	return out
}

// wanted is what the disk holds after a full write.
func (w *world) wanted() map[string]string {
	out := map[string]string{bystander: "not yours\n"}
	for path, f := range w.books.Workspace.All() {
		out[path] = w.content(f.Content)
	}
	return out
}

// check says that the disk equals the workspace, and the books the disk.
func (w *world) check(when string) {
	w.t.Helper()
	if got, want := w.files(), w.wanted(); !maps.Equal(got, want) {
		w.t.Fatalf("%s: the disk holds\n%q\nwant\n%q", when, got, want)
	}
	if got := w.books.Workspace.PendingDeletions(); len(got) != 0 {
		w.t.Fatalf("%s: deletions %v are pending", when, got)
	}
	for path, f := range w.books.Workspace.All() {
		p, ok := w.books.Baselines.Persisted(path)
		if f.Disk != path || !ok || w.content(p.Content) != w.content(f.Content) {
			w.t.Fatalf("%s: %s is booked at %q with baseline %+v", when, path, f.Disk, p)
		}
		id, err := w.disk.Stat(path)
		if err != nil || id.Mode != f.Mode {
			w.t.Fatalf("%s: %s has mode %o, %v, want %o", when, path, id.Mode, err, f.Mode)
		}
	}
	w.checkBooks(when)
}

// checkBooks says that the persisted baseline is what the disk holds, no more, no less.
func (w *world) checkBooks(when string) {
	w.t.Helper()
	disk := w.files()
	for path, p := range w.books.Baselines.AllPersisted() {
		if data, ok := disk[path]; !ok || data != w.content(p.Content) {
			w.t.Fatalf("%s: baseline of %s is %q, the disk has %q, %v", when, path, w.content(p.Content), data, ok)
		}
		if id, err := w.disk.Stat(path); err == nil && id != p.ID {
			w.t.Fatalf("%s: identity of %s is %+v, want %+v", when, path, p.ID, id)
		}
	}
	if want := w.books.Baselines; len(disk) != 1+persistedLen(want) {
		w.t.Fatalf("%s: the disk has %d files, the baseline %d", when, len(disk), persistedLen(want))
	}
}

func persistedLen(b *workspace.Baselines) int {
	n := 0
	for range b.AllPersisted() {
		n++
	}
	return n
}

var errStopped = errors.New("the process was killed")

// mortal is a disk whose process is killed right before its n-th change, or, in parts of
// it, right in the middle.
type mortal struct {
	tree.Tree
	left    int  // changes before the kill; negative: never
	partial bool // the last change is half done, if it can be
	changes int
	before  func(n int) // called before each change
}

func (m *mortal) change(half func()) {
	if m.before != nil {
		m.before(m.changes)
	}
	m.changes++
	if m.left < 0 {
		return
	}
	if m.left == 0 {
		if m.partial && half != nil {
			half()
		}
		panic(errStopped)
	}
	m.left--
}

func (m *mortal) WriteNew(path string, data []byte, attr tree.Attr) (tree.Identity, bool, error) {
	m.change(func() { m.Tree.WriteNew(path, data[:len(data)/2], tree.Attr{Mode: 0o600}) })
	return m.Tree.WriteNew(path, data, attr)
}

func (m *mortal) Exchange(a, b string) error {
	m.change(nil)
	return m.Tree.Exchange(a, b)
}

func (m *mortal) Rename(from, to string) error {
	m.change(nil)
	return m.Tree.Rename(from, to)
}

func (m *mortal) Remove(path string) error {
	m.change(nil)
	return m.Tree.Remove(path)
}

func (m *mortal) Mkdir(path string) error {
	m.change(nil)
	return m.Tree.Mkdir(path)
}

func (m *mortal) Sync(files, dirs []string) error {
	m.change(nil)
	return m.Tree.Sync(files, dirs)
}

// killed runs f and reports whether it was killed.
func killed(f func()) (yes bool) {
	defer func() {
		if r := recover(); r != nil {
			if err, ok := r.(error); !ok || !errors.Is(err, errStopped) {
				panic(r)
			}
			yes = true
		}
	}()
	f()
	return false
}

// names collide, nest and are few.
var names = []string{"a", "b", "c", "d", "dir/a", "dir/b", "dir/deep/c", "e", "f"}

var texts = []string{"", "x\n", "x\n", "y\n", "longer than the others\n"}

// scramble applies random primitives; those that are refused are left out.
func (w *world) scramble(rnd *rand.Rand, n int) {
	pick := func(list []string) string { return list[rnd.IntN(len(list))] }
	for range n {
		var command string
		switch rnd.IntN(4) {
		case 0:
			command = "add " + pick(names) + " " + pick(texts)
		case 1:
			command = "update " + pick(names) + " " + pick(texts)
		case 2:
			command = "delete " + pick(names)
		case 3:
			command = "move " + pick(names) + " " + pick(names)
		}
		if err := w.do(command); err != nil && fault.As(err) == nil {
			w.t.Fatalf("%s: %v", command, err)
		}
	}
}

// randomWorld is a run with something pending.
func randomWorld(t testing.TB, rnd *rand.Rand) *world {
	t.Helper()
	files := map[string]string{}
	for _, name := range names {
		if rnd.IntN(3) > 0 {
			files[name] = texts[rnd.IntN(len(texts))]
		}
	}
	w := newWorld(t, files)
	for name := range files {
		if rnd.IntN(3) == 0 {
			if err := w.disk.Chmod(name, 0o755); err != nil {
				t.Fatal(err)
			}
			w.adopt(name)
		}
	}
	w.scramble(rnd, rnd.IntN(30))
	return w
}

// adopt takes over mode and identity of a file as a re-read would.
func (w *world) adopt(path string) {
	id, err := w.disk.Stat(path)
	if err != nil {
		w.t.Fatal(err)
	}
	f, _ := w.books.Workspace.File(path)
	f.Mode = id.Mode
	w.books.Workspace.Put(path, f)
	p, _ := w.books.Baselines.Persisted(path)
	p.ID = id
	w.books.Baselines.PutPersisted(path, p)
}

func (w *world) noTemporaries(when string) {
	w.t.Helper()
	for path := range w.disk.Snapshot() {
		if strings.Contains(path, ".fettle-") {
			w.t.Fatalf("%s: the temporary %s is left", when, path)
		}
	}
}
