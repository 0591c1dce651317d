package main

import (
	"encoding/json"
	"fmt"
	"sort"

	"sigs.k8s.io/yaml"
)

// definition is what the page tells of one kind.
type definition struct {
	Kind       string
	APIVersion string
	Scope      string
	ShortNames []string
	Columns    []column
	Schema     *schema
}

// column is a printer column.
type column struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	JSONPath    string `json:"jsonPath"`
	Priority    int    `json:"priority"`
}

// schema is the part of an OpenAPI schema that the page tells.
type schema struct {
	Type                 string             `json:"type,omitempty"`
	Format               string             `json:"format,omitempty"`
	Description          string             `json:"description,omitempty"`
	Default              any                `json:"default,omitempty"`
	Enum                 []any              `json:"enum,omitempty"`
	Pattern              string             `json:"pattern,omitempty"`
	MinLength            *int64             `json:"minLength,omitempty"`
	MaxLength            *int64             `json:"maxLength,omitempty"`
	MinItems             *int64             `json:"minItems,omitempty"`
	MaxItems             *int64             `json:"maxItems,omitempty"`
	MaxProperties        *int64             `json:"maxProperties,omitempty"`
	Minimum              *float64           `json:"minimum,omitempty"`
	Maximum              *float64           `json:"maximum,omitempty"`
	Required             []string           `json:"required,omitempty"`
	Properties           map[string]*schema `json:"properties,omitempty"`
	Items                *schema            `json:"items,omitempty"`
	AdditionalProperties *schema            `json:"additionalProperties,omitempty"`
	IntOrString          bool               `json:"x-kubernetes-int-or-string,omitempty"`
	ListType             string             `json:"x-kubernetes-list-type,omitempty"`
	ListMapKeys          []string           `json:"x-kubernetes-list-map-keys,omitempty"`
	Rules                []rule             `json:"x-kubernetes-validations,omitempty"`
}

// rule is a rule in CEL.
type rule struct {
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

// parse reads a CustomResourceDefinition of one version.
func parse(data []byte) (definition, error) {
	var crd struct {
		Spec struct {
			Group string `json:"group"`
			Scope string `json:"scope"`
			Names struct {
				Kind       string   `json:"kind"`
				ShortNames []string `json:"shortNames"`
			} `json:"names"`
			Versions []struct {
				Name    string   `json:"name"`
				Columns []column `json:"additionalPrinterColumns"`
				Schema  struct {
					Root *schema `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(data, &crd); err != nil {
		return definition{}, err
	}
	if len(crd.Spec.Versions) != 1 || crd.Spec.Versions[0].Schema.Root == nil {
		return definition{}, fmt.Errorf("want a CustomResourceDefinition of one version with a schema")
	}
	version := crd.Spec.Versions[0]
	root := version.Schema.Root
	for _, meta := range []string{"apiVersion", "kind", "metadata"} {
		delete(root.Properties, meta)
	}
	return definition{
		Kind:       crd.Spec.Names.Kind,
		APIVersion: crd.Spec.Group + "/" + version.Name,
		Scope:      crd.Spec.Scope,
		ShortNames: crd.Spec.Names.ShortNames,
		Columns:    version.Columns,
		Schema:     root,
	}, nil
}

// object returns the schema with properties that a field leads to, and how to write the
// way there: "", "[]" for a list, ".*" for a map. It returns nil where there is none.
func (s *schema) object() (*schema, string) {
	switch {
	case s == nil:
		return nil, ""
	case len(s.Properties) > 0:
		return s, ""
	case s.Items != nil:
		o, way := s.Items.object()
		return o, "[]" + way
	case s.AdditionalProperties != nil:
		o, way := s.AdditionalProperties.object()
		return o, ".*" + way
	default:
		return nil, ""
	}
}

// identity is equal for objects that are described by one section.
func (s *schema) identity() string {
	bare := *s
	bare.Default = nil
	bare.Description = ""
	text, _ := json.Marshal(bare) // plain data: it can't fail
	return string(text)
}

// names returns the names of the properties: required ones first, then by name.
func (s *schema) names() []string {
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool {
		a, b := s.requires(names[i]), s.requires(names[j])
		if a != b {
			return a
		}
		return names[i] < names[j]
	})
	return names
}

func (s *schema) requires(name string) bool {
	for _, r := range s.Required {
		if r == name {
			return true
		}
	}
	return false
}
