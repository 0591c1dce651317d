package manifest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/fault"
)

// fieldProblem tells of what an API server's validation found, in its words.
func fieldProblem(o Origin, e *field.Error) Problem {
	if e.Detail == unchecked {
		p := o.problem("", "", e.Detail, "")
		p.afterAll = true
		return p
	}
	if text, ok := strings.CutPrefix(e.Error(), nilField+": "); ok {
		return o.problem("", reasonOf(e), text, "")
	}
	return o.problem(e.Field, reasonOf(e), e.Error(), cmp.Or(emptyMemberHint(o, e), quoteHint(o, e)))
}

// nilField is how an error names the object itself.
var nilField = (*field.Path)(nil).String()

// reasonOf is the word of runtime spec §19 for an error of validation.
func reasonOf(e *field.Error) fault.Reason {
	switch e.Type {
	case field.ErrorTypeRequired:
		return fault.ReasonMissing
	case field.ErrorTypeDuplicate:
		return fault.ReasonDuplicate
	case field.ErrorTypeTooLong, field.ErrorTypeTooMany:
		return fault.ReasonBound
	}
	if strings.Contains(e.Field, ".bounds.") {
		return fault.ReasonBound
	}
	return fault.ReasonType
}

// emptyMemberHint explains the most common way to break a union: "check:" with nothing
// after it is null, which counts as absent.
func emptyMemberHint(o Origin, e *field.Error) string {
	if !strings.Contains(e.Detail, "one of the fields in [") || o.doc == nil {
		return ""
	}
	var empty []string
	for _, key := range o.doc.emptyMembers(o.inDocument(e.Field)) {
		if strings.Contains(e.Detail, key) {
			empty = append(empty, key)
		}
	}
	if len(empty) != 1 {
		return ""
	}
	return fmt.Sprintf("write %s: {}, for a key without a value counts as absent", empty[0])
}

// quoteHint explains a text that YAML takes for something else, such as Off for false and
// 1.0 for a number.
func quoteHint(o Origin, e *field.Error) string {
	if e.Type != field.ErrorTypeTypeInvalid || !strings.Contains(e.Detail, "must be of type string") || o.doc == nil {
		return ""
	}
	written, ok := o.doc.scalar(o.inDocument(e.Field))
	if !ok {
		return ""
	}
	return fmt.Sprintf("put it in quotes: %q", written)
}

// unknownField tells of a field that the schema doesn't have.
func unknownField(o Origin, s *schema, path string) Problem {
	return o.problem(path, fault.ReasonUnknownKey, fmt.Sprintf("unknown field %q", path), unknownFieldHint(s, path))
}

// unknownFieldHint says which field may have been meant: one beside it that is spelt alike,
// or one of the same name elsewhere.
func unknownFieldHint(s *schema, path string) string {
	dot := strings.LastIndexByte(path, '.')
	name := path[dot+1:]
	if name == "true" || name == "false" {
		return "YAML reads on, off, yes and no as true and false: quote a key like that"
	}
	parent := descend(s.full, path[:max(dot, 0)])
	if parent == nil || len(parent.Properties) == 0 {
		return ""
	}
	known := sortedNames(parent)
	if alike := nearest(name, known); alike != "" {
		return fmt.Sprintf("did you mean %q?", alike)
	}
	if elsewhere := whereIs(s.full, "", name); elsewhere != "" {
		return fmt.Sprintf("%s belongs to %s", name, elsewhere)
	}
	if len(known) <= maxListed {
		return "known here: " + strings.Join(known, ", ")
	}
	return ""
}

// maxListed is how many names a hint lists.
const maxListed = 12

// kindHint says which kind or version may have been meant.
func kindHint(o Origin) string {
	if schemaFile(o.Kind) != "" {
		return "this build knows " + v1alpha1.GroupVersion.String()
	}
	if alike := nearest(o.Kind, kinds()); alike != "" {
		return fmt.Sprintf("did you mean %q?", alike)
	}
	return "this build knows " + strings.Join(kinds(), ", ")
}

// descend returns the schema of a field: "spec.steps[3]".
func descend(s *structuralschema.Structural, path string) *structuralschema.Structural {
	for _, segment := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' }) {
		switch property, ok := s.Properties[segment]; {
		case ok:
			s = &property
		case strings.HasSuffix(segment, "]") && s.Items != nil:
			s = s.Items
		case s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil:
			s = s.AdditionalProperties.Structural
		default:
			return nil
		}
	}
	return s
}

// whereIs returns the field that has a property of this name: the first one that a search
// by name and depth finds, status left out.
func whereIs(s *structuralschema.Structural, at, name string) string {
	for _, n := range sortedNames(s) {
		if n == name && at != "" {
			return at
		}
	}
	for _, n := range sortedNames(s) {
		if at == "" && n == "status" {
			continue
		}
		property := s.Properties[n]
		below := strings.TrimPrefix(at+"."+n, ".")
		if property.Items != nil {
			property, below = *property.Items, below+"[]"
		}
		if found := whereIs(&property, below, name); found != "" {
			return found
		}
	}
	return ""
}

func sortedNames(s *structuralschema.Structural) []string {
	names := make([]string, 0, len(s.Properties))
	for n := range s.Properties {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// nearest returns the candidate that is spelt most like name, or "" if none is.
func nearest(name string, candidates []string) string {
	best, least := "", max(1, len(name)/3)
	for _, c := range candidates {
		if d := distance(strings.ToLower(name), strings.ToLower(c)); d <= least && (best == "" || d < least) {
			best, least = c, d
		}
	}
	return best
}

// distance is the number of bytes to insert, delete or replace to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
