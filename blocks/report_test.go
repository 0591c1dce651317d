package blocks

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestReportJSONIsThatOfTheSpecification(t *testing.T) {
	r := Report{
		Status: StatusStale, RepoRevision: "r5", TransactionID: "t", Scope: "workspace",
		StaleFiles: []StaleFile{{Path: "a", Content: []byte("x\xff"), FileVersion: "v2", ObservedVersion: "v1", RepoRevision: "r5", ChangesSinceRead: []Change{{Commit: "c", Message: "m <&>"}}}},
		Hints:      []Hint{{Line: 2, Info: "FILE=x"}},
	}
	want := `{"status":"stale","ok":false,"commit":null,"repoRevision":"r5","transactionId":"t","results":[],"errors":[],` +
		`"hints":[{"line":2,"info":"FILE=x"}],"scope":"workspace","staleFiles":[{"path":"a","content":"eP8=","contentEncoding":"base64",` +
		`"fileVersion":"v2","observedVersion":"v1","repoRevision":"r5","changesSinceRead":[{"commit":"c","agent":null,"message":"m <&>"}]}]}`
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		t.Fatal(err)
	}
	checkText(t, b.String(), want+"\n")
}

func TestErrorJSONHasCountersOfEditsOnly(t *testing.T) {
	for want, e := range map[string]Error{
		`{"code":"PATH_ESCAPE","path":"../a","hint":"h"}`:                                                  {Code: CodePathEscape, Path: "../a", Hint: "h", Line: 3},
		`{"code":"EDIT_MALFORMED","path":null,"hint":"h","bodyLine":1,"editsProposed":0,"editsApplied":0}`: {Code: CodeEditMalformed, Hint: "h", Edit: &EditError{BodyLine: 1}},
	} {
		got, err := json.Marshal(e)
		if err != nil || string(got) != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
}

func TestListsOfAStatusAreNeverMissing(t *testing.T) {
	for status, key := range map[Status]string{
		StatusCommitted: "publications", StatusUnchanged: "publications", StatusStale: "staleFiles",
		StatusPreconditionFailed: "files", StatusEditUnresolved: "files", StatusWorktreeDirty: "dirtyFiles",
	} {
		data, err := json.Marshal(Report{Status: status})
		if err != nil || !strings.Contains(string(data), `"`+key+`":[]`) {
			t.Errorf("%s: got %s, %v, want an empty %s", status, data, err, key)
		}
	}
}

func TestReportsSurviveJSON(t *testing.T) {
	h := hostiles{rng: rand.New(rand.NewPCG(23, 1)), utf8: true}
	for range 500 {
		want := h.report()
		for i := range want.Errors {
			if h.rng.IntN(2) == 0 {
				want.Errors[i].Edit = &EditError{Edit: h.rng.IntN(3), Lines: []int{1}, Proposed: h.rng.IntN(2)}
			}
		}
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Report
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("(-want +got):\n%s", d)
		}
		for i := range got.DirtyFiles {
			if (got.DirtyFiles[i].Content == nil) != (want.DirtyFiles[i].Content == nil) {
				t.Fatalf("null and empty content are mixed up: %q and %q", got.DirtyFiles[i].Content, want.DirtyFiles[i].Content)
			}
		}
	}
}

func TestMalformedContentIsRefused(t *testing.T) {
	for _, doc := range []string{`{"path":"a","content":"!","contentEncoding":"base64"}`, `{"path":"a","content":"x","contentEncoding":"gzip"}`, `{"path":1}`} {
		if err := json.Unmarshal([]byte(doc), new(ShownFile)); err == nil {
			t.Errorf("ShownFile takes %s", doc)
		}
		if err := json.Unmarshal([]byte(doc), new(StaleFile)); err == nil {
			t.Errorf("StaleFile takes %s", doc)
		}
		if err := json.Unmarshal([]byte(doc), new(DirtyFile)); err == nil {
			t.Errorf("DirtyFile takes %s", doc)
		}
	}
}

// § 17: an error that crosses the API unwraps to its code, and every code has a hint.
func TestErrorsUnwrapToTheirCode(t *testing.T) {
	seen := map[string]Code{}
	for _, c := range Codes() {
		err := error(&Error{Code: c, Path: "p q", Token: "t", Detail: "d", Hint: c.Hint()})
		if !errors.Is(err, c) {
			t.Errorf("%v doesn't unwrap to %s", err, c)
		}
		for _, part := range []string{string(c), `"p q"`, `"t"`, "d", c.Hint()} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q doesn't say %q", err, part)
			}
		}
		if c.Hint() == Code("").Hint() {
			t.Errorf("%s has no hint of its own", c)
		}
		if other, ok := seen[c.Hint()]; ok && c != CodeTotalSizeExceeded {
			t.Errorf("%s and %s have one hint", c, other)
		}
		seen[c.Hint()] = c
	}
	if len(Codes()) != 37 {
		t.Errorf("got %d codes", len(Codes()))
	}
}

func TestStatusesThatLetToolsRun(t *testing.T) {
	for _, s := range []Status{StatusStale, StatusPreconditionFailed, StatusEditUnresolved, StatusWorktreeDirty, StatusFailed, StatusProjectionFailed, StatusPublicationFailed, ""} {
		if s.OK() {
			t.Errorf("%q lets tools run", s)
		}
	}
	if !StatusCommitted.OK() || !StatusUnchanged.OK() {
		t.Error("committed and unchanged must let tools run")
	}
}
