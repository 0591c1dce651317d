package outcome

import (
	"fmt"
	"slices"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// Entries of Pods that serve no invocation.
const (
	Prepare = "prepare" // acquires, and runs the steps before the first tool
	Folders = "folders" // makes the folders of the run's own claim
	Recover = "recover" // accounts for what another Pod left open
)

// Invocation is the entry of a Pod that serves the index-th invocation of a step.
func Invocation(step, index int) string { return fmt.Sprintf("%d-%d", step, index) }

// Of is the entry of the invocation that a run stopped before.
func Of(next v1alpha1.NextInvocation) string { return Invocation(int(next.Step), int(next.Index)) }

// Manager is the field manager under which the sidecar of an entry's Pods writes. Two
// entries never share one: they would erase each other's.
func Manager(entry string) string { return "fettle-sidecar-" + entry }

// MaxEntryBytes is the size that all entries of status.invocations have together, as JSON.
const MaxEntryBytes = 30 << 10

// roomy is how much room there must be left for an entry to have all its details.
const roomy = MaxEntryBytes / 3

// FitEntry returns an entry cut so that all entries together stay within MaxEntryBytes:
// whole while there is plenty of room, then without what the report tells as well. It is
// false where there is no room at all: the entry is left out then. entries are those of
// the run as it was read; one of the same name is replaced.
func FitEntry(entries []v1alpha1.InvocationStatus, e v1alpha1.InvocationStatus) (v1alpha1.InvocationStatus, bool) {
	taken := 2 // brackets
	for _, other := range entries {
		if other.Name != e.Name {
			taken += size(other) + 1
		}
	}
	e = *e.DeepCopy()
	e.Message = Cut(e.Message, 512)
	if taken+size(e) <= roomy {
		return e, true
	}
	e.Message = Cut(e.Message, 96)
	e.Version, e.Image, e.Usage, e.StartTime, e.CompletionTime = "", "", nil, nil, nil
	if e.Containment != nil {
		e.Containment.Roots, e.Containment.RootsTotal = nil, max(e.Containment.RootsTotal, int64(len(e.Containment.Roots)))
	}
	if taken+size(e) > MaxEntryBytes {
		return v1alpha1.InvocationStatus{}, false
	}
	return e, true
}

// IsInvocation says whether an entry is that of a Pod with a fixer.
func IsInvocation(entry string) bool {
	return !slices.Contains([]string{Prepare, Folders, Recover}, entry)
}
