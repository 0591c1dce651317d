package manifest

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/fault"
)

// Set is what manifests hold, in the order of the input.
type Set struct {
	Pipelines []Object[v1alpha1.DevPipeline]
	Runs      []Object[v1alpha1.DevPipelineRun]
	Reports   []Object[v1alpha1.DevPipelineReport]
	Engines   []Object[v1alpha1.DevEngine]
	Policies  []Object[v1alpha1.DevPolicy]

	// Foreign are objects of other groups. They haven't been looked at.
	Foreign []Origin
}

// Object is a valid object with its defaults, and where it came from. Its namespace is as
// written: empty where the manifest has none.
type Object[T any] struct {
	Origin
	Value *T
}

// Origin says which object of which input something is about.
type Origin struct {
	APIVersion string
	Kind       string
	Namespace  string
	Name       string

	doc    *document
	within string // field path of the object in its document: "items[2]" of a List
}

// String names the object for people: DevPipeline "web".
func (o Origin) String() string {
	switch {
	case o.Kind == "":
		return ""
	case o.Name == "":
		return o.Kind
	default:
		return printable(o.Kind + ` "` + o.Name + `"`)
	}
}

// Position returns where a field of the object is: the name of the input, and line and
// column from 1, or 0 where they aren't known. An empty field is the object itself.
func (o Origin) Position(field string) (file string, line, column int) {
	if o.doc == nil {
		return "", 0, 0
	}
	line, column = o.doc.locate(o.inDocument(field))
	return o.doc.input.Name, line, column
}

// Refuse returns the error for something that is wrong with a field of a valid object and
// that only those who use it could know. It looks like one of Load.
func (o Origin) Refuse(field string, reason fault.Reason, text, hint string) error {
	return refusal([]Problem{o.problem(field, reason, text, hint)})
}

func (o Origin) problem(field string, reason fault.Reason, text, hint string) Problem {
	if o.doc == nil {
		return Problem{Object: o.String(), Field: field, Reason: reason, Text: printable(text), Hint: printable(hint)}
	}
	p := o.doc.problem(o.inDocument(field), reason, text, hint)
	p.Object, p.Field = o.String(), field
	return p
}

// inDocument returns the path of a field of the object from the root of its document.
func (o Origin) inDocument(field string) string {
	if o.within == "" {
		return field
	}
	return o.within + "." + field
}

// add appends an object of a known kind to the list that it belongs to.
func (s *Set) add(o Origin, object map[string]any) error {
	switch o.Kind {
	case "DevPipeline":
		return appendTo(&s.Pipelines, o, object)
	case "DevPipelineRun":
		return appendTo(&s.Runs, o, object)
	case "DevPipelineReport":
		return appendTo(&s.Reports, o, object)
	case "DevEngine":
		return appendTo(&s.Engines, o, object)
	case "DevPolicy":
		return appendTo(&s.Policies, o, object)
	default:
		s.Foreign = append(s.Foreign, o)
		return nil
	}
}

func appendTo[T any](list *[]Object[T], o Origin, object map[string]any) error {
	value := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, value); err != nil {
		return err
	}
	*list = append(*list, Object[T]{Origin: o, Value: value})
	return nil
}

// schemaFile returns the embedded definition of a kind, or "" for one that this build
// doesn't know.
func schemaFile(kind string) string {
	switch kind {
	case "DevPipeline":
		return "fettle.dev_devpipelines.json"
	case "DevPipelineRun":
		return "fettle.dev_devpipelineruns.json"
	case "DevPipelineReport":
		return "fettle.dev_devpipelinereports.json"
	case "DevEngine":
		return "fettle.dev_devengines.json"
	case "DevPolicy":
		return "fettle.dev_devpolicies.json"
	default:
		return ""
	}
}

// kinds lists the kinds that schemaFile knows, for hints.
func kinds() []string {
	return []string{"DevPipeline", "DevPipelineRun", "DevPipelineReport", "DevEngine", "DevPolicy"}
}
