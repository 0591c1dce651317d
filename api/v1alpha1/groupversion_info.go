package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupName is the API group of every kind of Fettle.
const GroupName = "fettle.dev"

// Version is the version of this package's kinds.
const Version = "v1alpha1"

// GroupVersion is the group and version of this package's kinds.
var GroupVersion = schema.GroupVersion{Group: GroupName, Version: Version}

// AddToScheme adds the kinds of this package to a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	builder := runtime.NewSchemeBuilder(addKnownTypes)
	return builder.AddToScheme(scheme)
}

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion,
		&DevPipeline{}, &DevPipelineList{},
		&DevPipelineRun{}, &DevPipelineRunList{},
		&DevPipelineReport{}, &DevPipelineReportList{},
		&DevEngine{}, &DevEngineList{},
		&DevPolicy{}, &DevPolicyList{},
	)
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
