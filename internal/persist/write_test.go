package persist

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// race writes everything while hit is done right before the n-th change of the disk.
func (w *world) race(n int, hit func()) error {
	disk := &mortal{Tree: w.disk, left: -1, before: func(at int) {
		if at == n {
			hit()
		}
	}}
	_, err := w.writer(disk).Write(context.Background(), w.books, nil)
	return err
}

func (w *world) wantFiles(want map[string]string) {
	w.t.Helper()
	want = maps.Clone(want)
	want[bystander] = "not yours\n"
	if got := w.files(); !maps.Equal(got, want) {
		w.t.Errorf("the disk holds %q, want %q", got, want)
	}
}

func TestWhoeverIsFasterKeepsItsBytesInTheirPlace(t *testing.T) {
	tests := []struct {
		name    string
		files   map[string]string
		pending []string
		n       int // right before this change
		path    string
		want    map[string]string
	}{
		{"a file to be replaced, before its exchange", map[string]string{"a": "1"}, []string{"update a x"}, 1, "a",
			map[string]string{"a": foreign}},
		{"a new file, before it is put in place", nil, []string{"add a x"}, 1, "a",
			map[string]string{"a": foreign}},
		{"a file to be deleted", map[string]string{"a": "1"}, []string{"delete a"}, 0, "a",
			map[string]string{"a": foreign}},
		{"the destination of a move", map[string]string{"a": "1"}, []string{"move a b"}, 0, "b",
			map[string]string{"a": "1", "b": foreign}},
		{"a deleted file that a move replaces", map[string]string{"a": "1", "b": "2"}, []string{"delete b", "move a b"}, 0, "b",
			map[string]string{"a": "1", "b": foreign}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.files)
			w.must(tt.pending...)
			err := w.race(tt.n, func() {
				if err := w.disk.Write(tt.path, foreign); err != nil {
					t.Fatal(err)
				}
			})
			e := fault.As(err)
			if !fault.Is(err, fault.StepFailed, fault.ReasonDrift) || e.Hint == "" {
				t.Fatalf("got %v, want drift with a hint", err)
			}
			w.wantFiles(tt.want)
		})
	}
}

func TestALinkThatReplacesAFileInTheLastInstantIsPutBack(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "1"})
	w.must("update a x")
	err := w.race(1, func() {
		if err := w.disk.Put("a", treemem.Entry{Target: bystander}); err != nil {
			t.Fatal(err)
		}
	})
	if !fault.Is(err, fault.PathRefused, fault.ClassLink) {
		t.Fatalf("got %v, want link", err)
	}
	if e := w.disk.Files()["a"]; e.Kind != tree.Link || e.Target != bystander {
		t.Errorf("a is %+v, want the link that somebody put there", e)
	}
	w.noTemporaries("link")
}

func TestAReplayPutsBackWhatAnExchangeBroughtOut(t *testing.T) {
	tests := []struct {
		name    string
		pending []string
		n       int // foreign right before this change, killed right before the next
	}{
		{"replaced content", []string{"update b x"}, 1},
		{"a move over a deleted file", []string{"delete b", "move a b"}, 0},
		{"a deletion", []string{"delete b"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a": "1", "b": "2"})
			w.must(tt.pending...)
			found, _ := w.writeKilled(tt.n+1, false, func(w *world, at int) {
				if at == tt.n {
					if err := w.disk.Write("b", foreign); err != nil {
						t.Fatal(err)
					}
				}
			})
			if _, err := found.replay(found.disk, false); !fault.Is(err, fault.StepFailed, fault.ReasonDrift) {
				t.Fatalf("got %v, want drift", err)
			}
			found.wantFiles(map[string]string{"a": "1", "b": foreign})
		})
	}
}

