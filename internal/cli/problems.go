package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/manifest"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// Schemas and CEL can't judge a glob, or a plan against the engines it needs; the runtime
// does, and names the place in its own words. Here those refusals get file and line, and
// all bad globs of the manifests are found at once.

// located returns the refusal of a pipeline with file and line: all of its bad entries if
// it has such, else err at the field that it is about.
func located(set *manifest.Set, p pipelineObject, err error) error {
	problems := setEntries(set)
	problems.pipeline(p)
	if len(problems.found) > 0 {
		return problems.refusal()
	}
	cause := fault.As(err)
	if cause == nil {
		return err
	}
	return at(p.Origin, fieldOf(p, cause), cause)
}

// setEntries judges the entries of the engines and policies of a set.
func setEntries(set *manifest.Set) *entryProblems {
	problems := &entryProblems{depth: workspace.DefaultBounds().MaxDepth}
	for _, e := range set.Engines {
		problems.engine(e.Origin, "spec", e.Value.Spec)
	}
	for _, policy := range set.Policies {
		problems.rules(policy.Origin, "spec", policy.Value.Spec.PolicyRules)
	}
	return problems
}

// entryProblems collects the entries that don't parse.
type entryProblems struct {
	depth int
	found manifest.Problems
}

func (e *entryProblems) pipeline(p pipelineObject) {
	spec := p.Value.Spec
	if depth := int(spec.Workspace.Bounds.MaxDepth); depth > 0 {
		e.depth = depth
	}
	e.list(p.Origin, "spec.workspace.acquire", spec.Workspace.Acquire, glob.Acquire)
	e.list(p.Origin, "spec.workspace.exclude", spec.Workspace.Exclude, glob.Exclude)
	e.rules(p.Origin, "spec.policy", spec.Policy)
	for i, use := range spec.Engines {
		field := fmt.Sprintf("spec.engines[%d]", i)
		e.list(p.Origin, field+".scope", use.Scope, glob.Scope)
		if use.Inline != nil {
			e.engine(p.Origin, field+".inline", *use.Inline)
		}
	}
	for i, s := range spec.Steps {
		e.step(p.Origin, fmt.Sprintf("spec.steps[%d]", i), s)
	}
}

func (e *entryProblems) step(o manifest.Origin, field string, s v1alpha1.Step) {
	switch {
	case s.Write != nil:
		e.list(o, field+".write.paths", s.Write.Paths, glob.Paths)
	case s.Format != nil:
		e.list(o, field+".format.paths", s.Format.Paths, glob.Paths)
	case s.Lint != nil:
		e.list(o, field+".lint.paths", s.Lint.Paths, glob.Paths)
	case s.Run != nil:
		e.list(o, field+".run.scope", s.Run.Scope, glob.RunScope)
		e.list(o, field+".run.paths", s.Run.Paths, glob.Paths)
	}
}

func (e *entryProblems) engine(o manifest.Origin, field string, spec v1alpha1.EngineSpec) {
	for i, f := range spec.Formats {
		e.list(o, fmt.Sprintf("%s.formats[%d].scope", field, i), f.Scope, glob.Scope)
	}
	for i, l := range spec.Lints {
		e.list(o, fmt.Sprintf("%s.lints[%d].scope", field, i), l.Scope, glob.Scope)
	}
}

func (e *entryProblems) rules(o manifest.Origin, field string, rules v1alpha1.PolicyRules) {
	for _, axis := range []struct {
		name  string
		rules *v1alpha1.AccessRules
	}{{"read", rules.Read}, {"write", rules.Write}} {
		if axis.rules != nil {
			e.list(o, field+"."+axis.name+".allow", axis.rules.Allow, glob.Policy)
			e.list(o, field+"."+axis.name+".deny", axis.rules.Deny, glob.Policy)
		}
	}
}

func (e *entryProblems) list(o manifest.Origin, field string, entries []string, place glob.Place) {
	for i, entry := range entries {
		_, err := glob.ParseEntry(entry, place, e.depth)
		if refusal := fault.As(err); refusal != nil {
			field := fmt.Sprintf("%s[%d]", field, i)
			text := fmt.Sprintf("%s: %q: %s", field, entry, refusal.Message)
			e.take(o.Refuse(field, refusal.Reason, text, refusal.Hint))
		}
	}
}

// take adds the problems of an error of package manifest.
func (e *entryProblems) take(err error) {
	var problems manifest.Problems
	if errors.As(err, &problems) {
		e.found = append(e.found, problems...)
	}
}

// refusal is one error for all that was found.
func (e *entryProblems) refusal() error {
	subject := e.found[0].Object
	if slices.ContainsFunc(e.found, func(p manifest.Problem) bool { return p.Object != subject }) {
		subject = "manifests"
	}
	slices.SortStableFunc(e.found, func(a, b manifest.Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	refusal := fault.New(fault.InvalidPipeline, e.found[0].Reason, "", "%s", subject).WithCause(e.found)
	if len(e.found) == 1 {
		return refusal.WithHint("%s", e.found[0].Hint)
	}
	return refusal // each problem says what to do
}

// at puts a refusal where the field of an object stands, in the form of those of package
// manifest. Its kind stays.
func at(o manifest.Origin, field string, cause *fault.Error) error {
	text := cause.Message
	if cause.Engine != "" {
		text = fmt.Sprintf("engine %s: %s", cause.Engine, text)
	}
	if cause.Path != "" {
		text = fmt.Sprintf("%q: %s", cause.Path, text)
	}
	if cause.Err != nil {
		text += ": " + cause.Err.Error()
	}
	placed := fault.As(o.Refuse(field, cause.Reason, field+": "+text, cause.Hint))
	if placed == nil {
		return cause
	}
	placed.Kind = cause.Kind
	return placed
}

// fieldOf is the field of a pipeline that a refusal of package pipeline is about, as far
// as it says so: a step, an engine, the bounds, a list.
func fieldOf(p pipelineObject, e *fault.Error) string {
	if e.Step != nil {
		return fmt.Sprintf("spec.steps[%d]", e.Step.Index)
	}
	if i := slices.IndexFunc(p.Value.Spec.Engines, func(use v1alpha1.PipelineEngine) bool {
		return e.Engine != "" && (use.Name == e.Engine || use.Name == "" && string(use.Ref) == e.Engine)
	}); i >= 0 {
		return fmt.Sprintf("spec.engines[%d]", i)
	}
	for _, about := range []struct{ prefix, field string }{
		{"bounds.", "spec.workspace.bounds"},
		{"workspace.", "spec.workspace"},
		{"policy ", "spec.policy"},
	} {
		if strings.HasPrefix(e.Message, about.prefix) {
			return about.field
		}
	}
	return "spec"
}
