package transaction_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/transaction"
	"github.com/fettle-dev/fettle/transaction/internal/store"
)

type scenario struct {
	Workspace struct {
		Kind      string                `json:"kind"`
		Files     map[string]vecContent `json:"files"`
		Untracked map[string]vecContent `json:"untracked"`
		NestedGit []string              `json:"nestedGit"`
	} `json:"workspace"`
	Outside     map[string]vecContent `json:"outside"`
	DumpOutside []string              `json:"dumpOutside"`
	Config      scenarioConfig        `json:"config"`
	Policy      struct {
		Deny []string `json:"deny"`
	} `json:"policy"`
	Sandbox   transaction.Mode   `json:"sandbox"`
	Resolvers []scenarioResolver `json:"resolvers"`
	Publisher *struct {
		Decline bool `json:"decline"`
		Reject  bool `json:"reject"`
	} `json:"publisher"`
	Steps []scenarioStep `json:"steps"`
}

type scenarioResolver struct {
	Prefix        string                    `json:"prefix"`
	Root          string                    `json:"root"`
	Scope         string                    `json:"scope"`
	Authorization transaction.Authorization `json:"authorization"`
}

type scenarioConfig struct {
	EditFormat           *blocks.EditFormat `json:"editFormat"`
	Newline              *blocks.Newline    `json:"newline"`
	MaxFileSize          *int64             `json:"maxFileSize"`
	MaxTotalSize         *int64             `json:"maxTotalSize"`
	MaxFilesPerMessage   *int               `json:"maxFilesPerMessage"`
	MaxEditDrift         *int               `json:"maxEditDrift"`
	DiffLineLimit        *int               `json:"diffLineLimit"`
	MaxEchoBytes         *int64             `json:"maxEchoBytes"`
	RejectCaseCollisions *bool              `json:"rejectCaseCollisions"`
	MaxCasRetries        *int               `json:"maxCasRetries"`
}

func (c scenarioConfig) config() transaction.Config {
	cfg := transaction.Defaults()
	cfg.RootAliases = []string{"/workspace"}
	set(&cfg.EditFormat, c.EditFormat)
	set(&cfg.Newline, c.Newline)
	set(&cfg.MaxFileSize, c.MaxFileSize)
	set(&cfg.MaxTotalSize, c.MaxTotalSize)
	set(&cfg.MaxFilesPerMessage, c.MaxFilesPerMessage)
	set(&cfg.MaxEditDrift, c.MaxEditDrift)
	set(&cfg.DiffLineLimit, c.DiffLineLimit)
	set(&cfg.MaxEchoBytes, c.MaxEchoBytes)
	set(&cfg.RejectCaseCollisions, c.RejectCaseCollisions)
	set(&cfg.MaxCasRetries, c.MaxCasRetries)
	return cfg
}

type scenarioStep struct {
	Op    string          `json:"op"`
	Agent string          `json:"agent"`
	Text  json.RawMessage `json:"text"`
	Kill  *struct {
		Projected []string `json:"projected"`
	} `json:"kill"`
	Path     string                `json:"path"`
	Content  vecContent            `json:"content"`
	Commits  []raceCommit          `json:"commits"`
	Revision string                `json:"revision"`
	Name     string                `json:"name"`
	Changes  map[string]vecContent `json:"changes"`
	Paths    []string              `json:"paths"`
}

type raceCommit struct {
	Path    string  `json:"path"`
	Content vecText `json:"content"`
}

// parts returns the text parts of a message step.
func (s scenarioStep) parts(t *testing.T) []string {
	t.Helper()
	var parts []vecText
	if json.Unmarshal(s.Text, &parts) != nil {
		var one vecText
		must(t, json.Unmarshal(s.Text, &one))
		parts = []vecText{one}
	}
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = string(p)
	}
	return out
}

type scenarioOut struct {
	Steps     []map[string]any `json:"steps"`
	Worktree  map[string]any   `json:"worktree"`
	Outside   map[string]any   `json:"outside"`
	Canonical *map[string]any  `json:"canonical"`
	Commits   int              `json:"commits"`
}

// run is a scenario while it runs.
type run struct {
	t       *testing.T
	in      scenario
	base    string
	root    string
	service *transaction.Service
	races   []raceCommit
	message int
}

