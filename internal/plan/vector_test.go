package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/vectortest"
)

type vectorCapability struct {
	Mode engine.Mode
}

type vectorEngine struct {
	Formats, Lints []vectorCapability
	Checks         []struct{}
}

type vectorError struct {
	Kind   fault.Kind
	Reason fault.Reason
	Step   int
	After  int
}

func TestVectorPlan(t *testing.T) {
	type row struct {
		ID, Rule, Title, Note string
		Engines               []vectorEngine
		Steps                 []json.RawMessage
		Expected              struct {
			Warnings []Warning
			Error    *vectorError
		}
	}
	members := vectortest.Load(t, "runtime", "plan", "vectors")
	for _, r := range vectortest.Rows[row](t, members, "vectors") {
		t.Run(r.ID, func(t *testing.T) {
			warnings, err := validateVector(t, r.Engines, r.Steps)
			if want := r.Expected.Error; want != nil {
				if got := vectorErrorOf(err); got == nil || *got != *want {
					t.Errorf("got %v; want %+v", err, *want)
				}
				return
			}
			if err != nil {
				t.Fatalf("got %v; want warnings %+v", err, r.Expected.Warnings)
			}
			if diff := cmp.Diff(r.Expected.Warnings, warnings, cmpopts.IgnoreFields(Warning{}, "Message"), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

func validateVector(t *testing.T, engines []vectorEngine, raws []json.RawMessage) ([]Warning, error) {
	t.Helper()
	var decls []engine.Declaration
	for i, e := range engines {
		d := engine.Declaration{ID: fmt.Sprint("e", i)}
		for _, c := range e.Formats {
			d.Formats = append(d.Formats, capability(c.Mode))
		}
		for _, c := range e.Lints {
			d.Lints = append(d.Lints, lintCapability(c.Mode))
		}
		for range e.Checks {
			d.Checks = append(d.Checks, checkCapability())
		}
		decls = append(decls, d)
	}
	parsed, err := ParseSteps(raws)
	if err != nil {
		return nil, err
	}
	return Validate(Plan{Steps: parsed}, Rules{Engines: registry(t, everything, decls...), MaxDepth: depth})
}

// vectorErrorOf returns a refusal in the form of the vectors, or nil.
func vectorErrorOf(err error) *vectorError {
	e := fault.As(err)
	if e == nil || e.Step == nil {
		return nil
	}
	got := &vectorError{Kind: e.Kind, Reason: e.Reason, Step: e.Step.Index}
	var unsaved *Unsaved
	if errors.As(err, &unsaved) {
		got.After = unsaved.After.Index
	}
	return got
}
