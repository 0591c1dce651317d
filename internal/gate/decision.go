package gate

import "github.com/fettle-dev/fettle/internal/fault"

// Decision is what somebody answered to a gate. It is about the payload whose digest it
// names and no other (spec §10.3).
type Decision struct {
	Digest   string
	Approved bool
	By       string // who decided
	Note     string
}

// Outcome is what decisions come to for one payload.
type Outcome uint8

// The outcomes.
const (
	Pending  Outcome = iota // nobody has decided about this payload
	Void                    // somebody has, but about another: the state has changed since
	Approved                //
	Declined                //
)

// Judge says what the decisions come to for the payload of this digest, and which of them
// made it so. One that declines outweighs those that approve. Void and Pending alike mean
// that the gate is to be asked with the present payload.
func Judge(digest string, decisions []Decision) (Outcome, Decision) {
	outcome, by := Pending, Decision{}
	for _, d := range decisions {
		switch {
		case d.Digest != digest:
			if outcome == Pending {
				outcome, by = Void, d
			}
		case !d.Approved:
			return Declined, d
		case outcome != Approved:
			outcome, by = Approved, d
		}
	}
	return outcome, by
}

// Declination is the error of a step whose gate said no (spec §10.4). It carries the note.
func Declination(d Decision) *fault.Error {
	message := "the gate said no"
	if d.By != "" {
		message = d.By + " said no"
	}
	if d.Note != "" {
		message += ": " + d.Note
	}
	return fault.New(fault.GateDeclined, "", "", "%s", message).
		WithHint("what earlier steps wrote stays; change the pipeline and run it again")
}
