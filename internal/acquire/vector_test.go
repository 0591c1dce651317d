package acquire

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/enumerate"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/text"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
	"github.com/fettle-dev/fettle/internal/vectortest"
)

type vector struct {
	ID, Rule, Title, Note string
	Disk                  map[string]diskEntry
	Acquire               []string
	Policy                json.RawMessage
	Bounds                json.RawMessage
	Options               struct {
		OnNoMatch Action `json:"onNoMatch"`
		OnNonText Action `json:"onNonText"`
	}
	MimeTypes        text.Overrides
	Exclude          *[]string
	RespectGitignore bool
	Gitignored       json.RawMessage
	Unlookable       []string
	Expected         expected
}

type expected struct {
	Files      []string
	Warnings   []warning
	Excluded   count
	Gitignored count
	Error      *struct {
		Kind   fault.Kind
		Reason fault.Reason
		Path   *string
	}
}

type warning struct {
	Reason string
	Count  int
	Paths  []string
}

type count struct{ Files, Directories int }

// diskEntry is the content notation of the vectors.
type diskEntry struct{ treemem.Entry }

func (e *diskEntry) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		e.Data = s
		return nil
	}
	var v struct {
		Text, B64, Link string
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return err
	}
	data, err := base64.StdEncoding.DecodeString(v.B64)
	e.Data, e.Target = v.Text+string(data), v.Link
	return err
}

// Spec §9, §7.2, §5.7.
func TestVectorAcquisition(t *testing.T) {
	members := vectortest.Load(t, "runtime", "acquisition", "vectors")
	for _, v := range vectortest.Rows[vector](t, members, "vectors") {
		t.Run(v.ID, func(t *testing.T) {
			got, err := v.run(t)
			if v.Expected.Error != nil {
				v.checkError(t, err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(append([]string{}, v.Expected.Files...), append([]string{}, got.Workspace.Paths()...)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(append([]warning{}, v.Expected.Warnings...), warnings(t, got.Warnings)); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
			if count(got.Excluded) != v.Expected.Excluded || count(got.Gitignored) != v.Expected.Gitignored {
				t.Errorf("left out %+v and %+v, want %+v and %+v", got.Excluded, got.Gitignored, v.Expected.Excluded, v.Expected.Gitignored)
			}
			v.checkContents(t, got)
		})
	}
}

func (v vector) run(t *testing.T) (*Result, error) {
	t.Helper()
	req := Request{
		Entries:          v.Acquire,
		OnNoMatch:        v.Options.OnNoMatch,
		OnNonText:        v.Options.OnNonText,
		RespectGitignore: v.RespectGitignore,
	}
	var err error
	if req.Bounds, err = DecodeBounds(v.Bounds); err != nil {
		return nil, err
	}
	if req.Types, err = text.NewTypes(v.MimeTypes); err != nil {
		return nil, err
	}
	raws := glob.DefaultExclude()
	if v.Exclude != nil {
		raws = *v.Exclude
	}
	list, err := glob.ParseEntries(raws, glob.Exclude, req.Bounds.MaxDepth)
	if err != nil {
		return nil, err
	}
	req.Exclude = glob.NewExclusion(list)
	source := Source{Tree: v.tree(t), Policy: policy.Fixed(parsePolicy(t, v.Policy)), Gitignore: v.gitignore(t)}
	resolution, err := source.Resolve(context.Background(), req)
	if err != nil {
		return nil, err
	}
	return source.Read(context.Background(), req, resolution, &content.Memory{})
}

func (v vector) tree(t *testing.T) *treemem.Tree {
	t.Helper()
	entries := map[string]treemem.Entry{}
	for path, e := range v.Disk {
		entries[path] = e.Entry
	}
	m, err := treemem.New(entries)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range v.Unlookable {
		m.Unlookable(path, true)
	}
	return m
}

type ignoredPaths []string

func (p ignoredPaths) Ignored(path string, _ bool) bool { return slices.Contains(p, path) }

func (v vector) gitignore(t *testing.T) enumerate.Gitignore {
	if len(v.Gitignored) == 0 || string(v.Gitignored) == "null" {
		return nil
	}
	var paths ignoredPaths
	vectortest.Decode(t, v.Gitignored, &paths)
	return func(context.Context) (enumerate.Ignored, error) { return paths, nil }
}

// parsePolicy: absent allows everything, null is no policy.
func parsePolicy(t *testing.T, raw json.RawMessage) *policy.Policy {
	t.Helper()
	if len(raw) == 0 {
		raw = []byte(`{"write": {"allow": ["**"]}}`)
	}
	if string(raw) == "null" {
		return nil
	}
	spec, err := policy.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.Parse([]policy.Spec{spec}, 32)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (v vector) checkError(t *testing.T, err error) {
	t.Helper()
	want, got := v.Expected.Error, fault.As(err)
	if got == nil || got.Kind != want.Kind || got.Reason != want.Reason || want.Path != nil && got.Path != *want.Path {
		t.Errorf("got %v, want %s %s", err, want.Kind, want.Reason)
	}
	if got != nil && (got.Message == "" || got.Hint == "") {
		t.Errorf("the refusal %v says no rule or no way out", got)
	}
}

func warnings(t *testing.T, list []diagnostic.Diagnostic) []warning {
	out := []warning{}
	for _, d := range list {
		if d.Severity != diagnostic.Warning || d.Message == "" || d.Path != "" {
			t.Errorf("got %+v, want a warning with a message and no path", d)
		}
		out = append(out, warning{Reason: d.Reason, Count: d.Count, Paths: d.Paths})
	}
	return out
}

// checkContents holds the baselines to the disk.
func (v vector) checkContents(t *testing.T, got *Result) {
	t.Helper()
	for path, f := range got.Workspace.All() {
		acquired, _ := got.Baselines.Acquired(path)
		persisted, _ := got.Baselines.Persisted(path)
		if f.Origin != path || f.Disk != path || f.Content != acquired || f.Content != persisted.Content {
			t.Errorf("%s: got %+v with baselines %+v and %+v, want one content and the path as identity", path, f, acquired, persisted)
		}
		if want := int64(len(v.Disk[path].Data)); f.Content.Len != want || persisted.ID.Size != want {
			t.Errorf("%s: got %d bytes, want %d", path, f.Content.Len, want)
		}
	}
}
