package manifest

import (
	"context"
	"fmt"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	schemaobjectmeta "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/api/operation"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// coerce does what an API server does to an object that it has just decoded: it prunes
// unknown fields, whose paths it returns, and nulls, and gives metadata its shape. The error
// is one of metadata.
func (s *schema) coerce(object map[string]any) (unknown []string, err error) {
	meta, found, unknown, err := schemaobjectmeta.GetObjectMetaWithOptions(object,
		schemaobjectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, err
	}
	unknown = append(unknown, pruning.PruneWithOptions(object, s.full, true,
		structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
	defaulting.PruneNonNullableNullsWithoutDefaults(object, s.full)
	if !found {
		return unknown, nil
	}
	return unknown, schemaobjectmeta.SetObjectMeta(object, meta)
}

// complete does what an API server does before it validates an object that is created:
// defaults, a generated name, the namespace that its kind needs or hasn't, no status. It
// returns the object's metadata.
func (s *schema) complete(object map[string]any) (*metav1.ObjectMeta, error) {
	defaulting.Default(object, s.full)
	meta, _, err := schemaobjectmeta.GetObjectMeta(object, false)
	if err != nil {
		return nil, err
	}
	if meta == nil {
		meta = &metav1.ObjectMeta{}
	}
	if meta.Name == "" && meta.GenerateName != "" {
		meta.Name = generated(meta.GenerateName)
	}
	switch {
	case !s.namespaced:
		meta.Namespace = ""
	case meta.Namespace == "":
		meta.Namespace = metav1.NamespaceDefault
	}
	meta.Generation = 1
	if s.hasStatus {
		delete(object, "status")
	}
	return meta, schemaobjectmeta.SetObjectMeta(object, meta)
}

// generated returns a name as an API server makes one, with a suffix that is always the
// same.
func generated(prefix string) string {
	const suffix = "xxxxx"
	if most := utilvalidation.DNS1123LabelMaxLength - len(suffix); len(prefix) > most {
		prefix = prefix[:most]
	}
	return prefix + suffix
}

// validate does what an API server does to a completed object, in the same order. rules is
// the validator for the rules of the object's fields, made from projected.
func (s *schema) validate(ctx context.Context, object map[string]any, meta *metav1.ObjectMeta, projected *structuralschema.Structural, rules *cel.Validator) field.ErrorList {
	errs := metavalidation.ValidateObjectMetaDeclaratively(ctx, operation.Create, meta, nil,
		s.namespaced, metavalidation.NameIsDNSSubdomain, field.NewPath("metadata"), true)
	errs = append(errs, validation.ValidateCustomResource(nil, object, s.openAPI)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, projected, object)...)
	if blocking(errs) {
		return append(errs, field.Invalid(nil, nil, unchecked))
	}
	if rules == nil {
		return errs
	}
	broken, _ := rules.Validate(ctx, nil, projected, object, nil, celconfig.RuntimeCELCostBudget)
	return append(errs, broken...)
}

// unchecked is what an API server says when it doesn't evaluate rules.
const unchecked = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"

// blocking says whether there is an error after which an API server evaluates no rules.
func blocking(errs field.ErrorList) bool {
	for _, e := range errs {
		switch e.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong,
			field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return true
		}
	}
	return false
}

// compile makes the validator of the rules that objects with these uses can break.
func (s *schema) compile(u *uses) (*structuralschema.Structural, *cel.Validator) {
	projected := withRules(s.full, s.bare, u)
	return projected, cel.NewValidator(projected, true, celconfig.PerCallLimit)
}

// noMatch is what kubectl says of a kind that the cluster doesn't serve.
func noMatch(kind, apiVersion string) string {
	return fmt.Sprintf("no matches for kind %q in version %q", kind, apiVersion)
}
