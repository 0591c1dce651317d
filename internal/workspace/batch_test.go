package workspace

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/text"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
)

// fixture is a workspace of acquired files over a disk that is only asked.
type fixture struct {
	t     *testing.T
	store *content.Memory
	w     *Workspace
	b     *Baselines
	env   Env
}

func newFixture(t *testing.T, files map[string]string, alsoOnDisk ...string) *fixture {
	t.Helper()
	types, err := text.NewTypes(text.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	x := &fixture{t: t, store: &content.Memory{}, w: New(0), b: NewBaselines(0)}
	onDisk := map[string]bool{}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		ref, err := x.store.Put([]byte(files[path]))
		if err != nil {
			t.Fatal(err)
		}
		mime, _ := types.Resolve(path)
		x.w.Put(path, File{Content: ref, Mode: 0o755, MIME: mime, Origin: path, Disk: path})
		x.b.PutAcquired(path, ref)
		x.b.PutPersisted(path, Persisted{Content: ref, ID: tree.Identity{Size: ref.Len, Kind: tree.Regular}})
		onDisk[path] = true
	}
	for _, path := range alsoOnDisk {
		onDisk[path] = true
	}
	x.env = Env{
		Store: x.store, Types: types, Bounds: DefaultBounds(),
		OnDisk: func(path string) (bool, error) { return onDisk[path], nil },
	}
	return x
}

// do applies operations in one batch and takes over what Commit returns.
func (x *fixture) do(ops ...func(*Batch) error) error {
	x.t.Helper()
	before := x.dump()
	batch := x.w.Batch(x.env)
	for _, op := range ops {
		if err := op(batch); err != nil {
			break
		}
	}
	next, err := batch.Commit()
	if now := x.dump(); now != before {
		x.t.Errorf("the batch changed the workspace it was made from:\n%s\nwas\n%s", now, before)
	}
	if err == nil {
		x.w = next
	}
	return err
}

func (x *fixture) must(ops ...func(*Batch) error) {
	x.t.Helper()
	if err := x.do(ops...); err != nil {
		x.t.Fatal(err)
	}
}

func (x *fixture) dump() string {
	return fmt.Sprint(maps.Collect(x.w.All()), x.w.unreadable, x.w.pending, x.w.moved)
}

func (x *fixture) text(path string) string {
	x.t.Helper()
	f, ok := x.w.File(path)
	if !ok {
		x.t.Fatalf("no file %s", path)
	}
	data, err := x.store.Get(f.Content, nil)
	if err != nil {
		x.t.Fatal(err)
	}
	return string(data)
}

func update(path, s string) func(*Batch) error {
	return func(b *Batch) error { return b.Update(path, s) }
}
func remove(path string) func(*Batch) error { return func(b *Batch) error { return b.Delete(path) } }
func add(path, s string) func(*Batch) error { return func(b *Batch) error { return b.Add(path, s) } }
func move(from, to string) func(*Batch) error {
	return func(b *Batch) error { return b.Move(from, to) }
}

func setBytes(path, s string) func(*Batch) error {
	return func(b *Batch) error { return b.SetBytes(path, []byte(s)) }
}

func TestPrimitivesRefuseWhatTheyCannotDo(t *testing.T) {
	tests := []struct {
		name       string
		op         func(*Batch) error
		wantReason fault.Reason
		wantPath   string
	}{
		{"update of no file", update("q", "x"), fault.ReasonAbsent, "q"},
		{"update with NUL", update("a", "x\x00"), fault.ReasonNonText, "a"},
		{"update with an unpaired surrogate", update("a", "\xed\xa0\x80"), fault.ReasonNonText, "a"},
		{"new bytes of no file", setBytes("q", "x"), fault.ReasonAbsent, "q"},
		{"new bytes that are no text", setBytes("a", "\xff"), fault.ReasonNonText, "a"},
		{"deletion of no file", remove("q"), fault.ReasonAbsent, "q"},
		{"addition of a file that is there", add("a", "x"), fault.ReasonExists, "a"},
		{"addition where the disk has something", add("foreign", "x"), fault.ReasonExistsOnDisk, "foreign"},
		{"addition of no text", add("n", "\x00"), fault.ReasonNonText, "n"},
		{"move of no file", move("q", "n"), fault.ReasonAbsent, "q"},
		{"move onto a file", move("a", "b"), fault.ReasonExists, "b"},
		{"move onto itself", move("a", "a"), fault.ReasonExists, "a"},
		{"move onto an unreadable path", move("a", "bad"), fault.ReasonExistsOnDisk, "bad"},
		{"move where the disk has something", move("a", "foreign"), fault.ReasonExistsOnDisk, "foreign"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := newFixture(t, map[string]string{"a": "1\n", "b": "2\n"}, "foreign")
			x.w.PutUnreadable("bad", Unreadable{Disk: "bad"})
			err := x.do(update("b", "changed before\n"), tt.op)
			e := fault.As(err)
			if e == nil || e.Kind != fault.StepFailed || e.Reason != tt.wantReason || e.Path != tt.wantPath {
				t.Fatalf("got %v, want StepFailed %s of %s", err, tt.wantReason, tt.wantPath)
			}
			if e.Hint == "" {
				t.Error("the refusal doesn't say what to do")
			}
			if got := x.text("b"); got != "2\n" {
				t.Errorf("b = %q: the operation before the refused one is applied", got)
			}
		})
	}
}

