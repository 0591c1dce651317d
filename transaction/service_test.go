package transaction_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/transaction"
	"github.com/fettle-dev/fettle/transaction/mem"
)

func newRoot(t *testing.T, files map[string]string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "root")
	must(t, os.Mkdir(root, 0o755))
	for path, text := range files {
		vecContent{text: text}.write(t, filepath.Join(root, path))
	}
	return root
}

func message(agent, root, id, text string) transaction.Message {
	return transaction.Message{Agent: agent, Session: transaction.Session{ID: "s", Dir: root}, ID: id, Parts: []string{text}}
}

// counting counts the calls of a backend.
type counting struct {
	transaction.Backend
	calls int
}

func (c *counting) CaptureSnapshot(ctx context.Context, sc transaction.Context) (string, error) {
	c.calls++
	return c.Backend.CaptureSnapshot(ctx, sc)
}

// contract-026: a message for two backends asks neither.
func TestAMixedMessageAsksNoBackend(t *testing.T) {
	s, root := newTestService(t), newRoot(t, nil)
	x, y := &counting{Backend: mem.New(nil)}, &counting{Backend: mem.New(nil)}
	s.RegisterResolver(prefixResolver{"x/", transaction.Scope{Root: root, Name: "one", Backend: x}})
	s.RegisterResolver(prefixResolver{"y/", transaction.Scope{Root: root, Name: "one", Backend: y}})
	r, err := s.Commit(t.Context(), message("A", root, "1", "``` file=x/1\n```\n``` file=y/1\n```\n"))
	must(t, err)
	if r.Status != blocks.StatusFailed || r.Errors[0].Code != blocks.CodeMixedRootScope || r.Scope != "" || x.calls+y.calls != 0 {
		t.Errorf("got %s %+v, scope %q, %d calls", r.Status, r.Errors, r.Scope, x.calls+y.calls)
	}
}

// § 20.2: a resolver is gone once its registration is removed, and only that one.
func TestRemovingARegistrationRemovesExactlyThatOne(t *testing.T) {
	s, root := newTestService(t), newRoot(t, nil)
	r := prefixResolver{"m/", transaction.Scope{Root: root, Name: "same", Backend: mem.New(nil)}}
	first := s.RegisterResolver(r)
	second := s.RegisterResolver(r)
	scope := func() string {
		report, err := s.Commit(t.Context(), message("A", root, "1", "``` file=m/x mode=delete\n```\n"))
		must(t, err)
		return report.Scope
	}
	second()
	second()
	if got := scope(); got != "same" {
		t.Errorf("after one was removed: got %q", got)
	}
	first()
	if got := scope(); got != "workspace" {
		t.Errorf("after both were removed: got %q", got)
	}
}

// contract-027, § 11.1: another backend for the same root drops the view.
func TestAnotherBackendDropsTheView(t *testing.T) {
	s, root := newTestService(t), newRoot(t, nil)
	sess := transaction.Session{ID: "s", Dir: root}
	x, y := &counting{Backend: mem.New(map[string][]byte{"a": []byte("1\n")})}, &counting{Backend: mem.New(nil)}
	for i, b := range []*counting{x, x, y, x} {
		_, err := s.PrepareSnapshot(t.Context(), "A", sess, transaction.Scope{Root: root, Name: "n", Backend: b})
		must(t, err)
		if want := []int{1, 1, 1, 2}[i]; x.calls != want {
			t.Errorf("step %d: x was asked %d times for a snapshot, want %d", i, x.calls, want)
		}
	}
}

// The same goes for directories: the view in a store that an agent has left is dropped.
func TestAnotherRootDropsTheView(t *testing.T) {
	s := newTestService(t)
	a, b := newRoot(t, map[string]string{"f": "1\n"}), newRoot(t, nil)
	settleText(t, s, a, "A", "``` file=x\n1\n```\n")
	settleText(t, s, a, "B", "``` file=f\n2\n```\n")
	settleText(t, s, b, "A", "``` file=x\n1\n```\n")
	settleText(t, s, a, "A", "``` file=f\n3\n```\n") // a new view: not stale
}

