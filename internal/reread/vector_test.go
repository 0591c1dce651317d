package reread_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/reread"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
	"github.com/fettle-dev/fettle/internal/vectortest"
	"github.com/fettle-dev/fettle/internal/workspace"
)

type vector struct {
	ID, Rule, Title, Note string
	Disk                  map[string]diskEntry
	Acquire               []string
	Bounds                json.RawMessage
	Policy                json.RawMessage
	Exclude               *[]string
	Before                []json.RawMessage
	Inplace               json.RawMessage
	Expected              json.RawMessage
}

// inplace is one in-place invocation.
type inplace struct {
	Op        string // of a before op
	Scope     []string
	Selector  []string
	Disk      []diskOp
	Claims    json.RawMessage
	Result    string
	ReadOnly  bool
	Generates bool
	Policy    json.RawMessage
}

// expectation is what a row says of its invocation.
type expectation struct {
	Allowlist, Withheld, Changed, Unreadable []string
	Denied, Unsaved                          *counted
	Outcome                                  map[string]reread.OutcomeKind
	Errors                                   []problem
	Identity                                 []form
	Advisory                                 struct {
		ClaimedUnchanged, ChangedUnclaimed, ClaimedUnauthorized, Unparseable []string
	}
	Warning          bool
	Files            map[string]diskEntry
	PersistedPaths   map[string]string
	PendingDeletions [][2]string
	Changes          []workspace.Row
	DiskOps          []string
	Error            *struct {
		Kind   fault.Kind
		Reason fault.Reason
	}
}

type counted struct {
	Reason string
	Count  int
	Paths  []string
}

type problem struct {
	Path     *string
	Reason   string
	Rule     string
	Restored *bool
}

type form struct {
	Path, Kind    string
	Before, After any
}

// Spec §12, §13, §14: each file, both reading everything and trusting identities. Where
// a read fails that a stat says nothing of, everything must be read.
func TestVectorReread(t *testing.T)      { testVectors(t, "reread") }
func TestVectorBounds(t *testing.T)      { testVectors(t, "bounds") }
func TestVectorIdentity(t *testing.T)    { testVectors(t, "identity") }
func TestVectorInterrupted(t *testing.T) { testVectors(t, "interrupted") }

func testVectors(t *testing.T, file string) {
	members := vectortest.Load(t, "runtime", file, "vectors")
	for _, v := range vectortest.Rows[vector](t, members, "vectors") {
		t.Run(v.ID, func(t *testing.T) {
			for _, full := range []bool{true, false} {
				t.Run(fmt.Sprintf("full=%t", full), func(t *testing.T) { v.run(t, full) })
			}
		})
	}
}

func (v vector) run(t *testing.T, full bool) {
	entries := map[string]treemem.Entry{}
	for path, e := range v.Disk {
		entries[path] = e.Entry
	}
	disk, err := treemem.New(entries)
	if err != nil {
		t.Fatal(err)
	}
	exclude := glob.DefaultExclude()
	if v.Exclude != nil {
		exclude = *v.Exclude
	}
	x := newWorld(t, disk, parsePolicy(t, v.Policy), mustBounds(t, v.Bounds), exclude, v.Acquire...)
	x.env.FullCompare = full
	for _, raw := range v.Before {
		v.before(t, x, disk, raw)
	}
	var in inplace
	vectortest.Decode(t, v.Inplace, &in)
	if len(in.Policy) > 0 {
		x.rules = parsePolicy(t, in.Policy)
	}
	p, _, res := x.step(t, disk, in)
	v.check(t, x, p, res)
}

func (v vector) before(t *testing.T, x *world, disk *treemem.Tree, raw json.RawMessage) {
	var kind struct{ Op string }
	if err := json.Unmarshal(raw, &kind); err != nil {
		t.Fatal(err)
	}
	switch kind.Op {
	case "patch":
		var op struct {
			Op string
			Do []patchOp
		}
		vectortest.Decode(t, raw, &op)
		x.patch(op.Do)
	case "write":
		vectortest.Decode(t, raw, &kind)
		x.write()
	case "inplace":
		var in inplace
		vectortest.Decode(t, raw, &in)
		x.step(t, disk, in)
	default:
		t.Fatalf("no such op before the invocation: %s", raw)
	}
}

// step runs an invocation as a row describes it.
func (x *world) step(t *testing.T, disk *treemem.Tree, in inplace) (*reread.Prepared, *reread.Snapshot, *reread.Result) {
	t.Helper()
	inv := reread.Invocation{Engine: "tool", Scope: globs(t, in.Scope), Selector: globs(t, in.Selector), ReadOnly: in.ReadOnly}
	return x.invoke(inv, func() reread.End {
		moves, failing := mounted(t, disk, in.Disk)
		x.env.FullCompare = x.env.FullCompare || failing
		end := reread.End{Moves: moves, Claims: in.Claims}
		if end.Claims == nil {
			end.Claims = []byte("{}")
		}
		if in.Result != "" && in.Result != "ok" {
			end.Reason = fault.Reason(in.Result)
		}
		return end
	})
}

