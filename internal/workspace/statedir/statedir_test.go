package statedir

import (
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/persist"
)

func TestAnotherProcessGoesOnWhereOneStopped(t *testing.T) {
	o := options(t)
	d := open(t, o)
	if c := load(t, d); c != nil {
		t.Fatalf("a new state holds %+v", c)
	}
	want := Checkpoint{
		Books:    randomBooks(t, d.Store(), mathrand.New(mathrand.NewPCG(1, 1)), 500),
		Progress: []byte(`{"position": 3}`),
	}
	text, err := d.Store().Put([]byte("kept"))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range []*Entry{nil, {Write: someOps(d.Store(), t)}, {Invocation: []byte("snapshot\x00")}, nil} {
		want.Entry = entry
		save(t, d, want)
		d.Close()
		d = open(t, o)
		got := load(t, d)
		wantBooks(t, got.Books, want.Books)
		if string(got.Progress) != string(want.Progress) || !reflect.DeepEqual(got.Entry, want.Entry) || got.Rebooted {
			t.Fatalf("got %q, %+v, want %q, %+v", got.Progress, got.Entry, want.Progress, want.Entry)
		}
		if data, err := d.Store().Get(text, nil); err != nil || string(data) != "kept" {
			t.Fatalf("content is %q, %v", data, err)
		}
	}
}

func TestARunThatHasAcquiredNothingCanBeSaved(t *testing.T) {
	o := options(t)
	d := open(t, o)
	load(t, d)
	save(t, d, Checkpoint{Progress: []byte("x")})
	d.Close()
	got := load(t, open(t, o))
	if got == nil || got.Books.Workspace != nil || string(got.Progress) != "x" {
		t.Errorf("got %+v, want progress only", got)
	}
}

func TestALoadedEntrySaysWhetherTheMachineHasStopped(t *testing.T) {
	o := options(t)
	d := open(t, o)
	load(t, d)
	save(t, d, Checkpoint{Entry: &Entry{Invocation: []byte("x")}})
	d.Close()
	o.Boot = "boot-2"
	d = open(t, o)
	if got := load(t, d); !got.Rebooted {
		t.Error("an entry of another boot isn't said to be one")
	}
	save(t, d, Checkpoint{})
	d.Close()
	o.Boot = "boot-3"
	if got := load(t, open(t, o)); got.Rebooted {
		t.Error("a state without entry is said to be rebooted")
	}
}

