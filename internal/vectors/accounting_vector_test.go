package vectors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
	"github.com/fettle-dev/fettle/internal/vectortest"
	"github.com/fettle-dev/fettle/internal/workspace"
	"github.com/fettle-dev/fettle/internal/workspace/stray"
)

type accountingRow struct {
	ID, Rule, Title, Note string
	Disk                  map[string]entry
	Acquire               []string
	Bounds                json.RawMessage
	FailDiskOp            string
	Ops                   []operation
	Expected              struct {
		Steps   []step
		Changes []workspace.Row
		Written []string
		Disk    map[string]entry
		Strays  []stray.Stray
	}
}

// step is the view after an operation.
type step struct {
	Files            map[string]entry
	Renames          map[string]string
	PersistedPaths   map[string]string
	PendingDeletions [][2]string
	Recreated        []string
	Unreadable       []string
	DiskOps          []string
	Error            *stepError
}

type stepError struct {
	Kind   fault.Kind
	Reason fault.Reason
	Count  int
	Paths  []string
}

// Spec §2, §8.9–8.11, §13.9, §16, §17.
func TestVectorAccounting(t *testing.T) {
	members := vectortest.Load(t, "runtime", "accounting", "vectors")
	for _, row := range vectortest.Rows[accountingRow](t, members, "vectors") {
		t.Run(row.ID, func(t *testing.T) {
			x := newWorld(t, row.Disk, row.Bounds, row.Acquire)
			x.failOn(row.FailDiskOp)
			var err error
			for i, op := range row.Ops {
				if err != nil {
					break
				}
				if i >= len(row.Expected.Steps) {
					t.Fatalf("operation %d isn't expected", i)
				}
				err = x.do(op)
				x.want(fmt.Sprintf("after operation %d, %s", i, op.Op), row.Expected.Steps[i], err)
			}
			x.wantEnd(row)
		})
	}
}

// failOn makes one operation of write steps fail at its first change of the disk.
func (x *world) failOn(op string) {
	if op == "" {
		return
	}
	x.disk.OnOp(func(treemem.Op) error {
		if n := len(x.ops); n > 0 && canonical(x.ops)[n-1] == op {
			return errDisk
		}
		return nil
	})
}

// canonical numbers the temporaries of a step.
func canonical(ops []string) []string {
	names := map[string]string{}
	out := make([]string, len(ops))
	for i, op := range ops {
		fields := strings.Fields(op)
		for j, f := range fields {
			if !strings.HasPrefix(path.Base(f), ".fettle-") && !strings.HasPrefix(path.Base(f), "<tmp") {
				continue
			}
			if names[f] == "" {
				names[f] = fmt.Sprintf("<tmp%d>", len(names)+1)
			}
			fields[j] = names[f]
		}
		out[i] = strings.Join(fields, " ")
	}
	return out
}

func (x *world) want(when string, want step, err error) {
	x.t.Helper()
	if got := errorOf(err); !reflect.DeepEqual(got, want.Error) {
		x.t.Fatalf("%s: error %v, want %+v", when, err, want.Error)
	}
	w := x.books.Workspace
	files := map[string]string{}
	for p, f := range w.All() {
		files[p] = x.text(f.Content)
	}
	wantFiles := map[string]string{}
	for p, e := range want.Files {
		wantFiles[p] = e.Data
	}
	pending := [][2]string{}
	for _, d := range w.PendingDeletions() {
		pending = append(pending, [2]string{d.LastPath, d.Disk})
	}
	for _, view := range []struct {
		name      string
		got, want any
	}{
		{"files", files, wantFiles},
		{"renames", w.Renames(), want.Renames},
		{"persistedPaths", w.PersistedPaths(), want.PersistedPaths},
		{"pendingDeletions", pending, want.PendingDeletions},
		{"recreated", list(w.Recreated(x.books.Baselines)), want.Recreated},
		{"unreadable", list(w.UnreadablePaths()), want.Unreadable},
		{"diskOps", canonical(x.ops), canonical(want.DiskOps)},
	} {
		if !reflect.DeepEqual(view.got, view.want) {
			x.t.Errorf("%s: %s\n got %q\nwant %q", when, view.name, view.got, view.want)
		}
	}
}

// list is what JSON makes of a list.
func list(s []string) []string { return append([]string{}, s...) }

func errorOf(err error) *stepError {
	if err == nil {
		return nil
	}
	var u *unsavedError
	if errors.As(err, &u) {
		return &stepError{Kind: fault.StepFailed, Reason: fault.ReasonUnsaved, Count: u.count, Paths: u.paths}
	}
	if e := fault.As(err); e != nil {
		return &stepError{Kind: e.Kind, Reason: e.Reason}
	}
	return &stepError{}
}

func (x *world) wantEnd(row accountingRow) {
	x.t.Helper()
	rows, err := workspace.Account(x.store, x.books.Workspace, x.books.Baselines, 2)
	if err != nil {
		x.t.Fatal(err)
	}
	if !slices.Equal(rows, row.Expected.Changes) {
		x.t.Errorf("changes\n got %+v\nwant %+v", rows, row.Expected.Changes)
	}
	if !slices.Equal(x.books.Written, row.Expected.Written) {
		x.t.Errorf("written %v, want %v", x.books.Written, row.Expected.Written)
	}
	strays, err := stray.Find(context.Background(), x.disk, x.store, x.books.Workspace, x.books.Baselines)
	if err != nil || !slices.Equal(strays, row.Expected.Strays) {
		x.t.Errorf("strays %v, %v, want %v", strays, err, row.Expected.Strays)
	}
	x.wantDisk(row.Expected.Disk)
}

// wantDisk compares the whole disk; owners only where a row gives them.
func (x *world) wantDisk(want map[string]entry) {
	x.t.Helper()
	got := x.disk.Files()
	for p, e := range got {
		if want[p].Owner == "" {
			e.Owner = ""
		}
		got[p] = e
	}
	entries := map[string]treemem.Entry{}
	for p, e := range want {
		entries[p] = e.Entry
	}
	if !maps.Equal(got, entries) {
		x.t.Errorf("disk\n got %+v\nwant %+v", got, entries)
	}
}