func (v vector) check(t *testing.T, x *world, p *reread.Prepared, res *reread.Result) {
	t.Helper()
	var want expectation
	vectortest.Decode(t, v.Expected, &want)
	diff(t, "allowlist", want.Allowlist, p.Allowlist)
	diff(t, "withheld", want.Withheld, p.Withheld)
	diff(t, "denied", want.Denied, countedOf(p.Diagnostics, diagnostic.Info))
	if want.Unsaved != nil {
		want.Unsaved.Reason = "unsaved"
	}
	diff(t, "unsaved", want.Unsaved, countedOf(p.Diagnostics, diagnostic.Warning))

	outcome := map[string]reread.OutcomeKind{}
	for _, o := range res.Outcomes {
		if _, twice := outcome[o.Path]; twice {
			t.Errorf("%s has two outcomes", o.Path)
		}
		outcome[o.Path] = o.Kind
	}
	diff(t, "outcome", want.Outcome, outcome)
	diff(t, "changed", want.Changed, res.Changed)
	diff(t, "errors", want.Errors, problems(t, res.Errors))
	diff(t, "identity", fmt.Sprint(want.Identity), fmt.Sprint(forms(res.Notes)))
	var advisory reread.Advisory
	if res.Advisory != nil {
		advisory = *res.Advisory
	}
	diff(t, "advisory", reread.Advisory(want.Advisory), advisory)
	if got := len(res.Warnings) > 0; got != want.Warning {
		t.Errorf("warnings %+v, want one: %t", res.Warnings, want.Warning)
	}
	v.checkWorkspace(t, x, want, res)
	diff(t, "disk operations", want.DiskOps, x.undid)
	switch {
	case want.Error == nil && res.Err != nil:
		t.Errorf("got %v, want no error", res.Err)
	case want.Error != nil && !fault.Is(errOf(res), want.Error.Kind, want.Error.Reason):
		t.Errorf("got %v, want %s %s", res.Err, want.Error.Kind, want.Error.Reason)
	}
}

func errOf(res *reread.Result) error {
	if res.Err == nil {
		return nil
	}
	return res.Err
}

func (v vector) checkWorkspace(t *testing.T, x *world, want expectation, res *reread.Result) {
	t.Helper()
	got := map[string]treemem.Entry{}
	for path, f := range res.Workspace.All() {
		data, err := x.env.Store.Get(f.Content, nil)
		if err != nil {
			t.Fatal(err)
		}
		got[path] = treemem.Entry{Data: string(data), Mode: f.Mode}
	}
	files := map[string]treemem.Entry{}
	for path, e := range want.Files {
		if e.Mode == 0 {
			e.Mode = 0o644
		}
		files[path] = e.Entry
	}
	diff(t, "files", files, got)
	diff(t, "unreadable", want.Unreadable, res.Workspace.UnreadablePaths())
	diff(t, "persisted paths", want.PersistedPaths, res.Workspace.PersistedPaths())
	pending := [][2]string{}
	for _, d := range res.Workspace.PendingDeletions() {
		pending = append(pending, [2]string{d.LastPath, d.Disk})
	}
	diff(t, "pending deletions", want.PendingDeletions, pending)
	rows, err := workspace.Account(x.env.Store, res.Workspace, res.Baselines, 1)
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "changes", want.Changes, rows)
}

// diff compares; an empty list is as good as none.
func diff[T any](t *testing.T, what string, want, got T) {
	t.Helper()
	empty := cmp.FilterValues(func(a, b []string) bool { return len(a) == 0 && len(b) == 0 }, cmp.Ignore())
	if isEmpty(want) && isEmpty(got) {
		return
	}
	if d := cmp.Diff(want, got, empty); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func isEmpty(v any) bool {
	s := strings.TrimPrefix(fmt.Sprint(v), "map")
	return s == "[]" || s == "<nil>"
}

func countedOf(list []diagnostic.Diagnostic, severity diagnostic.Severity) *counted {
	i := slices.IndexFunc(list, func(d diagnostic.Diagnostic) bool { return d.Severity == severity })
	if i < 0 {
		return nil
	}
	return &counted{Reason: list[i].Reason, Count: list[i].Count, Paths: list[i].Paths}
}

func problems(t *testing.T, list []diagnostic.Diagnostic) []problem {
	var out []problem
	for _, d := range list {
		if d.Severity != diagnostic.Error || d.Message == "" || d.EngineID != "" {
			t.Errorf("got %+v, want an error of the runtime with a message", d)
		}
		p := problem{Reason: d.Reason, Rule: d.Rule, Restored: d.Restored}
		if d.Path != "" {
			p.Path = &d.Path
		}
		out = append(out, p)
	}
	return out
}

func forms(notes []reread.Note) []form {
	var out []form
	for _, n := range notes {
		out = append(out, form{Path: n.Path, Kind: n.Kind, Before: n.Before, After: n.After})
	}
	return out
}

func TestVectorDecoderRefusesUnknownKeys(t *testing.T) {
	dec := json.NewDecoder(bytes.NewReader([]byte(`{"do": "write", "what": 1}`)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&diskOp{}); err == nil {
		t.Error("an unknown key of a disk operation was accepted")
	}
}
