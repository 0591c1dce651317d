package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/engines"
	"github.com/fettle-dev/fettle/internal/driver"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/local"
	"github.com/fettle-dev/fettle/internal/manifest"
	"github.com/fettle-dev/fettle/internal/pipeline"
	"github.com/fettle-dev/fettle/internal/policy"
)

// source is where manifests come from. What came on standard input is kept, so that the
// others can be read again.
type source struct {
	paths []string
	stdin []byte
}

// newSource takes the values of -f.
func newSource(paths []string, stdin io.Reader) (source, error) {
	if len(paths) == 0 {
		return source{}, fault.New(fault.BadArgument, fault.ReasonMissing, "", "no manifest is given").
			WithHint("name files or directories of manifests with -f, or - for standard input")
	}
	s := source{paths: paths}
	if slices.Contains(paths, "-") {
		data, err := io.ReadAll(io.LimitReader(stdin, manifest.MaxInputBytes+1))
		if err != nil {
			return source{}, fmt.Errorf("standard input: %w", err)
		}
		s.stdin = data
	}
	return s, nil
}

func (s source) read() ([]manifest.Input, error) {
	return manifest.ReadInputs(s.paths, bytes.NewReader(s.stdin))
}

// watch begins to watch everything that is read.
func (s source) watch() (*local.Watch, error) {
	inputs, err := s.read()
	if err != nil {
		return nil, err
	}
	paths := slices.Clone(s.paths)
	for _, in := range inputs {
		paths = append(paths, in.Name)
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	return local.NewWatch(slices.DeleteFunc(paths, func(p string) bool { return p == "-" || p == manifest.Stdin })), nil
}

// load reads and validates the manifests.
func (s source) load(ctx context.Context) (*manifest.Set, error) {
	inputs, err := s.read()
	if err != nil {
		return nil, err
	}
	return manifest.Load(ctx, inputs...)
}

type pipelineObject = manifest.Object[v1alpha1.DevPipeline]

// pick returns the pipeline of a name, or the only one.
func pick(set *manifest.Set, name string) (pipelineObject, error) {
	var names []string
	for _, p := range set.Pipelines {
		names = append(names, nameOf(p))
	}
	list := strings.Join(names, ", ")
	switch {
	case len(names) == 0:
		return pipelineObject{}, fault.New(fault.BadArgument, fault.ReasonAbsent, "", "the manifests hold no DevPipeline").
			WithHint("give the file that the pipeline is in with -f, too")
	case name == "" && len(names) > 1:
		return pipelineObject{}, fault.New(fault.BadArgument, fault.ReasonAmbiguous, "", "the manifests hold %d pipelines: %s", len(names), list).
			WithHint("name one with --pipeline")
	case name == "":
		return set.Pipelines[0], nil
	}
	i := slices.Index(names, name)
	if i < 0 {
		return pipelineObject{}, fault.New(fault.BadArgument, fault.ReasonAbsent, "", "the manifests hold no pipeline %q", name).
			WithHint("name one of %s", list)
	}
	return set.Pipelines[i], nil
}

// nameOf is a pipeline's name; one that only says how to begin is called by that.
func nameOf(p pipelineObject) string {
	return cmp.Or(p.Value.Name, strings.TrimRight(p.Value.GenerateName, "-"), "pipeline")
}

// resolve puts a pipeline together with its engines, those that come with Fettle
// included, and with the policies of the set. Namespaces there are none here, so every
// policy applies.
func resolve(ctx context.Context, set *manifest.Set, p pipelineObject) (pipeline.Resolved, error) {
	var published pipeline.Published
	for _, e := range set.Engines {
		published.Engines = append(published.Engines, *e.Value)
	}
	for _, policy := range set.Policies {
		published.Policies = append(published.Policies, *policy.Value)
	}
	own, err := embedded(ctx, p, published.Engines)
	if err != nil {
		return pipeline.Resolved{}, err
	}
	published.Engines = append(own, published.Engines...)
	return pipeline.Resolve(p.Value.Spec, published)
}

// embedded returns the engines that come with Fettle and that p refers to, unless given
// has one of that name. A reference to one that is nowhere is refused.
func embedded(ctx context.Context, p pipelineObject, given []v1alpha1.DevEngine) ([]v1alpha1.DevEngine, error) {
	all, err := engines.Manifests()
	if err != nil {
		return nil, err
	}
	var inputs []manifest.Input
	for i, use := range p.Value.Spec.Engines {
		ref := string(use.Ref)
		if ref == "" || slices.ContainsFunc(given, func(e v1alpha1.DevEngine) bool { return e.Name == ref }) {
			continue
		}
		at := slices.IndexFunc(all, func(m engines.Manifest) bool { return m.Name == ref })
		if at < 0 {
			field := fmt.Sprintf("spec.engines[%d].ref", i)
			return nil, p.Refuse(field, fault.ReasonMissing, fmt.Sprintf("%s: there is no DevEngine %q", field, ref), known(all, given))
		}
		if !slices.ContainsFunc(inputs, func(in manifest.Input) bool { return in.Name == ref }) {
			inputs = append(inputs, manifest.Input{Name: ref, Data: all[at].Data})
		}
	}
	if len(inputs) == 0 {
		return nil, nil
	}
	set, err := manifest.Load(ctx, inputs...)
	if err != nil {
		return nil, fmt.Errorf("engines that come with fettle: %w", err)
	}
	var found []v1alpha1.DevEngine
	for _, e := range set.Engines {
		found = append(found, *e.Value)
	}
	return found, nil
}

// known says which engines a pipeline could refer to.
func known(all []engines.Manifest, given []v1alpha1.DevEngine) string {
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
	}
	for _, e := range given {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	return "refer to one of " + strings.Join(slices.Compact(names), ", ") + ", give the manifest of the engine with -f, or declare it inline"
}

// job is a pipeline that is ready to run here.
type job struct {
	name     string
	object   pipelineObject
	pipeline *pipeline.Pipeline
	policy   policy.Source
}

// prepare reads the manifests and makes a job of one pipeline.
func (c *app) prepare(ctx context.Context, files []string, name string) (*job, error) {
	from, err := newSource(files, c.Stdin)
	if err != nil {
		return nil, err
	}
	watch, err := from.watch()
	if err != nil {
		return nil, err
	}
	j, err := build(ctx, from, name)
	if err != nil {
		return nil, err
	}
	j.policy = watch.Policy(j.pipeline.Policy, func() (*policy.Policy, error) {
		now, err := build(context.WithoutCancel(ctx), from, j.name)
		if err != nil {
			return nil, err
		}
		return now.pipeline.Policy, nil
	})
	return j, nil
}

// build makes a job of what the manifests hold now.
func build(ctx context.Context, from source, name string) (*job, error) {
	set, err := from.load(ctx)
	if err != nil {
		return nil, err
	}
	object, err := pick(set, name)
	if err != nil {
		return nil, err
	}
	resolved, err := resolve(ctx, set, object)
	if err != nil {
		return nil, err
	}
	built, err := pipeline.Build(resolved, driver.Serves())
	if err != nil {
		return nil, located(set, object, err)
	}
	return &job{name: nameOf(object), object: object, pipeline: built}, nil
}
