package sidecar

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/outcome"
)

// summary is the line that a sidecar's log ends with: what it came to, and what to give it.
func summary(o v1alpha1.RunOutcome) string {
	where := string(o.Result)
	switch {
	case o.Next != nil:
		where = "next is " + outcome.Of(*o.Next)
	case o.Waiting != nil:
		where = "waiting for an approval of " + string(o.Waiting.Digest)
	case o.Redo != nil:
		where = "another Pod is needed"
	}
	return fmt.Sprintf("%s, attempt %d: %s (at most %s of memory)", o.Entry, o.Attempt, where, peak())
}

// peak is the most memory that this process had at once, as the kernel says it.
func peak() string {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "?"
	}
	for line := range bytes.Lines(text) {
		if value, ok := bytes.CutPrefix(line, []byte("VmHWM:")); ok {
			return strings.Join(strings.Fields(string(value)), " ")
		}
	}
	return "?"
}