// contract-028, § 11.4.
func TestAnObservationNeedsTheScopeOfTheView(t *testing.T) {
	s, root := newTestService(t), newRoot(t, map[string]string{"a": "a\n"})
	b := mem.New(nil)
	git, managed := transaction.Scope{Root: root, Name: "workspace"}, transaction.Scope{Root: root, Name: "m", Backend: b}
	o := transaction.Observation{Path: "a", Version: "v"}
	for _, sc := range []transaction.Scope{git, managed} {
		if err := s.RecordObservation("A", o, sc); !errors.Is(err, transaction.ErrScopeMismatch) {
			t.Errorf("without a view: got %v, want ErrScopeMismatch", err)
		}
	}
	for _, sc := range []transaction.Scope{git, managed} {
		_, err := s.PrepareSnapshot(t.Context(), "A", transaction.Session{Dir: root}, sc)
		must(t, err)
		must(t, s.RecordObservation("A", o, sc))
		for _, other := range []transaction.Scope{{Root: root, Name: "t", Backend: sc.Backend}, {Root: root, Name: sc.Name, Backend: mem.New(nil)}} {
			if err := s.RecordObservation("A", o, other); !errors.Is(err, transaction.ErrScopeMismatch) {
				t.Errorf("scope %+v: got %v, want ErrScopeMismatch", other, err)
			}
		}
	}
	if err := s.RecordObservation("A", transaction.Observation{Path: "a"}, managed); err == nil {
		t.Error("an observation without a version was taken")
	}
}

// What a reader was told of is what counts: a version that head hasn't is stale.
func TestARecordedVersionIsComparedWithHead(t *testing.T) {
	root := newRoot(t, map[string]string{"a": "a\n"})
	for name, sc := range map[string]transaction.Scope{
		"git":     {Root: root, Name: "workspace"},
		"managed": {Root: root, Name: "m", Backend: mem.New(map[string][]byte{"a": []byte("a\n")})},
	} {
		s := newTestService(t)
		m := message("A", root, name, "``` file=a\nb\n```\n")
		_, err := s.PrepareSnapshot(t.Context(), "A", m.Session, sc)
		must(t, err)
		must(t, s.RecordObservation("A", transaction.Observation{Path: "a", Version: strings.Repeat("1", 40)}, sc))
		r, err := s.CommitToScope(t.Context(), m, sc)
		must(t, err)
		if r.Status != blocks.StatusStale || len(r.StaleFiles) != 1 || string(r.StaleFiles[0].Content) != "a\n" || r.StaleFiles[0].ObservedVersion != strings.Repeat("1", 40) {
			t.Errorf("%s: got %s %+v", name, r.Status, r.StaleFiles)
		}
		m.ID += " again"
		if r, err = s.CommitToScope(t.Context(), m, sc); err != nil || r.Status != blocks.StatusCommitted {
			t.Errorf("%s, at once again: got %+v, %v", name, r, err)
		}
	}
}

// contract-029, § 11.7: a view survives its process.
func TestAViewSurvivesItsProcess(t *testing.T) {
	root := newRoot(t, map[string]string{"a": "1\n", "b": "1\n"})
	s := newTestService(t)
	settleText(t, s, root, "A", "``` file=a\n2\n```\n")
	settleText(t, s, root, "B", "``` file=b\n2\n```\n")
	must(t, s.Close())
	later := newTestService(t)
	settleText(t, later, root, "A", "``` file=a\n3\n```\n")
	r, err := later.Commit(t.Context(), message("A", root, "stale", "``` file=b\n3\n```\n"))
	must(t, err)
	if r.Status != blocks.StatusStale {
		t.Errorf("what others changed before: got %s, want stale", r.Status)
	}
	later.DisposeAgent("A")
	if out := (repo{t, root + ".fettle-git"}).must("for-each-ref", "refs/fettle/views"); strings.Count(out, "\n") != 1 {
		t.Errorf("after A was disposed of there are the views\n%s", out)
	}
	settleText(t, later, root, "A", "``` file=b\n3\n```\n")
}

