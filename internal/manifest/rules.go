package manifest

import structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

// Compiling a rule in CEL takes about a millisecond, and a pipeline's schema has dozens.
// A rule can only fail at a field that has a value, and a value that came from a default
// satisfies the rules of its field: an API server refuses a definition where it doesn't. So
// only rules of fields that manifests give are compiled.

// uses marks the fields of a schema that objects have.
type uses struct {
	properties map[string]*uses
	items      *uses
	additional *uses
}

// mark adds the fields of a value, which has not been defaulted yet.
func (u *uses) mark(s *structuralschema.Structural, value any) {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			if member == nil {
				continue
			}
			if property, ok := s.Properties[name]; ok {
				u.property(name).mark(&property, member)
			} else if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
				u.additional = orNew(u.additional)
				u.additional.mark(s.AdditionalProperties.Structural, member)
			}
		}
	case []any:
		if s.Items == nil {
			return
		}
		for _, item := range v {
			u.items = orNew(u.items)
			u.items.mark(s.Items, item)
		}
	}
}

func (u *uses) property(name string) *uses {
	if u.properties == nil {
		u.properties = map[string]*uses{}
	}
	u.properties[name] = orNew(u.properties[name])
	return u.properties[name]
}

func orNew(u *uses) *uses {
	if u == nil {
		return &uses{}
	}
	return u
}

// withRules returns the schema with the rules of used fields only. It shares what it can
// with full and bare, which it doesn't change.
func withRules(full, bare *structuralschema.Structural, u *uses) *structuralschema.Structural {
	if u == nil {
		return bare
	}
	out := *full
	if len(full.Properties) > 0 {
		out.Properties = make(map[string]structuralschema.Structural, len(full.Properties))
		for name, property := range full.Properties {
			bareProperty := bare.Properties[name]
			out.Properties[name] = *withRules(&property, &bareProperty, u.properties[name])
		}
	}
	if full.Items != nil {
		out.Items = withRules(full.Items, bare.Items, u.items)
	}
	if full.AdditionalProperties != nil && full.AdditionalProperties.Structural != nil {
		out.AdditionalProperties = &structuralschema.StructuralOrBool{
			Structural: withRules(full.AdditionalProperties.Structural, bare.AdditionalProperties.Structural, u.additional),
			Bool:       full.AdditionalProperties.Bool,
		}
	}
	return &out
}

// withoutRules returns a copy of a schema that has no rules. Rules within allOf stay: they
// cost time where there are any, and change nothing.
func withoutRules(full *structuralschema.Structural) *structuralschema.Structural {
	bare := *full
	bare.XValidations = nil
	if len(full.Properties) > 0 {
		bare.Properties = make(map[string]structuralschema.Structural, len(full.Properties))
		for name, property := range full.Properties {
			bare.Properties[name] = *withoutRules(&property)
		}
	}
	if full.Items != nil {
		bare.Items = withoutRules(full.Items)
	}
	if full.AdditionalProperties != nil && full.AdditionalProperties.Structural != nil {
		bare.AdditionalProperties = &structuralschema.StructuralOrBool{
			Structural: withoutRules(full.AdditionalProperties.Structural),
			Bool:       full.AdditionalProperties.Bool,
		}
	}
	return &bare
}
