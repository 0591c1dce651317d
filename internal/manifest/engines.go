package manifest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/fault"
)

// ResolveEngines returns the engines of a pipeline in its order: those it declares, and
// copies of those it refers to, looked up by name among the engines of the set. It is what
// a controller copies into a run, less the identities that only a cluster gives. A
// reference to an engine that isn't there is InvalidPipeline (missing).
func (s *Set) ResolveEngines(pipeline Object[v1alpha1.DevPipeline]) ([]v1alpha1.ResolvedEngine, error) {
	published := map[string]*v1alpha1.DevEngine{}
	for _, e := range s.Engines {
		published[e.Value.Name] = e.Value
	}
	var resolved []v1alpha1.ResolvedEngine
	var problems []Problem
	for i, use := range pipeline.Value.Spec.Engines {
		engine := v1alpha1.ResolvedEngine{Name: use.Name, EngineNarrowing: use.EngineNarrowing}
		if use.Inline != nil {
			engine.Spec = *use.Inline
			resolved = append(resolved, engine)
			continue
		}
		if engine.Name == "" {
			engine.Name = string(use.Ref)
		}
		found, ok := published[string(use.Ref)]
		if !ok {
			problems = append(problems, pipeline.problem(fmt.Sprintf("spec.engines[%d].ref", i), fault.ReasonMissing,
				fmt.Sprintf("there is no engine %q", use.Ref), s.enginesHint(string(use.Ref))))
			continue
		}
		engine.Ref = &v1alpha1.EngineReference{
			Name:          use.Ref,
			ObjectVersion: v1alpha1.ObjectVersion{UID: string(found.UID), Generation: found.Generation},
		}
		engine.Spec = found.Spec
		resolved = append(resolved, engine)
	}
	if err := refusal(problems); err != nil {
		return nil, err
	}
	return resolved, nil
}

// enginesHint says where an engine could come from.
func (s *Set) enginesHint(name string) string {
	var names []string
	for _, e := range s.Engines {
		names = append(names, e.Value.Name)
	}
	slices.Sort(names)
	if alike := nearest(name, names); alike != "" {
		return fmt.Sprintf("did you mean %q?", alike)
	}
	if len(names) == 0 {
		return "give the manifest of a DevEngine of that name too"
	}
	return "give the manifest of a DevEngine of that name too; known are " + strings.Join(names[:min(len(names), maxListed)], ", ")
}
