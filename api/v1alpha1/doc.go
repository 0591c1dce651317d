// Package v1alpha1 holds the kinds of the group fettle.dev: what a user may write and
// what the parts of Fettle report.
//
// It imports apimachinery and k8s.io/api/core/v1 only, so that anyone can import it. It
// holds no behaviour but what concerns the types themselves. Rules that one object can be
// judged by are markers here: they become OpenAPI, defaults and CEL in the
// CustomResourceDefinitions of config/crd, which an API server and package
// internal/manifest apply alike. Rules that need the disk, another object or the pattern
// grammar are the runtime's.
//
// Every list and string is bounded, so that the cost budget of CEL and the size of an
// object hold. Lists whose absence means something other than their being empty are
// marked omitzero: absent and [] both survive a round trip.
//
// +kubebuilder:object:generate=true
// +groupName=fettle.dev
package v1alpha1