func TestARefusedBatchStaysRefused(t *testing.T) {
	x := newFixture(t, map[string]string{"a": "1\n"})
	batch := x.w.Batch(x.env)
	first := batch.Delete("q")
	for _, err := range []error{batch.Delete("a"), batch.Add("n", ""), batch.Move("a", "c"), batch.Update("a", ""), batch.SetBytes("a", nil)} {
		if !errors.Is(err, first) {
			t.Errorf("an operation after a refused one: %v, want %v", err, first)
		}
	}
	if _, err := batch.Commit(); !errors.Is(err, first) {
		t.Errorf("Commit: %v, want %v", err, first)
	}
}

func TestUpdateKeepsEncodingMarkAndEverythingElse(t *testing.T) {
	x := newFixture(t, map[string]string{"bom": "\xEF\xBB\xBFa\n", "wide": "\xFE\xFF\x00a"})
	x.must(update("bom", "b\r\n"), update("wide", "é"))
	if got, want := x.text("bom"), "\xEF\xBB\xBFb\r\n"; got != want {
		t.Errorf("bom = %q, want %q", got, want)
	}
	if got, want := x.text("wide"), "\xFE\xFF\x00\xe9"; got != want {
		t.Errorf("wide = %q, want %q", got, want)
	}
	if f, _ := x.w.File("bom"); f.Mode != 0o755 || f.Origin != "bom" || f.Disk != "bom" {
		t.Errorf("an update changed mode or identity: %+v", f)
	}
}

func TestEqualBytesAreTheSameContent(t *testing.T) {
	x := newFixture(t, map[string]string{"a": "1\n"})
	was, _ := x.w.File("a")
	x.must(update("a", "2\n"), setBytes("a", "1\n"))
	x.must(update("a", "1\n"))
	if dirty, err := x.b.Dirty(x.store, "a", mustFile(t, x.w, "a")); dirty || err != nil {
		t.Errorf("dirty = %v, %v, want clean: the bytes are those on disk", dirty, err)
	}
	x = newFixture(t, map[string]string{"a": "1\n"})
	x.must(update("a", "1\n"))
	if now, _ := x.w.File("a"); now != was {
		t.Errorf("an update with the same text made %+v of %+v", now, was)
	}
}

func mustFile(t *testing.T, w *Workspace, path string) File {
	t.Helper()
	f, ok := w.File(path)
	if !ok {
		t.Fatalf("no file %s", path)
	}
	return f
}

func TestAnAddedFileTakesItsTypeFromItsNameOrIsDeclaredText(t *testing.T) {
	x := newFixture(t, nil)
	x.must(add("a.json", "{}"), add("a.unknown", "x"), add("logo.png", "x"))
	for path, want := range map[string]File{
		"a.json":    {MIME: "application/json"},
		"a.unknown": {MIME: "text/plain", DeclaredText: true},
		"logo.png":  {MIME: "text/plain", DeclaredText: true},
	} {
		f := mustFile(t, x.w, path)
		if f.MIME != want.MIME || f.DeclaredText != want.DeclaredText || f.Mode != NewFileMode || f.Origin != "" || f.Disk != "" {
			t.Errorf("%s = %+v, want %+v", path, f, want)
		}
	}
}

func TestAFileThatArrivesOnAPendingDeletionAdoptsItsSlot(t *testing.T) {
	x := newFixture(t, map[string]string{"a": "1\n", "b": "2\n"})
	x.must(remove("a"), add("a", "new\n"))
	if f := mustFile(t, x.w, "a"); f.Disk != "a" || f.Origin != "" || f.Mode != 0o755 {
		t.Errorf("the new file is %+v, want it in slot a with its mode and without origin", f)
	}
	x.must(remove("b"), add("n", "x\n"))
	x.must(move("n", "b"))
	if f := mustFile(t, x.w, "b"); f.Disk != "b" || f.Mode != 0o755 {
		t.Errorf("the moved file is %+v, want it in slot b", f)
	}
	if got := x.w.PendingDisks(); len(got) != 0 {
		t.Errorf("pending deletions %v, want none", got)
	}
	if got, want := x.w.Recreated(x.b), []string{"a", "b"}; !slices.Equal(got, want) {
		t.Errorf("recreated %v, want %v", got, want)
	}
}