// § 4.3: without a policy nothing is allowed; mandatory denies hold under any policy.
func TestPoliciesFailClosed(t *testing.T) {
	root := newRoot(t, nil)
	for name, tt := range map[string]struct {
		opts []transaction.Option
		file string
		code blocks.Code
		says string
	}{
		"no policy":                {nil, "a", blocks.CodePathDenied, "policy-unavailable"},
		"a mandatory deny":         {[]transaction.Option{transaction.WithPolicy(transaction.AllowAll)}, "x/.GitConfig", blocks.CodePathDenied, "mandatory"},
		"an editor's settings":     {[]transaction.Option{transaction.WithPolicy(transaction.AllowAll)}, ".vscode/settings.json", blocks.CodePathDenied, "mandatory"},
		"the private directory":    {[]transaction.Option{transaction.WithPolicy(transaction.AllowAll)}, ".fettle/x", blocks.CodePathDenied, "mandatory"},
		"another private one":      {[]transaction.Option{transaction.WithPolicy(transaction.AllowAll), transaction.WithEnviron(append(os.Environ(), "FETTLE_PRIVATE_DIR=d/own"))}, "d/own/x", blocks.CodePathDenied, "mandatory"},
		"a policy's deny":          {[]transaction.Option{transaction.WithPolicy(denyGlobs(t, []string{"secret/**"}))}, "secret/x", blocks.CodePathDenied, "denied"},
		"what must not be written": {[]transaction.Option{transaction.WithPolicy(readOnlyPolicy{})}, "a", blocks.CodePathDenied, "read only"},
	} {
		s, err := transaction.New(transaction.Defaults(), tt.opts...)
		must(t, err)
		r, err := s.Commit(t.Context(), message("A", root, "1", "``` file="+tt.file+"\nx\n```\n"))
		must(t, err)
		if r.Status != blocks.StatusFailed || r.Errors[0].Code != tt.code || !strings.Contains(r.Errors[0].Hint, tt.says) {
			t.Errorf("%s: got %s %+v, want %s that says %q", name, r.Status, r.Errors, tt.code, tt.says)
		}
	}
	if _, err := os.Stat(root + ".fettle-git"); err == nil {
		t.Error("a store was created")
	}
}

type readOnlyPolicy struct{}

func (readOnlyPolicy) CanRead(string) transaction.Verdict { return transaction.Verdict{Allowed: true} }
func (readOnlyPolicy) CanWrite(string) transaction.Verdict {
	return transaction.Verdict{Reason: "read only"}
}

// § 20.6.
func TestPolicyModes(t *testing.T) {
	root, elsewhere := newRoot(t, nil), newRoot(t, nil)
	must(t, os.Mkdir(filepath.Join(root, "below"), 0o755))
	must(t, os.Symlink(root, root+"-link"))
	for _, tt := range []struct {
		mode    transaction.Mode
		scope   transaction.Scope
		refused bool
	}{
		{transaction.ReadOnly, transaction.Scope{Root: root}, true},
		{transaction.ReadOnly, transaction.Scope{Root: root, Authorization: transaction.AuthMountedWorkspace}, true},
		{transaction.WorkspaceWrite, transaction.Scope{Root: root}, false},
		{transaction.WorkspaceWrite, transaction.Scope{Root: root + "-link"}, false},
		{transaction.WorkspaceWrite, transaction.Scope{Root: filepath.Join(root, "below")}, false},
		{transaction.WorkspaceWrite, transaction.Scope{Root: filepath.Dir(root)}, true},
		{transaction.WorkspaceWrite, transaction.Scope{Root: elsewhere}, true},
		{transaction.WorkspaceWrite, transaction.Scope{Root: elsewhere, Authorization: transaction.AuthMountedWorkspace}, false},
		{transaction.DangerFullAccess, transaction.Scope{Root: elsewhere}, false},
		{"unknown", transaction.Scope{Root: root}, true},
	} {
		s := newTestService(t, transaction.WithModes(fixedMode(tt.mode)))
		tt.scope.Backend = mem.New(nil)
		r, err := s.CommitToScope(t.Context(), message("A", root, "1", "``` file=a\nx\n```\n"), tt.scope)
		must(t, err)
		refused := r.Status == blocks.StatusFailed && r.Errors[0].Code == blocks.CodeSandboxDenied
		if refused != tt.refused || !refused && r.Status != blocks.StatusCommitted || refused && r.Scope != "" {
			t.Errorf("%s, %+v: got %s %+v", tt.mode, tt.scope, r.Status, r.Errors)
		}
	}
	s := newTestService(t, transaction.WithModes(brokenModes{}))
	r, err := s.Commit(t.Context(), message("A", root, "1", "``` file=a\nx\n```\n"))
	if err != nil || r.Errors[0].Code != blocks.CodeSandboxDenied {
		t.Errorf("a provider that fails: got %+v, %v", r, err)
	}
}

type brokenModes struct{}

func (brokenModes) Mode(context.Context, transaction.Session) (transaction.Mode, error) {
	return transaction.DangerFullAccess, errors.New("nobody knows")
}

// § 20.5.
func TestAResolversErrorFailsTheMessage(t *testing.T) {
	s, root := newTestService(t), newRoot(t, nil)
	s.RegisterResolver(brokenResolver{})
	r, err := s.Commit(t.Context(), message("A", root, "1", "``` file=a\nx\n```\n"))
	if err != nil || r.Status != blocks.StatusFailed || r.Errors[0].Code != blocks.CodeMaterializeFailed || !strings.Contains(r.Errors[0].Detail, "no mount today") {
		t.Errorf("got %+v, %v", r, err)
	}
}

