package blocks_test

import (
	"errors"
	"testing"

	"github.com/fettle-dev/fettle/blocks"
)

// vecEdited is the outcome of an edit.
type vecEdited struct {
	OK            bool            `json:"ok"`
	Content       *vecText        `json:"content"`
	EditsProposed *int            `json:"editsProposed"`
	EditsApplied  *int            `json:"editsApplied"`
	Fuzz          *int            `json:"fuzz"`
	Anchors       []blocks.Anchor `json:"anchors"`
	Error         blocks.Code     `json:"error"`
	Edit          int             `json:"edit"`
	OtherEdit     int             `json:"otherEdit"`
	Matches       int             `json:"matches"`
	Lines         []int           `json:"lines"`
	BodyLine      int             `json:"bodyLine"`
}

func checkEdited(t *testing.T, got blocks.Edited, err error, want vecEdited) {
	t.Helper()
	if err == nil {
		if !want.OK {
			t.Fatalf("got %q, want %s", got.Content, want.Error)
		}
		want.Content.check(t, "content", got.Content)
		diff(t, "proposed", got.Proposed, *want.EditsProposed)
		diff(t, "applied", got.Proposed, *want.EditsApplied)
		diff(t, "fuzz", got.Fuzz, *want.Fuzz)
		diff(t, "anchors", append([]blocks.Anchor{}, got.Anchors...), append([]blocks.Anchor{}, want.Anchors...))
		return
	}
	var e *blocks.Error
	if !errors.As(err, &e) || !errors.Is(err, e.Code) {
		t.Fatalf("got %v, want a *blocks.Error that unwraps to its code", err)
	}
	diff(t, "error", e.Code, want.Error)
	if e.Hint == "" {
		t.Errorf("%s has no hint", e.Code)
	}
	if e.Edit == nil {
		if want.EditsProposed != nil {
			t.Errorf("got no counters, want %d proposed", *want.EditsProposed)
		}
		return
	}
	if want.EditsProposed == nil {
		t.Fatalf("got counters %+v, want none", e.Edit)
	}
	diff(t, "edit error", *e.Edit, blocks.EditError{
		Edit: want.Edit, OtherEdit: want.OtherEdit, BodyLine: want.BodyLine, Matches: want.Matches,
		Lines: want.Lines, Proposed: *want.EditsProposed, Applied: *want.EditsApplied,
	})
}

func TestVectorReplace(t *testing.T) {
	type in struct {
		Content *vecText `json:"content"`
		Body    vecText  `json:"body"`
	}
	runVectors(t, "replace", func(t *testing.T, in in, want vecEdited) {
		got, err := blocks.ResolveReplace(in.Content.bytes(), in.Body.text)
		checkEdited(t, got, err, want)
	})
}

func TestVectorDiff(t *testing.T) {
	type in struct {
		Content  *vecText `json:"content"`
		Body     vecText  `json:"body"`
		MaxDrift *int     `json:"maxDrift"`
	}
	runVectors(t, "diff", func(t *testing.T, in in, want vecEdited) {
		drift := blocks.Defaults().MaxEditDrift
		set(&drift, in.MaxDrift)
		got, err := blocks.ResolveDiff(in.Content.bytes(), in.Body.text, drift)
		checkEdited(t, got, err, want)
	})
}
