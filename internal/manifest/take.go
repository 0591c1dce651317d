package manifest

import (
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/fault"
)

// take judges which kind an object is of, and coerces it.
func (l *loader) take(doc *document, within string, object map[string]any) {
	o := identify(doc, within, object)
	if o.APIVersion == "v1" && o.Kind == "List" {
		l.takeItems(doc, object)
		return
	}
	for _, key := range []string{"apiVersion", "kind"} {
		if value, _ := object[key].(string); value == "" {
			l.problems = append(l.problems, o.problem("", fault.ReasonMissing, key+" not set",
				"for example apiVersion: "+v1alpha1.GroupVersion.String()+" and kind: DevPipeline"))
		}
	}
	if o.APIVersion == "" || o.Kind == "" {
		return
	}
	if group, _, _ := strings.Cut(o.APIVersion, "/"); group != v1alpha1.GroupName {
		l.candidates = append(l.candidates, candidate{Origin: o})
		return
	}
	kind, known := l.kindOf(o)
	if !known {
		l.problems = append(l.problems, o.problem("kind", fault.ReasonType, noMatch(o.Kind, o.APIVersion), kindHint(o)))
		return
	}
	if kind == nil {
		return
	}
	unknown, err := kind.coerce(object)
	for _, path := range unknown {
		if l.full() {
			return
		}
		l.problems = append(l.problems, unknownField(o, kind.schema, path))
	}
	if err != nil {
		l.problems = append(l.problems, o.problem("metadata", fault.ReasonType, err.Error(), ""))
		return
	}
	kind.used.mark(kind.full, object)
	l.candidates = append(l.candidates, candidate{Origin: o, kind: kind, object: object})
}

// takeItems takes the items of a List, which is how kubectl prints several objects.
func (l *loader) takeItems(doc *document, list map[string]any) {
	items, _ := list["items"].([]any)
	for i, item := range items {
		if l.full() {
			return
		}
		object, ok := item.(map[string]any)
		if !ok {
			l.problems = append(l.problems, doc.problem(fmt.Sprintf("items[%d]", i), fault.ReasonType, "the item is not an object", ""))
			continue
		}
		l.take(doc, fmt.Sprintf("items[%d]", i), object)
	}
}

// identify reads what an object calls itself, as far as it does.
func identify(doc *document, within string, object map[string]any) Origin {
	o := Origin{doc: doc, within: within}
	o.APIVersion, _ = object["apiVersion"].(string)
	o.Kind, _ = object["kind"].(string)
	meta, _ := object["metadata"].(map[string]any)
	o.Name, _ = meta["name"].(string)
	o.Namespace, _ = meta["namespace"].(string)
	return o
}

// kindOf returns what objects of a kind share; it is nil if the schema can't be had, which
// is a fault of ours.
func (l *loader) kindOf(o Origin) (kind *kindLoader, known bool) {
	file := schemaFile(o.Kind)
	if file == "" || o.APIVersion != v1alpha1.GroupVersion.String() {
		return nil, false
	}
	if kind, ok := l.kinds[o.Kind]; ok {
		return kind, true
	}
	schema, err := loadSchema(file)
	if err != nil {
		l.err = fmt.Errorf("schema of %s: %w", o.Kind, err)
		return nil, true
	}
	kind = &kindLoader{schema: schema}
	l.kinds[o.Kind] = kind
	return kind, true
}
