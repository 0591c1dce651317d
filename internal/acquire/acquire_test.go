package acquire

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/enumerate"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/text"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
	"github.com/fettle-dev/fettle/internal/workspace"
)

func request(t testing.TB, entries ...string) Request {
	t.Helper()
	types, err := text.NewTypes(text.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := glob.ParseEntries(glob.DefaultExclude(), glob.Exclude, 32)
	if err != nil {
		t.Fatal(err)
	}
	return Request{Entries: entries, Exclude: glob.NewExclusion(list), Bounds: workspace.DefaultBounds(), Types: types}
}

func source(t testing.TB, r tree.Reader) Source {
	t.Helper()
	p, err := policy.Parse([]policy.Spec{{}}, 32)
	if err != nil {
		t.Fatal(err)
	}
	return Source{Tree: r, Policy: policy.Fixed(p)}
}

func memory(t testing.TB, files map[string]string) *treemem.Tree {
	t.Helper()
	m, err := treemem.New(treemem.Files(files))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func acquire(s Source, req Request) (*Result, error) {
	res, err := s.Resolve(context.Background(), req)
	if err != nil {
		return nil, err
	}
	return s.Read(context.Background(), req, res, &content.Memory{})
}

// counting counts what is read.
type counting struct {
	tree.Reader
	read *[]string
}

func (c counting) ReadFile(path string, limit int64, buf []byte) ([]byte, tree.Identity, error) {
	*c.read = append(*c.read, path)
	return c.Reader.ReadFile(path, limit, buf)
}

func TestNothingIsReadBeforeTheGate(t *testing.T) {
	var read []string
	s := source(t, counting{memory(t, map[string]string{"a.ts": "a", "b.ts": "b", "c.png": "c"}), &read})
	res, err := s.Resolve(context.Background(), request(t, "b.ts", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a.ts", "b.ts"}; !slices.Equal(res.Paths(), want) || len(read) > 0 {
		t.Errorf("resolved %q having read %q, want %q and nothing", res.Paths(), read, want)
	}
}

func TestAnEmptyRequestGivesAnEmptyWorkspaceWithoutAPolicy(t *testing.T) {
	s := Source{Tree: memory(t, nil), Policy: policy.Fixed(nil)}
	got, err := acquire(s, request(t))
	if err != nil || got.Workspace.Len() != 0 {
		t.Errorf("got %v, %v; want an empty workspace", got, err)
	}
}

func TestTheFirstEntryThatCannotBeHadDecides(t *testing.T) {
	m := memory(t, map[string]string{"a.ts": "a", "deep/x/y/z.ts": "z", "bin": "b"})
	tests := []struct {
		name    string
		entries []string
		kind    fault.Kind
		reason  fault.Reason
		path    string
	}{
		{"a literal before a pattern", []string{"nope.ts", "nope/*"}, fault.BadArgument, "absent", "nope.ts"},
		{"a pattern before a literal", []string{"nope/*", "nope.ts"}, fault.BadArgument, "no-match", "nope/*"},
		{"a pattern before one that doesn't parse", []string{"nope/*", "[a]*"}, fault.BadArgument, "no-match", "nope/*"},
		{"one that doesn't parse before a pattern", []string{"[a]*", "nope/*"}, fault.BadArgument, "character-class", "[a]*"},
		{"the first of two patterns", []string{"*.ts", "no/*", "nope/*"}, fault.BadArgument, "no-match", "no/*"},
		{"a pattern that is too deep after one without match", []string{"nope/*", "deep/**"}, fault.BadArgument, "no-match", "nope/*"},
		{"a pattern that is too deep before one without match", []string{"deep/**", "nope/*"}, fault.WorkspaceBounds, "maxDepth", "deep/x"},
		{"literals beyond the bound", []string{"a.ts", "a.ts", "deep/x/y/z.ts"}, fault.WorkspaceBounds, "maxDepth", "deep/x/y/z.ts"},
	}
	for _, tt := range tests {
		req := request(t, tt.entries...)
		req.Bounds.MaxDepth = 2
		_, err := source(t, m).Resolve(context.Background(), req)
		if e := fault.As(err); e == nil || e.Kind != tt.kind || e.Reason != tt.reason || e.Path != tt.path {
			t.Errorf("%s: got %v, want %s (%s) of %q", tt.name, err, tt.kind, tt.reason, tt.path)
		}
	}
}

func TestTooManyFilesEndTheWalkAtOnce(t *testing.T) {
	files := map[string]string{"lit.ts": "l"}
	for i := range 100 {
		files[fmt.Sprintf("%02d/a.ts", i)] = "a"
		files[fmt.Sprintf("%02d/b.png", i)] = "b"
	}
	m := memory(t, files)
	m.FailList("50", fs.ErrPermission) // never reached
	req := request(t, "lit.ts", "lit.ts", "*/*")
	req.Bounds.MaxFiles = 10
	_, err := source(t, m).Resolve(context.Background(), req)
	if !fault.Is(err, fault.WorkspaceBounds, fault.ReasonMaxFiles) {
		t.Errorf("got %v, want maxFiles", err)
	}
	req.Entries = []string{"0*/a.ts", "00/*"}
	if res, err := source(t, m).Resolve(context.Background(), req); err != nil || len(res.Paths()) != 10 {
		t.Errorf("exactly as many as allowed: got %v", err)
	}
	req.Entries = []string{"lit.ts", "00/a.ts", "01/a.ts"}
	req.Bounds.MaxFiles = 2
	if _, err := source(t, m).Resolve(context.Background(), req); !fault.Is(err, fault.WorkspaceBounds, fault.ReasonMaxFiles) {
		t.Errorf("literals alone: got %v, want maxFiles", err)
	}
}

func TestAFailingWalkFailsTheAcquisition(t *testing.T) {
	m := memory(t, map[string]string{"src/a.ts": "a"})
	m.FailList("src", fs.ErrPermission)
	_, err := acquire(source(t, m), request(t, "src/*"))
	if !fault.Is(err, fault.StepFailed, fault.ReasonEnumeration) || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v, want StepFailed enumeration with its cause", err)
	}
}

func TestNamesThatCannotBeWrittenAreSkippedWithOneWarning(t *testing.T) {
	m := memory(t, map[string]string{"a.ts": "a", "b\xff.ts": "b", `c\d.ts`: "c", "~e.ts": "e", " f.ts": "f", "g\nh.ts": "g"})
	got, err := acquire(source(t, m), request(t, "*.ts"))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a.ts", "g\nh.ts"}; !slices.Equal(got.Workspace.Paths(), want) {
		t.Errorf("acquired %q, want %q", got.Workspace.Paths(), want)
	}
	want := []string{" f.ts", "b\uFFFD.ts", `c\d.ts`, "~e.ts"}
	if len(got.Warnings) != 1 || got.Warnings[0].Reason != Unaddressable || got.Warnings[0].Count != 4 || !slices.Equal(got.Warnings[0].Paths, want) {
		t.Errorf("warnings %+v, want one for %q", got.Warnings, want)
	}
}

func TestALiteralWinsOverExclusionAndIsNotCounted(t *testing.T) {
	m := memory(t, map[string]string{"gen.ts": "g", "src/gen.ts": "g", "out/a.ts": "a", "b.ts": "b", "ig.ts": "i"})
	req := request(t, "gen.ts", "out/a.ts", "ig.ts", "**/*.ts")
	list, err := glob.ParseEntries([]string{"**/gen.ts", "out/**"}, glob.Exclude, 32)
	if err != nil {
		t.Fatal(err)
	}
	req.Exclude, req.RespectGitignore = glob.NewExclusion(list), true
	s := source(t, m)
	s.Gitignore = func(context.Context) (enumerate.Ignored, error) { return ignoredPaths{"ig.ts"}, nil }
	got, err := acquire(s, req)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"b.ts", "gen.ts", "ig.ts", "out/a.ts"}; !slices.Equal(got.Workspace.Paths(), want) {
		t.Errorf("acquired %q, want %q", got.Workspace.Paths(), want)
	}
	if want := (enumerate.Count{Files: 1, Directories: 1}); got.Excluded != want || got.Gitignored != (enumerate.Count{}) {
		t.Errorf("excluded %+v, ignored %+v; want %+v and none", got.Excluded, got.Gitignored, want)
	}
}

