package controllers

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/lifecycle"
	"github.com/fettle-dev/fettle/internal/pipeline"
	"github.com/fettle-dev/fettle/internal/pods"
	"github.com/fettle-dev/fettle/internal/reasons"
)

// resolve makes of a pipeline what a run of it copies, and judges it: it can be seen now
// whether it could run. The second result says why it can't.
func resolve(spec v1alpha1.DevPipelineSpec, from pipeline.Published, c pods.Config) (pipeline.Resolved, lifecycle.Refusal) {
	none := pipeline.Resolved{}
	for _, p := range from.Policies {
		if err := checkPolicy(p.Name, p.Spec); err != nil {
			return none, refusal(v1alpha1.ReasonInvalidPolicy, err)
		}
	}
	for _, e := range spec.Engines {
		if e.Inline == nil && !slices.ContainsFunc(from.Engines, func(d v1alpha1.DevEngine) bool { return d.Name == string(e.Ref) }) {
			return none, lifecycle.Refusal{Reason: v1alpha1.ReasonEngineNotFound, Message: fmt.Sprintf("there is no DevEngine %s", e.Ref)}
		}
	}
	if why := unserved(spec); why.Reason != "" {
		return none, why
	}
	resolved, err := pipeline.Resolve(spec, from)
	if err != nil { // engines are there: an image isn't allowed
		return none, refusal(v1alpha1.ReasonPolicyExceeded, err)
	}
	for _, p := range from.Policies {
		if p.Spec.Limits != nil {
			c.Bound(&resolved, *p.Spec.Limits)
		}
	}
	for _, e := range resolved.Engines {
		if err := checkEngine(e.Name, e.Spec); err != nil {
			return none, refusal(v1alpha1.ReasonInvalidEngine, err)
		}
	}
	built, err := pipeline.Build(resolved, pods.Serves())
	if err != nil {
		return none, refusal("", err)
	}
	if why := forbidden(built, resolved); why.Reason != "" {
		return none, why
	}
	return resolved, lifecycle.Refusal{}
}

// unserved says what a pipeline asks for that a cluster can't do, or not yet.
func unserved(spec v1alpha1.DevPipelineSpec) lifecycle.Refusal {
	lacks := func(what string) lifecycle.Refusal {
		return lifecycle.Refusal{Reason: v1alpha1.ReasonStepUnavailable, Message: what + " isn't implemented in this version"}
	}
	switch claim := spec.Source.PersistentVolumeClaim; {
	case spec.Source.Git != nil:
		return lacks("source.git")
	case spec.Dependencies != nil:
		return lacks("dependencies")
	case spec.Publish != nil && spec.Publish.Git != nil:
		return lacks("publish.git")
	case spec.Triggers != nil && spec.Triggers.Schedule != nil:
		return lacks("triggers.schedule")
	case spec.Triggers != nil && spec.Triggers.OnSourceChange != nil:
		return lacks("triggers.onSourceChange")
	case claim != nil && claim.Path != "" && !fs.ValidPath(string(claim.Path)):
		return lifecycle.Refusal{Reason: v1alpha1.ReasonInvalidPipeline, Message: fmt.Sprintf("source.persistentVolumeClaim.path %q isn't a plain relative path", claim.Path)}
	}
	for _, s := range spec.Steps {
		if s.Run != nil && s.Run.Image == "" {
			return lifecycle.Refusal{Reason: v1alpha1.ReasonInvalidPipeline, Message: fmt.Sprintf("step %s names no image, and in a cluster a command comes from one", s.Name)}
		}
	}
	return lifecycle.Refusal{}
}

// refusal words an error for a condition; without a reason it has that of its kind.
func refusal(reason string, err error) lifecycle.Refusal {
	cause := fault.As(err)
	if cause == nil {
		if reason == "" {
			reason = v1alpha1.ReasonInvalidPipeline
		}
		return lifecycle.Refusal{Reason: reason, Message: err.Error()}
	}
	if reason == "" {
		reason = reasons.OfFault(cause.Kind, cause.Reason)
	}
	told := *cause
	hint := told.Hint
	told.Hint = ""
	message := strings.TrimPrefix(told.Error(), string(told.Kind)+" ("+string(told.Reason)+"): ")
	message = strings.TrimPrefix(message, string(told.Kind)+": ")
	if hint != "" {
		message += " (" + hint + ")"
	}
	return lifecycle.Refusal{Reason: reason, Message: message}
}

// checkEngine judges one engine by itself.
func checkEngine(name string, spec v1alpha1.EngineSpec) error {
	_, err := pipeline.Build(pipeline.Resolved{
		Plan: harmless(), Engines: []v1alpha1.ResolvedEngine{{Name: name, Spec: spec}}, Policies: []v1alpha1.PolicyLayer{{}},
	}, pods.Serves())
	return err
}

// checkPolicy judges one policy by itself.
func checkPolicy(name string, spec v1alpha1.DevPolicySpec) error {
	if _, err := selectorOf(spec.NamespaceSelector); err != nil {
		return fmt.Errorf("DevPolicy %s: namespaceSelector: %w", name, err)
	}
	layer := v1alpha1.PolicyLayer{Ref: &v1alpha1.PolicyReference{Name: v1alpha1.ObjectName(name)}, PolicyRules: spec.PolicyRules}
	_, err := pipeline.Build(pipeline.Resolved{Plan: harmless(), Policies: []v1alpha1.PolicyLayer{layer}}, pods.Serves())
	return err
}

// harmless is a plan that nothing is wrong with.
func harmless() v1alpha1.Plan {
	return v1alpha1.Plan{Steps: []v1alpha1.Step{{Name: "write", Write: &v1alpha1.WriteStep{}}}}
}

// stale says in what a run that hasn't started differs from what its pipeline would be
// copied to now. The copies are compared as they are written: an empty list isn't none.
func stale(run v1alpha1.DevPipelineRunSpec, now pipeline.Resolved) (part string, err error) {
	for _, pair := range []struct {
		name      string
		has, want any
	}{
		{"policies", run.Policies, now.Policies}, {"plan", run.Plan, now.Plan}, {"engines", run.Engines, now.Engines},
	} {
		has, err := json.Marshal(pair.has)
		if err != nil {
			return "", err
		}
		want, err := json.Marshal(pair.want)
		if err != nil {
			return "", err
		}
		if string(has) != string(want) {
			return pair.name, nil
		}
	}
	return "", nil
}

// digestOf is a digest over values as they are written.
func digestOf(values ...any) (v1alpha1.Digest, error) {
	h := sha256.New()
	enc := json.NewEncoder(h)
	var errs []error
	for _, v := range values {
		errs = append(errs, enc.Encode(v))
	}
	return v1alpha1.Digest("sha256:" + hex.EncodeToString(h.Sum(nil))), errors.Join(errs...)
}