func TestAReplayTellsOfWhatChangedBeforeTheNextOperation(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "1", "b": "2", "c": "3"})
	w.must("update a x", "update b y", "update c z")
	found, _ := w.writeKilled(3, false, nil) // a is done
	if err := found.disk.Write("b", foreign); err != nil {
		t.Fatal(err)
	}
	res, err := found.replay(found.disk, false)
	if e := fault.As(err); !fault.Is(err, fault.StepFailed, fault.ReasonDrift) || e.Path != "b" || !slices.Equal(e.Written, []string{"a"}) {
		t.Fatalf("got %+v, %v, want drift of b with a written", res, err)
	}
	found.wantFiles(map[string]string{"a": "x", "b": foreign, "c": "3"})
}

// Spec §16.3: for all operations, links first, then the policy, then drift.
func TestThePreflightRefusesBeforeAnythingIsTouched(t *testing.T) {
	spoil := map[string]func(w *world){
		"link": func(w *world) {
			w.disk.Put("dir/a", treemem.Entry{Target: "../" + bystander})
		},
		"linked parent": func(w *world) {
			w.disk.Rename("dir", "elsewhere")
			w.disk.Put("dir", treemem.Entry{Target: "elsewhere"})
		},
		"unlookable": func(w *world) { w.disk.Unlookable("dir", true) },
		"policy": func(w *world) {
			w.rules = mustPolicy(w.t, policy.Spec{Write: policy.Axis{Allow: everything, Deny: []string{"e"}}})
		},
		"no policy":  func(w *world) { w.rules = policy.NotAvailable(errors.New("gone")) },
		"drift":      func(w *world) { w.disk.Write("d", foreign) },
		"vanished":   func(w *world) { w.disk.Delete("d") },
		"directory":  func(w *world) { w.disk.Delete("d"); w.disk.Put("d/x", treemem.Entry{Data: "x"}) },
		"occupied":   func(w *world) { w.disk.Write("new/f", foreign) },
		"parent":     func(w *world) { w.disk.Write("new", foreign) },
		"unreadable": func(w *world) { w.disk.FailRead("d", errors.New("input/output error")) },
	}
	tests := []struct {
		spoilt     []string
		kind       fault.Kind
		want       fault.Reason
		wantPath   string
		wantDetail string
	}{
		{[]string{"link"}, fault.PathRefused, fault.ClassLink, "dir/a", ""},
		{[]string{"linked parent"}, fault.PathRefused, fault.ClassLink, "dir/a", ""},
		{[]string{"unlookable"}, fault.PathRefused, fault.ClassUnreadableComponent, "dir/a", ""},
		{[]string{"policy"}, fault.PathRefused, fault.ClassPolicy, "e", ""},
		{[]string{"no policy"}, fault.PathRefused, fault.ClassPolicyUnavailable, "", ""},
		{[]string{"drift"}, fault.StepFailed, fault.ReasonDrift, "d", "bytes"},
		{[]string{"vanished"}, fault.StepFailed, fault.ReasonDrift, "d", "gone"},
		{[]string{"directory"}, fault.StepFailed, fault.ReasonDrift, "d", ""},
		{[]string{"occupied"}, fault.StepFailed, fault.ReasonDrift, "new/f", "put a file"},
		{[]string{"parent"}, fault.PathRefused, fault.ClassParentNotDirectory, "new/f", "new is in its way"},
		{[]string{"unreadable"}, fault.StepFailed, fault.ReasonIO, "d", ""},
		{[]string{"drift", "policy", "link"}, fault.PathRefused, fault.ClassLink, "dir/a", ""},
		{[]string{"drift", "policy"}, fault.PathRefused, fault.ClassPolicy, "e", ""},
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.spoilt, " and "), func(t *testing.T) {
			w := newWorld(t, map[string]string{"a": "1", "b": "2", "d": "4", "dir/a": "5", "e": "6"})
			w.must("update a x", "delete b", "update d x", "update dir/a x", "update e x", "add new/f x")
			for _, what := range tt.spoilt {
				spoil[what](w)
			}
			before := w.disk.Snapshot()
			w.disk.ResetOps()
			res, err := w.write()
			e := fault.As(err)
			if e == nil || e.Kind != tt.kind || e.Reason != tt.want || tt.wantPath != "" && e.Path != tt.wantPath {
				t.Fatalf("got %v, want %s %s of %s", err, tt.kind, tt.want, tt.wantPath)
			}
			if !strings.Contains(e.Message, tt.wantDetail) {
				t.Errorf("message %q doesn't say %q", e.Message, tt.wantDetail)
			}
			if !maps.Equal(w.disk.Snapshot(), before) || len(w.disk.Ops()) > 0 || w.ops != nil || !res.Durable {
				t.Errorf("the disk was touched (%v) or the journal written", w.disk.Ops())
			}
		})
	}
}

