// Package smoke has the tests of a running cluster: of the one that `make cluster` brings,
// or of another one by KUBECONFIG that has the images. They are behind the build tag
// cluster, and each test has a namespace of its own that enforces the restricted Pod
// Security Standard.
package smoke