type brokenResolver struct{}

func (brokenResolver) Resolve(context.Context, string, transaction.Session, []string) (*transaction.Scope, error) {
	return nil, errors.New("no mount today")
}

// § 20.1: which directory is the root.
func TestTheDefaultRoot(t *testing.T) {
	dir, configured, env := newRoot(t, nil), newRoot(t, nil), newRoot(t, nil)
	for name, tt := range map[string]struct {
		session, root string
		environ       []string
		want          string
	}{
		"the session's":             {dir, configured, []string{"FETTLE_ROOT=" + env}, dir},
		"the configured":            {"", configured, nil, configured},
		"with WS expanded":          {"", "$WS", []string{"WS=" + configured}, configured},
		"with FETTLE_ROOT":          {"", "${FETTLE_ROOT}", []string{"FETTLE_ROOT=" + env}, env},
		"FETTLE_ROOT replaces it":   {"", configured, []string{"FETTLE_ROOT=" + env}, env},
		"other variables stay":      {"", "/none/$HOME", []string{"HOME=/x"}, ""},
		"a relative one is refused": {"", "relative", nil, ""},
	} {
		cfg := transaction.Defaults()
		cfg.Root = tt.root
		s, err := transaction.New(cfg, transaction.WithPolicy(transaction.AllowAll), transaction.WithEnviron(append(tt.environ, "PATH="+os.Getenv("PATH"))))
		must(t, err)
		r, err := s.Commit(t.Context(), transaction.Message{Agent: "A", Session: transaction.Session{ID: "s", Dir: tt.session}, ID: name, Parts: []string{"``` file=here\n" + name + "\n```\n"}})
		must(t, err)
		if tt.want == "" {
			if r.Status != blocks.StatusFailed || r.Errors[0].Code != blocks.CodeMaterializeFailed {
				t.Errorf("%s: got %s, want failed", name, r.Status)
			}
			continue
		}
		if got, _ := os.ReadFile(filepath.Join(tt.want, "here")); string(got) != name+"\n" {
			t.Errorf("%s: it is not in %s: %s %+v", name, tt.want, r.Status, r.Errors)
		}
		must(t, s.Close())
	}
}

// § 21.6.
func TestTransactionIDs(t *testing.T) {
	s, root := newTestService(t), newRoot(t, nil)
	m := message("A", root, "m", "``` file=a\nx\n```\n")
	r, err := s.Commit(t.Context(), m)
	must(t, err)
	if want := fmt.Sprintf("%x", sha256.Sum256([]byte("s\x00m"))); r.TransactionID != want {
		t.Errorf("got the id %q, want %q", r.TransactionID, want)
	}
	if out := (repo{t, root + ".fettle-git"}).must("log", "-1", "--format=%B", canonicalRef); out != "fettle: 1 file(s)\n\nFettle-Agent: A\nFettle-Transaction: "+r.TransactionID+"\n\n" {
		t.Errorf("got the message %q", out)
	}
	m.TransactionID = "a.B_9:-"
	if r, err := s.Commit(t.Context(), m); err != nil || r.TransactionID != m.TransactionID {
		t.Errorf("got %+v, %v", r, err)
	}
	for _, id := range []string{"a b", "é", "a/b", strings.Repeat("x", 129), "a\n"} {
		m.TransactionID = id
		if r, err := s.Commit(t.Context(), m); !errors.Is(err, transaction.ErrTransactionID) {
			t.Errorf("%q: got %+v, %v, want ErrTransactionID", id, r, err)
		}
	}
}