func TestAParentIsMadeOnlyWhereThePolicyLetsIt(t *testing.T) {
	w := newWorld(t, nil)
	w.must("add x/y/f 1")
	w.rules = mustPolicy(t, policy.Spec{Write: policy.Axis{Allow: []string{"**"}, Deny: []string{"*/*"}}})
	if _, err := w.write(); !fault.Is(err, fault.PathRefused, fault.ClassPolicy) {
		t.Fatalf("got %v, want the refusal of x/y", err)
	}
	w.rules = mustPolicy(t, policy.Spec{Write: policy.Axis{Allow: []string{"x/y/*"}}})
	w.mustWrite()
	w.check("allowed")
}

func TestThePolicyIsAskedBeforeEachOperation(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "1", "b": "2"})
	w.must("update a x", "update b x")
	wr := w.writer(w.disk)
	rules := w.rules
	wr.Policy = func() *policy.Policy { return rules }
	wr.Observe = func(Op) { rules = policy.NotAvailable(nil) } // withdrawn in mid-step
	res, err := wr.Write(context.Background(), w.books, nil)
	if !fault.Is(err, fault.PathRefused, fault.ClassPolicyUnavailable) || !slices.Equal(res.Written, []string{"a"}) {
		t.Fatalf("got %+v, %v, want a written and b refused", res, err)
	}
	if e := fault.As(err); !slices.Equal(e.Written, []string{"a"}) {
		t.Errorf("the error says %v was written, want a", e.Written)
	}
	w.wantFiles(map[string]string{"a": "x", "b": "2"})
}

func TestACycleNeedsThePolicysWordForItsTemporary(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "1", "b": "2"})
	w.must("move a t", "move b a", "move t b")
	w.rules = mustPolicy(t, policy.Spec{Write: policy.Axis{Allow: []string{"*"}}})
	_, err := w.write()
	if e := fault.As(err); !fault.Is(err, fault.PathRefused, fault.ClassPolicy) || !strings.HasPrefix(e.Path, ".fettle-") {
		t.Fatalf("got %v, want the refusal of the temporary", err)
	} else if !strings.Contains(e.Hint, ".fettle-*") {
		t.Errorf("hint %q doesn't say what to allow", e.Hint)
	}
	w.wantFiles(map[string]string{"a": "1", "b": "2"})
}

