// Package outcome is what a sidecar tells of its Pod and the controller reads: where the
// run stands, cut to the sizes that both agreed on (docs/design/2026-12-01-pods.md).
//
// It is pure. It refuses what is too large or isn't an outcome, and never decides what an
// outcome means.
package outcome

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// MaxBytes is the size of an outcome as JSON, and of a termination message.
const MaxBytes = 4096

// Sizes of single members, so that an outcome is never all of one of them.
const (
	maxMessage = 1024
	maxGate    = 1536
)

// ErrNotOutcome says that a termination message isn't an outcome: the sidecar was ended
// before it could write one.
var ErrNotOutcome = errors.New("the termination message is no outcome")

// Fit returns an outcome that has at most MaxBytes as JSON. What is cut, in this order:
// the message beyond 1,024 bytes, the gate's lists beyond 1,536, rows of the accounting,
// the last ones first, and then the message again. Counts and digests stay.
func Fit(o v1alpha1.RunOutcome) v1alpha1.RunOutcome {
	o = *o.DeepCopy()
	o.Message = Cut(o.Message, maxMessage)
	if o.Waiting != nil {
		fitGate(o.Waiting)
	}
	for o.Accounting != nil && len(o.Accounting.First) > 0 && size(o) > MaxBytes {
		o.Accounting.First = o.Accounting.First[:len(o.Accounting.First)-1]
	}
	for excess := size(o) - MaxBytes; excess > 0 && o.Message != ""; excess = size(o) - MaxBytes {
		o.Message = Cut(o.Message, max(0, len(o.Message)-excess))
	}
	return o
}

func fitGate(g *v1alpha1.GateStatus) {
	for size(*g) > maxGate && len(g.FirstTargets)+len(g.MayCreate) > 0 {
		if len(g.MayCreate) >= len(g.FirstTargets) {
			g.MayCreate = g.MayCreate[:len(g.MayCreate)-1]
		} else {
			g.FirstTargets = g.FirstTargets[:len(g.FirstTargets)-1]
		}
	}
}

// Encode returns an outcome, cut to size, as a termination message.
func Encode(o v1alpha1.RunOutcome) ([]byte, error) {
	raw, err := json.Marshal(Fit(o))
	if err != nil {
		return nil, fmt.Errorf("outcome of %s: %w", o.Entry, err)
	}
	if len(raw) > MaxBytes {
		return nil, fmt.Errorf("outcome of %s: %d bytes, and at most %d are allowed", o.Entry, len(raw), MaxBytes)
	}
	return raw, nil
}

// Decode reads a termination message. Its errors are ErrNotOutcome, with what is wrong.
func Decode(message string) (v1alpha1.RunOutcome, error) {
	var o v1alpha1.RunOutcome
	if len(message) > MaxBytes {
		return o, fmt.Errorf("%w: it has %d bytes", ErrNotOutcome, len(message))
	}
	d := json.NewDecoder(strings.NewReader(message))
	d.DisallowUnknownFields()
	if err := d.Decode(&o); err != nil {
		return v1alpha1.RunOutcome{}, fmt.Errorf("%w: %w", ErrNotOutcome, err)
	}
	if o.Entry == "" || o.Attempt < 1 || !Valid(o) {
		return v1alpha1.RunOutcome{}, fmt.Errorf("%w: it doesn't say where the run stands", ErrNotOutcome)
	}
	return o, nil
}

// Valid says whether exactly one of next, redo, waiting and result is set.
func Valid(o v1alpha1.RunOutcome) bool {
	n := 0
	for _, set := range []bool{o.Next != nil, o.Redo != nil, o.Waiting != nil, o.Result != ""} {
		if set {
			n++
		}
	}
	return n == 1
}

// Cut shortens a text to at most limit bytes, at a character, with an ellipsis for what is
// left out if there is room for one.
func Cut(text string, limit int) string {
	const ellipsis = "…"
	if len(text) <= limit {
		return text
	}
	end := max(0, limit-len(ellipsis))
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	if limit < len(ellipsis) {
		return ""
	}
	return text[:end] + ellipsis
}

// size is the length of a value as JSON. The types of outcomes always marshal.
func size(v any) int {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		return 0
	}
	return b.Len() - 1
}
