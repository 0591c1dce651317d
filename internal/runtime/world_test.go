package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/internal/acquire"
	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/gate"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/plan"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/text"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// memory is a State in memory. It can die: from the dieAt-th Save on, nothing works, as
// if the process had been killed right before it, or right after if late.
type memory struct {
	store *content.Memory
	kept  *Checkpoint
	saves int
	full  int // from the full-th Save on there is no room; 0: there is
	dieAt int // 0: never
	late  bool
}

var (
	errKilled = errors.New("killed")
	errFull   = errors.New("no room")
)

func newMemory() *memory { return &memory{store: &content.Memory{}} }

func (m *memory) Store() content.Store { return m.store }

func (m *memory) Load() (*Checkpoint, error) {
	if m.kept == nil {
		return nil, nil
	}
	c := copyOf(*m.kept)
	return &c, nil
}

func (m *memory) Save(c Checkpoint) error {
	m.saves++
	if m.full != 0 && m.saves >= m.full {
		return errFull
	}
	switch {
	case m.dieAt == 0 || m.saves < m.dieAt, m.saves == m.dieAt && m.late:
		c = copyOf(c)
		m.kept = &c
	}
	if m.dieAt != 0 && m.saves >= m.dieAt {
		panic(errKilled)
	}
	return nil
}

func (m *memory) Clear() error { m.kept = nil; return nil }

// revive lets the state work again, for the next process.
func (m *memory) revive() { m.dieAt, m.saves = 0, 0 }

func copyOf(c Checkpoint) Checkpoint {
	if c.Books.Workspace != nil {
		c.Books.Workspace, c.Books.Baselines = c.Books.Workspace.Clone(), c.Books.Baselines.Clone()
	}
	c.Books.Written = slices.Clone(c.Books.Written)
	c.Progress = bytes.Clone(c.Progress)
	if c.Entry != nil {
		entry := *c.Entry
		entry.Write = slices.Clone(entry.Write)
		if entry.Invocation != nil {
			open := *entry.Invocation
			entry.Invocation = &open
		}
		c.Entry = &entry
	}
	return c
}

// tools is a Driver whose tools are functions over the tree.
type tools struct {
	tree  *treemem.Tree
	tools map[string]func(Call) Outcome
	calls []Call
	lose  func(Call) bool // nil: none is lost
}

func (d *tools) Invoke(_ context.Context, call Call) Outcome {
	d.calls = append(d.calls, call)
	if d.lose != nil && d.lose(call) {
		return Outcome{Lost: true}
	}
	o := d.tools[call.Invocation.EngineID](call)
	o.Containment = report.Containment{Kind: "Declared", Exceeds: true}
	o.Roots = []string{"/root"}
	if o.Ended == "" {
		o.Ended = report.EndedOK
	}
	o.Started = true
	return o
}

func (d *tools) Version(_ context.Context, e engine.Engine) string { return e.ID + " 1.0" }

// never is a Gate that nobody answers.
type never struct{}

func (never) Decide(context.Context, gate.Payload, string) ([]gate.Decision, error) { return nil, nil }

// world is a tree with everything around it.
type world struct {
	t      *testing.T
	tree   *treemem.Tree
	state  *memory
	driver *tools
	config Config
}

// newWorld returns a world over these files, with a policy that allows everything.
func newWorld(t *testing.T, files map[string]string, acquired []string, steps ...string) *world {
	t.Helper()
	memtree, err := treemem.New(treemem.Files(files))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, tree: memtree, state: newMemory()}
	w.driver = &tools{tree: w.tree, tools: map[string]func(Call) Outcome{}}
	types, err := text.NewTypes(text.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	w.config = Config{
		Run: "demo-bcdfgh", Pipeline: "demo", Digest: "sha256:0",
		Acquire:  acquire.Request{Entries: acquired, Exclude: excluded(t), Bounds: workspace.DefaultBounds(), Types: types},
		Policy:   allow(t, policy.Spec{Write: policy.Axis{Allow: []string{"**"}}}),
		Engines:  registry(t),
		Deadline: time.Minute,
		Tree:     w.tree, State: w.state, Driver: w.driver, Gate: never{}, Observer: Silent{},
		Now:    func() time.Time { clock = clock.Add(time.Millisecond); return clock },
		Random: rand.NewChaCha8([32]byte{1}),
	}
	for _, s := range steps {
		w.config.Plan.Steps = append(w.config.Plan.Steps, mustStep(t, s))
	}
	return w
}

func excluded(t *testing.T) glob.Exclusion {
	t.Helper()
	entries, err := glob.ParseEntries(glob.DefaultExclude(), glob.Exclude, 32)
	if err != nil {
		t.Fatal(err)
	}
	return glob.NewExclusion(entries)
}

func mustStep(t testing.TB, raw string) plan.Step {
	t.Helper()
	step, err := plan.ParseStep([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return step
}

// restoring denies vendor and has violations undone.
func restoring() policy.Spec {
	return policy.Spec{Write: policy.Axis{Allow: []string{"**"}, Deny: []string{"vendor"}}, OnViolation: policy.Restore}
}

func allow(t *testing.T, specs ...policy.Spec) policy.Source {
	t.Helper()
	p, err := policy.Parse(specs, 32)
	if err != nil {
		t.Fatal(err)
	}
	return policy.Fixed(p)
}

// registry has a formatter, a linter and a checker for ts files.
func registry(t *testing.T) *engine.Registry {
	t.Helper()
	yes := true
	capability := engine.CapabilityDeclaration{
		Extensions: []string{"ts"}, Mode: engine.InPlace, Scope: []string{"**/*.ts"}, Needs: []engine.Need{engine.NeedDelete, engine.NeedRename},
		Invoke: engine.Invoke{Command: []string{"tool"}},
	}
	lint := capability
	lint.Fixable = &yes
	check := engine.CapabilityDeclaration{Extensions: []string{"ts"}, Invoke: engine.Invoke{Command: []string{"tool"}, Paths: engine.PathArgs{As: engine.PathsNone}}}
	r, err := engine.NewRegistry([]engine.Declaration{
		{ID: "fmt", Formats: []engine.CapabilityDeclaration{capability}},
		{ID: "lint", Lints: []engine.CapabilityDeclaration{lint}},
		{ID: "check", Checks: []engine.CapabilityDeclaration{check}},
	}, engine.Driver{
		Needs: []engine.Need{engine.NeedDelete, engine.NeedMkdir, engine.NeedRename}, Modes: []engine.Mode{engine.InPlace}, Accesses: []engine.Access{engine.Mount},
	}, 32)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// tool says what an engine does; done is told to return a fine outcome.
func (w *world) tool(id string, do func(*treemem.Tree, Call) Outcome) {
	w.driver.tools[id] = func(c Call) Outcome { return do(w.tree, c) }
}

func (w *world) run() report.Report {
	w.t.Helper()
	return Run(w.t.Context(), w.config)
}

// ok runs and fails the test if the run did.
func (w *world) ok() report.Report {
	w.t.Helper()
	r := w.run()
	if r.Error != nil {
		w.t.Fatalf("the run failed: %s", r.Error.Sentence())
	}
	return r
}

// held is the text of a file on disk, "" if it isn't there.
func (w *world) held(path string) string {
	data, _, err := w.tree.ReadFile(path, 1<<20, nil)
	if errors.Is(err, tree.ErrAbsent) {
		return ""
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

func kinds(r report.Report) map[string]string {
	out := map[string]string{}
	for _, c := range r.Changes {
		out[c.Path] = c.Kind
	}
	return out
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