func TestAFileOnDiskAdoptsNoSlot(t *testing.T) {
	x := newFixture(t, map[string]string{"a": "1\n", "b": "2\n"})
	x.must(remove("b"), move("a", "b"))
	if f := mustFile(t, x.w, "b"); f.Disk != "a" || f.Origin != "a" {
		t.Errorf("the moved file is %+v, want it still at a on disk", f)
	}
	x.must(remove("b"))
	want := []Deletion{{LastPath: "b", Disk: "a"}, {LastPath: "b", Disk: "b"}}
	if got := x.w.PendingDeletions(); !slices.Equal(got, want) {
		t.Errorf("pending %v, want %v: none may overwrite the other", got, want)
	}
}

func TestDeletingWhatWasNeverPersistedLeavesNothingPending(t *testing.T) {
	x := newFixture(t, nil)
	x.must(add("n", "x"))
	x.must(remove("n"))
	if got := x.w.PendingDisks(); len(got) != 0 {
		t.Errorf("pending %v, want none", got)
	}
}

func TestAnUnreadablePathThatIsAddedKeepsItsIdentity(t *testing.T) {
	x := newFixture(t, map[string]string{"a": "1\n"})
	x.w.PutUnreadable("a", Unreadable{Origin: "a", Disk: "a", Mode: 0o600})
	x.must(add("a", "new\n"))
	if f := mustFile(t, x.w, "a"); f.Origin != "a" || f.Disk != "a" || f.Mode != 0o600 {
		t.Errorf("the file is %+v, want the identity of the unreadable one", f)
	}
	if got := x.w.UnreadablePaths(); len(got) != 0 {
		t.Errorf("unreadable %v, want none", got)
	}
}

func TestAMoveHomeLeavesNoTrace(t *testing.T) {
	x := newFixture(t, map[string]string{"a": "1\n"})
	was := x.dump()
	x.must(move("a", "b"))
	x.must(move("b", "a"))
	if now := x.dump(); now != was {
		t.Errorf("got\n%s\nwant\n%s", now, was)
	}
}

func TestBoundsAreCheckedAfterTheBatch(t *testing.T) {
	tests := []struct {
		name       string
		bounds     func(*Bounds)
		ops        []func(*Batch) error
		wantReason fault.Reason
	}{
		{"too many files", func(b *Bounds) { b.MaxFiles = 2 }, []func(*Batch) error{add("n", "")}, fault.ReasonMaxFiles},
		{"room made before the addition", func(b *Bounds) { b.MaxFiles = 2 }, []func(*Batch) error{add("n", ""), remove("a")}, ""},
		{"a file too large", func(b *Bounds) { b.MaxBytesPerFile = 3 }, []func(*Batch) error{update("a", "1234")}, fault.ReasonMaxBytesPerFile},
		{"a file just large enough", func(b *Bounds) { b.MaxBytesPerFile = 3 }, []func(*Batch) error{update("a", "123")}, ""},
		{"too much together", func(b *Bounds) { b.MaxTotalBytes = 4 }, []func(*Batch) error{add("n", "x")}, fault.ReasonMaxTotalBytes},
		{"a file before the total", func(b *Bounds) { b.MaxTotalBytes, b.MaxBytesPerFile = 4, 3 },
			[]func(*Batch) error{update("a", "12345")}, fault.ReasonMaxBytesPerFile},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := newFixture(t, map[string]string{"a": "1\n", "b": "2\n"})
			tt.bounds(&x.env.Bounds)
			err := x.do(tt.ops...)
			if tt.wantReason == "" && err != nil || tt.wantReason != "" && !fault.Is(err, fault.WorkspaceBounds, tt.wantReason) {
				t.Errorf("got %v, want %q", err, tt.wantReason)
			}
		})
	}
}

func TestUnsavedNamesDirtyFilesAndPendingDeletions(t *testing.T) {
	x := newFixture(t, map[string]string{"a": "1\n", "b": "2\n", "c": "3\n", "d": "4\n", "e": "5\n"})
	x.must(update("a", "x\n"), move("b", "z"), remove("c"), add("n", ""), update("e", "x\n"))
	x.must(update("e", "5\n"))
	got, err := x.b.Unsaved(x.store, x.w)
	if want := []string{"a", "c", "n", "z"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("unsaved %v, %v, want %v", got, err, want)
	}
}

func TestExistsSeesLinksAndRefusesToLookThroughThem(t *testing.T) {
	disk, err := treemem.New(map[string]treemem.Entry{
		"dir/a": {Data: "x"}, "link": {Target: "dir"}, "shut/a": {Data: "x"},
	})
	if err != nil {
		t.Fatal(err)
	}
	disk.Unlookable("shut", true)
	ask := Exists(disk)
	for path, want := range map[string]bool{"dir": true, "dir/a": true, "link": true, "dir/b": false, "dir/a/b": false, "no": false} {
		if got, err := ask(path); got != want || err != nil {
			t.Errorf("exists %s = %v, %v, want %v", path, got, err, want)
		}
	}
	for path, want := range map[string]fault.Reason{"link/a": fault.ClassLink, "shut/a": fault.ClassUnreadableComponent} {
		if got, err := ask(path); got || !fault.Is(err, fault.PathRefused, want) {
			t.Errorf("exists %s = %v, %v, want PathRefused %s", path, got, err, want)
		}
	}
}