func TestVectorTransaction(t *testing.T) {
	runVectors(t, "transaction", func(t *testing.T, in scenario, want scenarioOut) {
		base := t.TempDir()
		r := &run{t: t, in: in, base: base, root: filepath.Join(base, "root")}
		r.plant()
		r.start()
		var got []any
		for _, s := range in.Steps {
			if out := r.step(s); out != nil {
				got = append(got, out)
			}
		}
		wantSteps := make([]any, len(want.Steps))
		for i, s := range want.Steps {
			wantSteps[i] = s
		}
		compare(t, "steps", got, wantSteps)
		compare(t, "worktree", showDisk(t, r.root), any(want.Worktree))
		outside := map[string]any{}
		for _, path := range in.DumpOutside {
			if data, err := os.ReadFile(filepath.Join(base, path)); err == nil {
				outside[path] = showBytes(data)
			}
		}
		compare(t, "outside", any(outside), any(want.Outside))
		r.checkCanonical(want)
	})
}

func (r *run) repo() repo { return repo{r.t, r.root + ".fettle-git"} }

func (r *run) checkCanonical(want scenarioOut) {
	r.t.Helper()
	if want.Canonical == nil {
		if r.repo().exists() {
			r.t.Error("a store was created")
		}
		return
	}
	if !r.repo().exists() {
		r.t.Fatal("no store was created")
	}
	compare(r.t, "canonical", r.repo().show(canonicalRef), any(*want.Canonical))
	if got := len(r.repo().commits()); got != want.Commits {
		r.t.Errorf("got %d commits, want %d", got, want.Commits)
	}
	r.repo().must("fsck", "--strict")
}

// plant makes the workspace.
func (r *run) plant() {
	r.t.Helper()
	must(r.t, os.Mkdir(r.root, 0o755))
	w := r.in.Workspace
	for path, c := range w.Files {
		c.write(r.t, filepath.Join(r.root, path))
	}
	nested := slices.Clone(w.NestedGit)
	slices.SortFunc(nested, func(a, b string) int { return strings.Count(b, "/") - strings.Count(a, "/") })
	for _, dir := range nested {
		r.commitAll(filepath.Join(r.root, dir), "-f")
	}
	if w.Kind == "git" {
		r.commitAll(r.root)
	}
	for path, c := range w.Untracked {
		c.write(r.t, filepath.Join(r.root, path))
	}
	for path, c := range r.in.Outside {
		c.write(r.t, filepath.Join(r.base, path))
	}
}