func TestALiteralThatNoPatternMatchesIsNotCountedEither(t *testing.T) {
	req := request(t, "gen.ts", "*.md")
	list, err := glob.ParseEntries([]string{"gen.*"}, glob.Exclude, 32)
	if err != nil {
		t.Fatal(err)
	}
	req.Exclude = glob.NewExclusion(list)
	got, err := acquire(source(t, memory(t, map[string]string{"gen.ts": "g", "gen.md": "g", "a.md": "a"})), req)
	if err != nil {
		t.Fatal(err)
	}
	if want := (enumerate.Count{Files: 1}); got.Excluded != want {
		t.Errorf("excluded %+v, want %+v", got.Excluded, want)
	}
}

func TestGitThatFailsFailsTheAcquisitionAndOneThatIsAbsentDoesNot(t *testing.T) {
	s, req := source(t, memory(t, map[string]string{"a.ts": "a"})), request(t, "*.ts")
	req.RespectGitignore = true
	for _, tt := range []struct {
		err  error
		fail bool
	}{{fmt.Errorf("no git: %w", enumerate.ErrNotOffered), false}, {fs.ErrPermission, true}} {
		s.Gitignore = func(context.Context) (enumerate.Ignored, error) { return nil, tt.err }
		got, err := acquire(s, req)
		if fault.Is(err, fault.StepFailed, fault.ReasonEnumeration) != tt.fail {
			t.Errorf("%v: got %v, want failure %t", tt.err, err, tt.fail)
		}
		if !tt.fail && (len(got.Warnings) != 1 || got.Warnings[0].Reason != GitignoreUnavailable || !strings.Contains(got.Warnings[0].Message, "no git")) {
			t.Errorf("%v: got %+v, want one warning with the cause", tt.err, got.Warnings)
		}
	}
}

