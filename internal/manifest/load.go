package manifest

import (
	"context"
	"fmt"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fettle-dev/fettle/internal/fault"
)

// Load decodes and validates the objects of all inputs. What is wrong with any of them is
// one *fault.Error of kind InvalidPipeline whose cause is Problems; then there is no Set.
func Load(ctx context.Context, inputs ...Input) (*Set, error) {
	l := &loader{kinds: map[string]*kindLoader{}}
	for i := range inputs {
		l.decode(&inputs[i], i)
	}
	if l.err != nil {
		return nil, l.err
	}
	set := &Set{}
	for _, c := range l.candidates {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("validate manifests: %w", err)
		}
		l.admit(ctx, c, set)
	}
	l.unique()
	if l.full() {
		l.problems = append(l.problems[:maxProblems], Problem{
			File: "manifests", input: len(inputs), Text: "there are more problems: these are the first that were found",
		})
	}
	if err := refusal(l.problems); err != nil {
		return nil, err
	}
	return set, nil
}

// maxProblems is how many problems are told: finding the lines of a hundred thousand helps
// nobody.
const maxProblems = 100

// full says whether there are more problems than are told.
func (l *loader) full() bool { return len(l.problems) > maxProblems }

// loader collects the objects of all inputs before it validates any, so that the rules of
// a kind are compiled once.
type loader struct {
	kinds      map[string]*kindLoader
	candidates []candidate
	problems   []Problem
	err        error // a fault of ours
}

// kindLoader is what the objects of one kind share.
type kindLoader struct {
	*schema
	used      uses
	projected *structuralschema.Structural // nil until rules are compiled
	rules     *cel.Validator
}

// candidate is an object that has been decoded.
type candidate struct {
	Origin
	kind   *kindLoader // nil for a foreign object
	object map[string]any
}

// decode reads the documents of an input.
func (l *loader) decode(in *Input, order int) {
	documents, problems := split(in, order)
	l.problems = append(l.problems, problems...)
	found := len(problems) > 0
	for _, doc := range documents {
		if l.full() {
			return
		}
		object, problems := decode(doc)
		l.problems = append(l.problems, problems...)
		found = found || object != nil || len(problems) > 0
		if object != nil {
			l.take(doc, "", object)
		}
	}
	if !found {
		l.problems = append(l.problems, Problem{
			File: in.Name, input: order, Reason: fault.ReasonMissing,
			Text: "there is no object in it", Hint: "a manifest begins with apiVersion and kind",
		})
	}
}

// admit validates an object and adds it to the set.
func (l *loader) admit(ctx context.Context, c candidate, set *Set) {
	if c.kind == nil {
		set.Foreign = append(set.Foreign, c.Origin)
		return
	}
	if c.kind.projected == nil {
		c.kind.projected, c.kind.rules = c.kind.compile(&c.kind.used)
	}
	meta, err := c.kind.complete(c.object)
	if err != nil {
		l.problems = append(l.problems, c.problem("metadata", fault.ReasonType, err.Error(), ""))
		return
	}
	errs := c.kind.validate(ctx, c.object, meta, c.kind.projected, c.kind.rules)
	for _, e := range errs {
		if l.full() {
			return
		}
		l.problems = append(l.problems, fieldProblem(c.Origin, e))
	}
	if len(errs) > 0 {
		return
	}
	restoreNames(c, meta)
	if err := set.add(c.Origin, c.object); err != nil {
		l.problems = append(l.problems, c.problem("", fault.ReasonType, err.Error(), ""))
	}
}

// restoreNames takes out of a valid object what complete only supposed.
func restoreNames(c candidate, meta *metav1.ObjectMeta) {
	written, ok := c.object["metadata"].(map[string]any)
	if !ok {
		return
	}
	delete(written, "generation")
	if c.Namespace == "" {
		delete(written, "namespace")
	}
	if c.Name == "" && meta.GenerateName != "" {
		delete(written, "name")
	}
}

// unique refuses two objects of one kind, namespace and name: an apply would keep the last
// one only, and nobody means that.
func (l *loader) unique() {
	type key struct{ kind, namespace, name string }
	seen := map[key]Origin{}
	check := func(o Origin) {
		if o.Name == "" {
			return
		}
		k := key{o.Kind, o.Namespace, o.Name}
		if !l.kinds[o.Kind].namespaced {
			k.namespace = ""
		}
		first, again := seen[k]
		if !again {
			seen[k] = o
			return
		}
		file, line, _ := first.Position("metadata.name")
		l.problems = append(l.problems, o.problem("metadata.name", fault.ReasonDuplicate,
			fmt.Sprintf("%s is given twice", o), fmt.Sprintf("the first one is at %s:%d", file, line)))
	}
	for _, c := range l.candidates {
		if c.kind != nil && !l.full() {
			check(c.Origin)
		}
	}
}