func TestOrderOfOperations(t *testing.T) {
	tests := []struct {
		name    string
		files   string
		pending []string
		paths   []string
		want    []string
	}{
		{"moves, deletions, contents", "keep old p r", []string{"move p q", "update q x", "delete old", "move r p", "add fresh f", "update keep k"}, nil,
			[]string{"rename p q", "rename r p", "delete old", "write fresh", "write keep", "write q"}},
		{"a round of ready moves is sorted by destination", "a b c d", []string{"move c z", "move a c", "move b y", "move d b"}, nil,
			[]string{"rename b y", "rename c z", "rename d b", "rename a c"}},
		{"a cycle of three after what is ready", "a b c d", []string{"move a t", "move c a", "move b c", "move t b", "move d e"}, nil,
			[]string{"rename d e", "rename c TMP", "rename b c", "rename a b", "rename TMP a"}},
		{"a superseded deletion is no operation", "a b", []string{"delete b", "move a b"}, nil, []string{"rename a b"}},
		{"nor where content takes its place", "a b", []string{"move a t", "add a new", "move t b2", "delete b2"}, nil, []string{"write a"}},
		{"a vanished one neither", "a b", []string{"delete b"}, nil, []string{"delete b"}},
		{"selected by its disk source, without its content", "a", []string{"move a b", "update b x"}, []string{"a"}, []string{"rename a b"}},
		{"selected by its destination, with its content", "a", []string{"move a b", "update b x"}, []string{"b"}, []string{"rename a b", "write b"}},
		{"what is in the way moves too", "a b", []string{"move b c", "update c x", "move a b"}, []string{"a"}, []string{"rename b c", "rename a b"}},
		{"and so on", "a b c", []string{"move c d", "move b c", "move a b", "add a n"}, []string{"a"},
			[]string{"rename c d", "rename b c", "rename a b", "write a"}},
		{"what is in the way of content moves too", "a", []string{"move a b", "add a n"}, []string{"a"}, []string{"rename a b", "write a"}},
		{"a deletion in the way goes too", "a b", []string{"delete b", "move a b"}, []string{"a"}, []string{"rename a b"}},
		{"a deletion by its last workspace path", "a", []string{"move a b", "delete b"}, []string{"b"}, []string{"delete a"}},
		{"nothing selected is no error", "a", []string{"update a x"}, []string{"z"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{}
			for _, name := range strings.Fields(tt.files) {
				files[name] = name + "\n"
			}
			w := newWorld(t, files)
			w.must(tt.pending...)
			w.mustWrite(tt.paths...)
			for i, op := range w.seen {
				for _, f := range strings.Fields(op) {
					if strings.HasPrefix(f, ".fettle-") {
						w.seen[i] = strings.Replace(w.seen[i], f, "TMP", 1)
					}
				}
			}
			if !slices.Equal(w.seen, tt.want) {
				t.Errorf("got %q, want %q", w.seen, tt.want)
			}
			w.checkBooks(tt.name)
			w.mustWrite()
			w.check(tt.name)
		})
	}
}

func TestADeletionOfWhatIsGoneIsSatisfied(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "1", "b": "2", "c": "3"})
	w.must("delete a", "delete b", "move c b")
	w.disk.Delete("a")
	w.disk.Delete("b")
	w.mustWrite()
	w.check("gone")
	if want := []string{"rename c b"}; !slices.Equal(w.seen, want) {
		t.Errorf("did %v, want %v", w.seen, want)
	}
}

func TestWhatIsTakenOverFromUnreadableNeedsNoBaseline(t *testing.T) {
	takeOver := func(w *world) {
		f, _ := w.books.Workspace.File("a")
		w.books.Workspace.PutUnreadable("a", workspace.Unreadable{Origin: "a", Disk: "a", Mode: f.Mode})
		w.books.Baselines.DropPersisted("a")
		w.must("add a new\n")
	}
	for name, spoil := range map[string]func(*world){
		"a regular file":      func(w *world) { w.disk.Write("a", "\x00\x01") },
		"nothing":             func(w *world) { w.disk.Delete("a") },
		"and then moved":      func(w *world) { w.must("move a b") },
		"moved, and is gone":  func(w *world) { w.must("move a b"); w.disk.Delete("a") },
		"moved over deletion": func(w *world) { w.must("delete c", "move a c") },
	} {
		w := newWorld(t, map[string]string{"a": "1", "c": "3"})
		takeOver(w)
		spoil(w)
		start := w.clone()
		w.mustWrite()
		w.check(name)
		for n := 0; ; n++ {
			found, done := start.clone().writeKilled(n, false, nil)
			if done {
				break
			}
			found.mustReplay(name, false)
		}
	}
	w := newWorld(t, map[string]string{"a": "1"})
	takeOver(w)
	w.disk.Delete("a")
	w.disk.Put("a/x", treemem.Entry{Data: "x"})
	if _, err := w.write(); !fault.Is(err, fault.StepFailed, fault.ReasonDrift) {
		t.Errorf("a directory in its place: got %v, want drift", err)
	}
	w = newWorld(t, map[string]string{"a": "1"})
	takeOver(w)
	w.must("delete a")
	w.mustWrite()
	w.check("deleted")
}