func TestConfigurationIsCheckedAtTheStart(t *testing.T) {
	for want, change := range map[string]func(*transaction.Config){
		"canonicalRef: \"heads/x\"":          func(c *transaction.Config) { c.CanonicalRef = "heads/x" },
		"canonicalRef: \"refs/a..b\"":        func(c *transaction.Config) { c.CanonicalRef = "refs/a..b" },
		"canonicalRef: \"refs/fettle/lock\"": func(c *transaction.Config) { c.CanonicalRef = "refs/fettle/lock" },
		"maxCasRetries: 0":                   func(c *transaction.Config) { c.MaxCasRetries = 0 },
		"tempFileKeep: -1":                   func(c *transaction.Config) { c.TempFileKeep = -1 },
		"rootAliases: \"w\"":                 func(c *transaction.Config) { c.RootAliases = []string{"w"} },
		"maxFileSize: 0":                     func(c *transaction.Config) { c.MaxFileSize = 0 },
	} {
		cfg := transaction.Defaults()
		change(&cfg)
		if _, err := transaction.New(cfg); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestADisabledServiceLooksAtNothing(t *testing.T) {
	cfg := transaction.Defaults()
	cfg.Enabled = false
	s, err := transaction.New(cfg)
	must(t, err)
	if r, err := s.Commit(t.Context(), message("A", "/none", "1", "``` file=a\nx\n```\n")); r != nil || err != nil {
		t.Errorf("got %+v, %v", r, err)
	}
}

// § 23.1: the newest publisher first, the first receipt wins, and it sees raw paths.
func TestPublishersAreAskedTheNewestFirst(t *testing.T) {
	s, root := newTestService(t), newRoot(t, nil)
	var asked []string
	add := func(name string, receipt *transaction.Receipt) func() {
		return s.RegisterPublisher(publisherFunc(func(req transaction.PublishRequest) (*transaction.Receipt, error) {
			asked = append(asked, name+" "+strings.Join(req.Paths, ","))
			return receipt, nil
		}))
	}
	add("oldest", &transaction.Receipt{Scope: "no"})
	add("middle", &transaction.Receipt{Scope: "yes", Revision: "r", NoOp: true})
	remove := add("removed", &transaction.Receipt{Scope: "no"})
	add("newest", nil)
	remove()
	r, err := s.Commit(t.Context(), message("A", root, "1", "``` file=d//a\nx\n```\n"))
	must(t, err)
	if want := []string{"newest d//a", "middle d//a"}; !slices.Equal(asked, want) {
		t.Errorf("asked were %q, want %q", asked, want)
	}
	if want := []blocks.Publication{{Scope: "yes", Revision: "r", NoOp: true}}; !slices.Equal(r.Publications, want) {
		t.Errorf("got %+v, want %+v", r.Publications, want)
	}
}

type publisherFunc func(transaction.PublishRequest) (*transaction.Receipt, error)

func (f publisherFunc) Publish(_ context.Context, req transaction.PublishRequest) (*transaction.Receipt, error) {
	return f(req)
}

// contract-023, § 23.2: an observer hears of every transaction once and can't harm one.
func TestObserversHearOfEveryTransactionOnce(t *testing.T) {
	s, root := newTestService(t), newRoot(t, nil)
	var heard []string
	s.RegisterObserver(observerFunc(func(r *transaction.Report) { heard = append(heard, string(r.Status)) }))
	s.RegisterObserver(observerFunc(func(*transaction.Report) { panic("no") }))
	for i, text := range []string{"prose", "``` file=a\nx\n```\n", "``` file=../a\nx\n```\n", "``` file=a\nx\n```\n", "``` FILE=a\nx\n```\n"} {
		_, err := s.Commit(t.Context(), message("A", root, fmt.Sprint(i), text))
		must(t, err)
	}
	if want := []string{"committed", "failed", "unchanged", "unchanged"}; !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
}

type observerFunc func(*transaction.Report)

func (f observerFunc) TransactionSettled(_ context.Context, _ transaction.Session, r *transaction.Report) {
	f(r)
}

// § 23.5.
func TestTheFileViewIsToldOfEveryResult(t *testing.T) {
	s, root := newTestService(t), newRoot(t, map[string]string{"gone": "x\n"})
	v := &fileView{}
	s.SetFileView(v)
	settleText(t, s, root, "A", "``` file=a\nx\n```\n``` file=gone mode=delete\n```\n``` file=broken\nx\n```\n``` file=panics\nx\n```\n")
	if want := []string{"a version of a", "gone absent"}; !slices.Equal(v.observed, want) {
		t.Errorf("observed were %q, want %q", v.observed, want)
	}
	_, err := s.Commit(t.Context(), message("A", root, "2", "``` file=../a\nx\n```\n"))
	must(t, err)
	if len(v.observed) != 2 {
		t.Errorf("after a failure: observed were %q", v.observed)
	}
}

type fileView struct{ observed []string }

func (v *fileView) Stat(_ context.Context, s transaction.Session, path string) (string, error) {
	switch path {
	case "broken":
		return "", errors.New("no")
	case "panics":
		panic("no")
	}
	if _, err := os.Stat(filepath.Join(s.Dir, path)); err != nil {
		return transaction.VersionAbsent, nil //nolint:nilerr // what isn't there has a version of its own
	}
	return "version of " + path, nil
}

func (v *fileView) Observed(_ context.Context, _ transaction.Session, path, version string) {
	v.observed = append(v.observed, path+" "+version)
}
