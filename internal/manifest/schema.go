package manifest

import (
	"encoding/json"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"

	"github.com/fettle-dev/fettle/config/crd"
)

// schema is what an API server makes of a CustomResourceDefinition when it serves it.
type schema struct {
	namespaced bool
	hasStatus  bool // status is a subresource: it is dropped on creation

	full    *structuralschema.Structural
	bare    *structuralschema.Structural // full without rules
	openAPI validation.SchemaValidator
}

// loadSchema reads an embedded definition of one version. It doesn't prune defaults, as an
// API server does here: it refuses definitions in which there is something to prune.
func loadSchema(file string) (*schema, error) {
	data, err := crd.Schemas.ReadFile("schemas/" + file)
	if err != nil {
		return nil, err
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal(data, &definition); err != nil {
		return nil, fmt.Errorf("definition %s: %w", file, err)
	}
	if n := len(definition.Spec.Versions); n != 1 {
		return nil, fmt.Errorf("definition %s: got %d versions, want 1", file, n)
	}
	version := definition.Spec.Versions[0]
	var props apiextensions.CustomResourceValidation
	err = apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(version.Schema, &props, nil)
	if err != nil {
		return nil, fmt.Errorf("definition %s: %w", file, err)
	}
	full, err := structuralschema.NewStructural(props.OpenAPIV3Schema)
	if err != nil {
		return nil, fmt.Errorf("definition %s: %w", file, err)
	}
	openAPI, _, err := validation.NewSchemaValidator(props.OpenAPIV3Schema)
	if err != nil {
		return nil, fmt.Errorf("definition %s: %w", file, err)
	}
	return &schema{
		namespaced: definition.Spec.Scope == apiextensionsv1.NamespaceScoped,
		hasStatus:  version.Subresources != nil && version.Subresources.Status != nil,
		full:       full,
		bare:       withoutRules(full),
		openAPI:    openAPI,
	}, nil
}