// What changes between resolving and reading, which may be days when a gate is asked.
func TestFilesThatChangeBehindTheGate(t *testing.T) {
	change := map[string]func(m *treemem.Tree) error{
		"gone":    func(m *treemem.Tree) error { return m.Delete("a.ts") },
		"link":    func(m *treemem.Tree) error { return m.Put("a.ts", treemem.Entry{Target: "b.ts"}) },
		"fifo":    func(m *treemem.Tree) error { return m.Put("a.ts", treemem.Entry{Kind: tree.Other}) },
		"dir":     func(m *treemem.Tree) error { return m.Put("a.ts", treemem.Entry{Kind: tree.Directory}) },
		"failing": func(m *treemem.Tree) error { m.FailRead("a.ts", fs.ErrPermission); return nil },
		"binary":  func(m *treemem.Tree) error { return m.Write("a.ts", "\x00") },
		"large":   func(m *treemem.Tree) error { return m.Write("a.ts", strings.Repeat("x", 101)) },
	}
	literal := map[string]fault.Reason{
		"gone": "absent", "link": "link", "fifo": "not-regular", "dir": "not-regular", "failing": "io", "binary": "non-text", "large": "maxBytesPerFile",
	}
	match := map[string]fault.Reason{"failing": "io", "large": "maxBytesPerFile"}
	for name, do := range change {
		for entry, want := range map[string]fault.Reason{"a.ts": literal[name], "a*": match[name]} {
			m := memory(t, map[string]string{"a.ts": "a", "b.ts": "b"})
			s, req := source(t, m), request(t, entry, "b.ts")
			req.Bounds.MaxBytesPerFile = 100
			res, err := s.Resolve(context.Background(), req)
			if err != nil {
				t.Fatal(err)
			}
			if err := do(m); err != nil {
				t.Fatal(err)
			}
			got, err := s.Read(context.Background(), req, res, &content.Memory{})
			if want == "" && (err != nil || !slices.Equal(got.Workspace.Paths(), []string{"b.ts"})) {
				t.Errorf("%s, acquired by %s: got %v, want b.ts alone", name, entry, err)
			}
			if e := fault.As(err); want != "" && (e == nil || e.Reason != want || e.Path != "a.ts") {
				t.Errorf("%s, acquired by %s: got %v, want %s of a.ts", name, entry, err, want)
			}
		}
	}
}

func TestSkippedByBytesComesTogetherWithSkippedByNameInOrder(t *testing.T) {
	files := map[string]string{}
	for i := range 12 {
		files[fmt.Sprintf("%02d.png", 2*i)] = "x"
		files[fmt.Sprintf("%02d.ts", 2*i+1)] = "\x00"
	}
	got, err := acquire(source(t, memory(t, files)), request(t, "*"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"00.png", "01.ts", "02.png", "03.ts", "04.png", "05.ts", "06.png", "07.ts", "08.png", "09.ts"}
	if len(got.Warnings) != 1 || got.Warnings[0].Count != 24 || !slices.Equal(got.Warnings[0].Paths, want) {
		t.Errorf("got %+v, want one warning of 24 that lists %q", got.Warnings, want)
	}
}

func TestBytesThatAreNoTextFailIfToldTo(t *testing.T) {
	req := request(t, "*")
	req.OnNonText = Fail
	_, err := acquire(source(t, memory(t, map[string]string{"a.ts": "a", "b.ts": "\x00", "c.ts": "\x00"})), req)
	if e := fault.As(err); e == nil || e.Reason != fault.ReasonNonText || e.Path != "b.ts" {
		t.Errorf("got %v, want non-text of b.ts", err)
	}
}

func TestResolvingTwiceFromOneResolutionCountsOnce(t *testing.T) {
	s, req := source(t, memory(t, map[string]string{"a.ts": "\x00"})), request(t, "*")
	res, err := s.Resolve(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := s.Read(context.Background(), req, res, discard{})
		if err != nil || got.Warnings[0].Count != 1 {
			t.Errorf("got %+v, %v; want a count of 1 each time", got, err)
		}
	}
}

func TestBoundsOfAPipeline(t *testing.T) {
	b, err := DecodeBounds([]byte(`{"maxDepth": 3, "maxTotalBytes": 9}`))
	if want := (workspace.Bounds{MaxFiles: 20_000, MaxBytesPerFile: 2 << 20, MaxTotalBytes: 9, MaxDepth: 3}); err != nil || b != want {
		t.Errorf("got %+v, %v; want %+v", b, err, want)
	}
	for raw, want := range map[string]fault.Reason{
		`{"maxFiles": 0}`: "bound", `{"maxFiles": 1.5}`: "bound", `{"maxFiles": "1"}`: "bound", `{"maxFiles": null}`: "bound",
		`{"maxLines": 0}`: "unknown-key", `{"MaxFiles": 1}`: "unknown-key", `[]`: "type",
	} {
		if _, err := DecodeBounds([]byte(raw)); !fault.Is(err, fault.InvalidPipeline, want) {
			t.Errorf("%s: got %v, want %s", raw, err, want)
		}
	}
}