func (r *run) commitAll(dir string, addArgs ...string) {
	r.t.Helper()
	for _, args := range [][]string{{"init", "-q"}, append([]string{"add", "-A"}, addArgs...), {"commit", "-q", "--allow-empty", "-m", "x"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x", "GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x")
		if out, err := cmd.CombinedOutput(); err != nil {
			r.t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
}

// start makes the process that settles messages.
func (r *run) start() {
	r.t.Helper()
	s, err := r.newService(func(at store.Point, _ string) {
		if at == store.BeforeSwap && len(r.races) > 0 {
			c := r.races[0]
			r.races = r.races[1:]
			r.repo().race(c.Path, string(c.Content))
		}
	})
	must(r.t, err)
	r.t.Cleanup(func() { s.Close() })
	r.service = s
}

func (r *run) newService(probe store.Probe) (*transaction.Service, error) {
	opts := []transaction.Option{
		transaction.WithPolicy(denyGlobs(r.t, r.in.Policy.Deny)),
		transaction.WithGit(func(s *store.Settings) { s.Probe = probe }),
	}
	if r.in.Sandbox != "" {
		opts = append(opts, transaction.WithModes(fixedMode(r.in.Sandbox)))
	}
	s, err := transaction.NewUnchecked(r.in.Config.config(), opts...)
	if err != nil {
		return nil, err
	}
	for _, res := range r.in.Resolvers {
		root := strings.NewReplacer("{base}", r.base, "{root}", r.root).Replace(res.Root)
		if err := os.MkdirAll(root, 0o755); err != nil {
			return nil, err
		}
		s.RegisterResolver(prefixResolver{res.Prefix, transaction.Scope{Root: root, Name: res.Scope, Authorization: res.Authorization}})
	}
	if r.in.Publisher != nil {
		s.RegisterPublisher(scriptedPublisher{r.in.Publisher.Decline, r.in.Publisher.Reject})
	}
	return s, nil
}

func (r *run) session() transaction.Session { return transaction.Session{ID: "s", Dir: r.root} }

func (r *run) scope() transaction.Scope { return transaction.Scope{Root: r.root, Name: "workspace"} }

// names returns the names of all commits so far.
func (r *run) names() names {
	n := names{}
	nameCommits(n, "", r.repo())
	for i, res := range r.in.Resolvers {
		root := strings.NewReplacer("{base}", r.base, "{root}", r.root).Replace(res.Root)
		if root != r.root {
			nameCommits(n, "R"+string(rune('1'+i)), repo{r.t, root + ".fettle-git"})
		}
	}
	return n
}

// step runs one step and returns what rows say of it, nil for nothing.
func (r *run) step(s scenarioStep) any {
	r.t.Helper()
	switch s.Op {
	case "observe":
		base, err := r.service.PrepareSnapshot(r.t.Context(), s.Agent, r.session(), r.scope())
		must(r.t, err)
		return map[string]any{"op": "observe", "revision": r.names().of(base)}
	case "message":
		return r.messageStep(s)
	case "restart":
		return r.restart()
	case "dropCursor":
		r.repo().must("update-ref", "-d", "refs/fettle/projected")
	case "write":
		s.Content.write(r.t, filepath.Join(r.root, s.Path))
	case "remove":
		must(r.t, os.Remove(filepath.Join(r.root, s.Path)))
	case "race":
		r.races = append(r.races, s.Commits...)
	case "record":
		r.record(s)
	case "run":
		return r.pipeline(s)
	case "absorb":
		return r.absorb("absorb", transaction.AbsorbRequest{Session: r.session(), Paths: s.Paths})
	default:
		r.t.Fatalf("unknown step %q", s.Op)
	}
	return nil
}

func (r *run) messageStep(s scenarioStep) any {
	r.t.Helper()
	r.message++
	m := transaction.Message{Agent: s.Agent, Session: r.session(), ID: string(rune('a' + r.message)), Parts: s.parts(r.t)}
	if s.Kill != nil {
		return r.kill(m, s.Kill.Projected)
	}
	r.service.Submit(r.t.Context(), m)
	toolErr := r.service.AwaitTools(r.t.Context(), m.Session.ID, m.ID)
	if toolErr != nil && !errors.Is(toolErr, transaction.ErrToolsBlocked) {
		r.t.Fatal(toolErr)
	}
	report := r.service.Settled(m.Session.ID, m.ID)
	out := map[string]any{"op": "message", "report": nil, "toolsAllowed": toolErr == nil}
	if report == nil {
		return out
	}
	n := r.names()
	out["report"] = showReport(r.t, report, n)
	out["feedback"] = showFeedback(r.service.Feedback(report), r.in.Config.config().Config)
	if report.Status == blocks.StatusCommitted {
		r.showCommit(out, report.Commit, n)
	}
	return out
}

// showCommit adds what a commit changed, in whichever store it is.
func (r *run) showCommit(out map[string]any, commit string, n names) {
	r.t.Helper()
	for _, where := range append([]string{r.root}, r.resolverRoots()...) {
		at := repo{r.t, where + ".fettle-git"}
		if slices.Contains(at.commits(), commit) {
			paths, parent := at.changedPaths(commit)
			out["commitPaths"], out["parent"] = paths, n.of(parent)
		}
	}
}

func (r *run) resolverRoots() []string {
	var out []string
	for _, res := range r.in.Resolvers {
		out = append(out, strings.NewReplacer("{base}", r.base, "{root}", r.root).Replace(res.Root))
	}
	return out
}

func (r *run) record(s scenarioStep) {
	r.t.Helper()
	commit := ""
	for id, name := range r.names() {
		if name == s.Revision {
			commit = id
		}
	}
	version := blocks.VersionAbsent
	if out, err := r.repo().git("rev-parse", "--verify", "-q", commit+":"+s.Path); err == nil {
		version = strings.TrimSpace(out)
	}
	must(r.t, r.service.RecordObservation(s.Agent, transaction.Observation{Path: s.Path, Version: version, Revision: commit}, r.scope()))
}

// restart makes a new process, which has lost all views, and prepares.
func (r *run) restart() any {
	r.t.Helper()
	must(r.t, r.service.Close())
	for _, ref := range strings.Fields(r.repo().must("for-each-ref", "--format=%(refname)", "refs/fettle/views")) {
		r.repo().must("update-ref", "-d", ref)
	}
	r.start()
	drift, err := r.service.Recover(r.t.Context(), r.root)
	must(r.t, err)
	return map[string]any{"op": "restart", "projected": r.cursor(), "localDrift": asJSON(r.t, drift)}
}

func (r *run) cursor() any {
	return r.names().of(strings.TrimSpace(r.repo().must("rev-parse", "refs/fettle/projected")))
}

func (r *run) pipeline(s scenarioStep) any {
	r.t.Helper()
	_, err := r.service.Recover(r.t.Context(), r.root)
	must(r.t, err)
	var changed []string
	for path, c := range s.Changes {
		at := filepath.Join(r.root, path)
		before, errBefore := os.ReadFile(at)
		c.write(r.t, at)
		after, errAfter := os.ReadFile(at)
		if string(before) != string(after) || (errBefore == nil) != (errAfter == nil) {
			changed = append(changed, path)
		}
	}
	return r.absorb("run", transaction.AbsorbRequest{Session: r.session(), Run: s.Name, Paths: changed})
}

func (r *run) absorb(op string, req transaction.AbsorbRequest) any {
	r.t.Helper()
	report, err := r.service.Absorb(r.t.Context(), req)
	must(r.t, err)
	out := map[string]any{"op": op, "report": nil}
	if report == nil {
		return out
	}
	n := r.names()
	out["report"] = showReport(r.t, report, n)
	if report.Commit != "" {
		r.showCommit(out, report.Commit, n)
	}
	return out
}

// kill has another process settle the message and die after publication, before it
// writes a file or moves the cursor. What it should have written by then is written in
// its place.
func (r *run) kill(m transaction.Message, projected []string) any {
	r.t.Helper()
	job, err := json.Marshal(killJob{Base: r.base, Root: r.root, Config: r.in.Config, Deny: r.in.Policy.Deny, Message: m})
	must(r.t, err)
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledChild$")
	cmd.Env = append(os.Environ(), killEnv+"="+string(job))
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != -1 {
		r.t.Fatalf("the process was not killed: %v\n%s", err, out)
	}
	for _, path := range projected {
		at := filepath.Join(r.root, path)
		if content, err := r.repo().git("cat-file", "blob", canonicalRef+":"+path); err == nil {
			vecContent{text: content}.write(r.t, at)
		} else {
			must(r.t, os.Remove(at))
		}
	}
	n := r.names()
	return map[string]any{
		"op": "message", "killed": true, "canonical": n.of(strings.TrimSpace(r.repo().must("rev-parse", canonicalRef))), "projected": r.cursor(),
	}
}

const killEnv = "FETTLE_TEST_KILL"

type killJob struct {
	Base, Root string
	Config     scenarioConfig
	Deny       []string
	Message    transaction.Message
}

// TestKilledChild is the process that kill starts.
func TestKilledChild(t *testing.T) {
	text := os.Getenv(killEnv)
	if text == "" {
		return
	}
	var job killJob
	must(t, json.Unmarshal([]byte(text), &job))
	r := &run{t: t, base: job.Base, root: job.Root}
	r.in.Config, r.in.Policy.Deny = job.Config, job.Deny
	s, err := r.newService(func(at store.Point, _ string) {
		if at == store.BeforeReplace || at == store.BeforeCursor {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	})
	must(t, err)
	report, err := s.Commit(t.Context(), job.Message)
	t.Fatalf("nothing to be killed at: %+v, %v", report, err)
}

type fixedMode transaction.Mode

func (m fixedMode) Mode(context.Context, transaction.Session) (transaction.Mode, error) {
	return transaction.Mode(m), nil
}

type prefixResolver struct {
	prefix string
	scope  transaction.Scope
}

func (p prefixResolver) Resolve(_ context.Context, _ string, _ transaction.Session, paths []string) (*transaction.Scope, error) {
	if len(paths) == 1 && strings.HasPrefix(paths[0], p.prefix) {
		return &p.scope, nil
	}
	return nil, nil
}

type scriptedPublisher struct{ decline, reject bool }

func (p scriptedPublisher) Publish(context.Context, transaction.PublishRequest) (*transaction.Receipt, error) {
	switch {
	case p.reject:
		return nil, errors.New("the system is closed")
	case p.decline:
		return nil, nil
	}
	return &transaction.Receipt{Scope: "ext", Revision: "r1"}, nil
}

// denyGlobs is a policy that refuses what the globs match and allows the rest.
func denyGlobs(t *testing.T, deny []string) transaction.Policy {
	t.Helper()
	p, err := policy.Parse([]policy.Spec{{Read: policy.Axis{Deny: deny}}}, 100)
	must(t, err)
	return denied{p}
}

// denied asks about reading for both: without an allow list, that is open.
type denied struct{ *policy.Policy }

func (p denied) CanRead(path string) transaction.Verdict  { return verdict(p.Policy.CanRead(path)) }
func (p denied) CanWrite(path string) transaction.Verdict { return verdict(p.Policy.CanRead(path)) }

func verdict(v policy.Verdict) transaction.Verdict {
	return transaction.Verdict{Allowed: v.Allowed, Reason: string(v.Reason)}
}