func TestModeAndOwnerOfAFileAreKept(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "1"})
	w.disk.Put("a", treemem.Entry{Data: "1", Mode: 0o751, Owner: "7:8"})
	w.adopt("a")
	w.must("update a x")
	res, err := w.write()
	if e := w.disk.Files()["a"]; err != nil || e.Mode != 0o751 || e.Owner != "7:8" || len(res.Owners) != 0 {
		t.Fatalf("a is %+v with notes %v, %v, want mode and owner kept", e, res.Owners, err)
	}
	w.must("update a y")
	w.disk.ForbidOwners(true)
	res, err = w.write()
	want := []Owner{{Path: "a", Before: "7:8", After: treemem.DefaultOwner}}
	if err != nil || !slices.Equal(res.Owners, want) {
		t.Errorf("notes %v, %v, want %v", res.Owners, err, want)
	}
	w.check("owners")
}

func TestAJournalThatCannotBeWrittenStopsTheWrite(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "1"})
	w.must("update a x")
	wr := w.writer(w.disk)
	wr.Journal = brokenJournal{}
	res, err := wr.Write(context.Background(), w.books, nil)
	if !fault.Is(err, fault.StepFailed, fault.ReasonIO) || !res.Durable {
		t.Errorf("got %+v, %v, want io", res, err)
	}
	w.wantFiles(map[string]string{"a": "1"})
}

type brokenJournal struct{}

func (brokenJournal) Begin([]Op) error { return errors.New("no space left on device") }

func TestAFailedSyncLeavesTheEntryOpen(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "1"})
	w.must("update a x")
	w.disk.OnOp(func(op treemem.Op) error {
		if op.Name == treemem.OpSync {
			return errors.New("input/output error")
		}
		return nil
	})
	res, err := w.write()
	if !fault.Is(err, fault.StepFailed, fault.ReasonIO) || res.Durable || !slices.Equal(res.Written, []string{"a"}) {
		t.Errorf("got %+v, %v, want a written, but not durable", res, err)
	}
	w.check("written")
}

func TestACycleThatCannotBeUndoneNamesItsTemporary(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "1", "b": "2", "c": "3"})
	w.must("move a t", "move b a", "move c b", "move t c") // b→TMP, c→b, a→c, TMP→a
	w.disk.OnOp(func(op treemem.Op) error {
		if op.Path == "a" && op.To == "c" {
			return errors.New("input/output error")
		}
		return nil
	})
	_, err := w.write()
	e := fault.As(err)
	if !fault.Is(err, fault.StepFailed, fault.ReasonIO) || !strings.Contains(e.Message, ".fettle-") || e.Hint == "" {
		t.Fatalf("got %v, want an error that names the temporary", err)
	}
	w.disk.OnOp(nil)
	w.checkBooks("stuck")
	w.mustWrite()
	w.check("healed")
	w.noTemporaries("healed")
}

func TestNamesOfTemporariesThatAreTakenAreDrawnAnew(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "1"})
	w.must("update a x")
	wr := w.writer(w.disk)
	wr.Random = strings.NewReader(strings.Repeat("\x00", 8*tempAttempts))
	w.disk.Write(".fettle-0000000000000000", foreign)
	if _, err := wr.Write(context.Background(), w.books, nil); !fault.Is(err, fault.StepFailed, fault.ReasonIO) {
		t.Errorf("got %v, want io after %d attempts", err, tempAttempts)
	}
	wr.Random = strings.NewReader(strings.Repeat("\x00", 8*(tempAttempts-1)) + "12345678")
	if _, err := wr.Write(context.Background(), w.books, nil); err != nil {
		t.Error(err)
	}
	w.wantFiles(map[string]string{"a": "x", ".fettle-0000000000000000": foreign})
}
