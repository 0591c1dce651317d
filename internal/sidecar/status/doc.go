// Package status is what the driver in a Pod has to do with Kubernetes: it says in the
// objects of the API what became of a run, reads the run, and writes that
// (docs/design/2026-12-01-pods.md).
//
// What it says is bounded whatever a run does: counts, first rows, digests. Its client has
// three requests and no more, because it is in every Pod of every run and a general one
// takes more memory than all else that a sidecar does. It never asks for another object
// than the run and its report, and never decides what becomes of a run.
package status