func TestClearForgetsWhateverThereIs(t *testing.T) {
	o := options(t)
	d := open(t, o)
	load(t, d)
	save(t, d, Checkpoint{Progress: []byte("x")})
	if err := d.Clear(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Store().Put([]byte("y")); err != nil {
		t.Fatal(err)
	}
	if c := load(t, d); c != nil {
		t.Errorf("a cleared state holds %+v", c)
	}
	save(t, d, Checkpoint{Progress: []byte("z")})
	d.Close()
	if err := os.WriteFile(filepath.Join(o.Dir, journalName), []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	d = open(t, o)
	if _, err := d.Load(); err == nil {
		t.Fatal("garbage was loaded")
	}
	if err := d.Clear(); err != nil {
		t.Fatal(err)
	}
	save(t, d, Checkpoint{Progress: []byte("new")})
	if got := load(t, d); string(got.Progress) != "new" {
		t.Errorf("got %q, want new", got.Progress)
	}
}

func TestAStoreIsAskedAfterLoad(t *testing.T) {
	d := open(t, options(t))
	if _, err := d.Store().Put([]byte("x")); err == nil {
		t.Error("Put before Load succeeded")
	}
	if err := d.Save(Checkpoint{}); err == nil {
		t.Error("Save before Load succeeded")
	}
}

func TestNothingButWhatCountsIsLeft(t *testing.T) {
	o := options(t)
	d := open(t, o)
	load(t, d)
	for i := range 5 {
		save(t, d, Checkpoint{Books: randomBooks(t, d.Store(), mathrand.New(mathrand.NewPCG(1, 1)), i)})
	}
	stray := filepath.Join(o.Dir, indexName(99)+freshSuffix)
	for _, path := range []string{stray, filepath.Join(o.Dir, "mine")} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d.Close()
	load(t, open(t, o))
	var names []string
	entries, err := os.ReadDir(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 && e.Name() != "mine" {
			t.Errorf("%s has mode %v, want it private", e.Name(), info.Mode())
		}
	}
	if want := []string{indexName(5), journalName, lockName, "mine", packName}; !slices.Equal(names, want) {
		t.Errorf("the directory holds %v, want %v", names, want)
	}
}

func TestBooksThatDidNotChangeAreNotWrittenAgain(t *testing.T) {
	o := options(t)
	d := open(t, o)
	load(t, d)
	books := randomBooks(t, d.Store(), mathrand.New(mathrand.NewPCG(1, 1)), 50)
	save(t, d, Checkpoint{Books: books})
	save(t, d, Checkpoint{Books: books, Entry: &Entry{Invocation: []byte("x")}})
	save(t, d, Checkpoint{Books: books, Progress: []byte("y")})
	if _, err := os.Stat(filepath.Join(o.Dir, indexName(1))); err != nil {
		t.Errorf("the first index is gone: %v", err)
	}
	save(t, d, Checkpoint{Progress: []byte("z"), SameBooks: true})
	d.Close()
	got := load(t, open(t, o))
	wantBooks(t, got.Books, books)
	if string(got.Progress) != "z" {
		t.Errorf("got %q, want z", got.Progress)
	}
}

func TestTheFirstCheckpointHasItsBooksWhateverItSays(t *testing.T) {
	o := options(t)
	d := open(t, o)
	load(t, d)
	books := randomBooks(t, d.Store(), mathrand.New(mathrand.NewPCG(1, 1)), 5)
	save(t, d, Checkpoint{Books: books, SameBooks: true})
	d.Close()
	wantBooks(t, load(t, open(t, o)).Books, books)
}

func TestAStateThatCannotBeUsedIsRefusedByName(t *testing.T) {
	o := options(t)
	d := open(t, o)
	load(t, d)
	save(t, d, Checkpoint{Books: randomBooks(t, d.Store(), mathrand.New(mathrand.NewPCG(1, 1)), 20), Progress: []byte("x")})
	d.Close()
	good := map[string][]byte{}
	for _, name := range []string{journalName, indexName(1), packName} {
		data, err := os.ReadFile(filepath.Join(o.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		good[name] = data
	}
	flipped := func(name string, at int) []byte {
		data := slices.Clone(good[name])
		data[at] ^= 4
		return data
	}
	tests := []struct {
		name string
		file string
		data []byte // nil: removed
		want string
	}{
		{"a journal of another version", journalName, append([]byte("fettle-journal 2\n"), good[journalName][17:]...), "another version"},
		{"an empty journal", journalName, []byte{}, "another version"},
		{"a cut journal", journalName, good[journalName][:len(good[journalName])-1], "checksum"},
		{"a journal cut behind its first line", journalName, good[journalName][:18], "cut"},
		{"a flipped bit in the journal", journalName, flipped(journalName, 30), "checksum"},
		{"no index", indexName(1), nil, "missing"},
		{"a cut index", indexName(1), good[indexName(1)][:100], "isn't the one"},
		{"a flipped bit in the index", indexName(1), flipped(indexName(1), 300), "isn't the one"},
		{"another run's index", indexName(1), encodeBooks(persist.Books{}), "isn't the one"},
		{"no pack", packName, nil, "missing"},
		{"a cut pack", packName, good[packName][:len(good[packName])-1], "is cut"},
		{"another run's pack", packName, flipped(packName, 20), "another state"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for name, data := range good {
				if name == tt.file {
					data = tt.data
				}
				path := filepath.Join(o.Dir, name)
				os.Remove(path)
				if data == nil {
					continue
				}
				if err := os.WriteFile(path, data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			d := open(t, o)
			defer d.Close()
			c, err := d.Load()
			e := fault.As(err)
			if c != nil || !fault.Is(err, fault.StepFailed, fault.ReasonState) {
				t.Fatalf("got %+v, %v, want a refusal", c, err)
			}
			if !strings.Contains(e.Message, tt.file) || !strings.Contains(e.Message, tt.want) || e.Hint == "" {
				t.Errorf("%q doesn't name %s and %q, or what to do", err, tt.file, tt.want)
			}
		})
	}
}

func TestTheDirectoryIsPrivateAndOutsideTheTree(t *testing.T) {
	o := options(t)
	open(t, o)
	info, err := os.Stat(o.Dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode is %v, %v, want 0700", info.Mode(), err)
	}
	shared := options(t)
	if err := os.Mkdir(shared.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	open(t, shared)
	if info, err := os.Stat(shared.Dir); err != nil || info.Mode().Perm()&0o007 != 0 {
		t.Errorf("mode is %v, %v, want it closed to the world", info.Mode(), err)
	}
	inside := options(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(inside.Root, link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{inside.Root, filepath.Join(inside.Root, "a", "b"), filepath.Join(link, "state")} {
		inside.Dir = dir
		if _, err := Open(t.Context(), inside); !fault.Is(err, fault.InvalidPipeline, fault.ReasonState) {
			t.Errorf("%s in %s: got %v, want a refusal", dir, inside.Root, err)
		}
	}
	if entries, _ := os.ReadDir(inside.Root); len(entries) > 0 {
		t.Errorf("a refused directory was made: %v", entries)
	}
	beside := options(t)
	beside.Dir = beside.Root + "-state"
	open(t, beside)
}

// Performance notes, P7: a run that was taken up again keeps no more in memory than one
// that was begun: paths of several lists are one string.
func TestALoadedFileTakesAtMost300Bytes(t *testing.T) {
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	data := encodeBooks(usualBooks(t))
	before := heap()
	books, err := decodeBooks("index-1", data, Mark{Length: 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	got := (heap() - before) / int64(books.Workspace.Len())
	t.Logf("%d bytes a file", got)
	if got > 300 {
		t.Errorf("a file takes %d bytes, want at most 300", got)
	}
	runtime.KeepAlive(books)
	runtime.KeepAlive(data)
}
