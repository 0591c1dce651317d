package plan

// Observation is what is known of a run when someone decides what to do next. It is
// gathered anew each time, so that whoever decides can stop and start at any point.
type Observation struct {
	Position int       // the step that is next or was begun; Acquisition before all
	Begun    bool      // that step has passed its gate and done some of its work
	Open     *Open     // the open journal entry; nil is none
	Gate     GateState // of the step at Position
	Failed   bool      // a step has failed, and no entry is open
	Desired  Desired
	Retries  int // further attempts that the pipeline allows a tool that failed
}

// Open is a journal entry that was made durable and isn't closed: something was started
// and the workspace doesn't know yet what came of it.
type Open struct {
	Kind     OpenKind
	Running  bool // what was started isn't known to have ended
	Done     bool // the tool is known to have ended well: only the re-read is missing
	Attempts int  // attempts in which a tool was started; an attempt that never got that far is free
}

// OpenKind says what an entry is about.
type OpenKind string

// The kinds of journal entry.
const (
	OpenInvocation OpenKind = "Invocation" // an in-place tool (spec §12.4)
	OpenWrite      OpenKind = "Write"      // the operations of a write step (spec §16.6)
)

// GateState is what has become of a gate. An approval whose digest isn't that of the
// present payload is void: the gate is unasked again (spec §10.3).
type GateState string

// The states of a gate.
const (
	GateUnasked  GateState = ""
	GateWaiting  GateState = "Waiting"
	GateApproved GateState = "Approved"
	GateDeclined GateState = "Declined"
)

// Desired is what the run's owner wants. Cancelled is final.
type Desired string

// The desired states; "" is DesiredRunning.
const (
	DesiredRunning   Desired = "Running"
	DesiredPaused    Desired = "Paused"
	DesiredCancelled Desired = "Cancelled"
)

// Decision is what to do now.
type Decision string

// The decisions. Each that acts is safe to take again after a crash in the middle of it.
const (
	Acquire Decision = "Acquire" // acquire the workspace
	Ask     Decision = "Ask"     // compute the payload of the gate at Position and show it
	RunStep Decision = "RunStep" // run the step at Position, or go on with it if begun
	Retry   Decision = "Retry"   // start the tool of the open entry again; its snapshot stays
	Recover Decision = "Recover" // re-read for the open invocation, or replay the open write
	Stop    Decision = "Stop"    // end the tool that runs; the re-read follows

	WaitForTool Decision = "WaitForTool"
	WaitForGate Decision = "WaitForGate"
	WaitPaused  Decision = "WaitPaused"

	FinishSucceeded Decision = "FinishSucceeded"
	FinishFailed    Decision = "FinishFailed"
	FinishDeclined  Decision = "FinishDeclined"
	FinishCancelled Decision = "FinishCancelled"
)

// Next decides what to do now. An open entry comes before everything: until it is closed
// nobody knows what the disk holds, so neither failure nor cancellation skips the re-read
// (spec §12.6, §13.1).
func Next(p Plan, o Observation) Decision {
	if o.Open != nil {
		return o.close()
	}
	switch {
	case o.Failed:
		return FinishFailed
	case o.Desired == DesiredCancelled:
		return FinishCancelled
	case o.Position >= len(p.Steps):
		return FinishSucceeded
	case o.Desired == DesiredPaused:
		return WaitPaused
	case o.Begun || !p.Gated(o.Position):
		return o.goOn()
	}
	switch o.Gate {
	case GateApproved:
		return o.goOn()
	case GateDeclined:
		return FinishDeclined
	case GateWaiting:
		return WaitForGate
	default:
		return Ask
	}
}

func (o Observation) goOn() Decision {
	if o.Position == Acquisition {
		return Acquire
	}
	return RunStep
}

// close decides how to get an open entry closed.
func (o Observation) close() Decision {
	switch {
	case o.Open.Running && o.Desired == DesiredCancelled && o.Open.Kind == OpenInvocation:
		return Stop
	case o.Open.Running:
		return WaitForTool
	case o.Open.Kind == OpenWrite || o.Open.Done || o.Desired == DesiredCancelled:
		return Recover
	case o.Open.Attempts > o.Retries:
		return Recover
	case o.Desired == DesiredPaused:
		return WaitPaused
	default:
		return Retry
	}
}
