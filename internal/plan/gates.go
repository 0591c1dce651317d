package plan

// GateMode says which steps ask before they run (spec §10.1).
type GateMode string

// The gate modes of spec §10.1.
const (
	GateNever    GateMode = "Never"
	GateMutating GateMode = "Mutating"
	GateAlways   GateMode = "Always"
)

// Acquisition is the position before all steps, when the workspace is acquired.
const Acquisition = -1

// Gated reports whether the step of an index asks a gate before it runs; Acquisition
// stands for the acquisition, which only GateAlways concerns (spec §10.1).
func (p Plan) Gated(index int) bool {
	if index == Acquisition {
		return p.Gates == GateAlways
	}
	step := p.Steps[index]
	mode := p.Gates
	if step.Gate != "" {
		mode = step.Gate
	}
	return mode == GateAlways || mode == GateMutating && mutating(step.Args)
}

// mutating reports whether a step may change something, whatever it finds to do.
func mutating(args Args) bool {
	switch a := args.(type) {
	case Edit, ApplyPatch, Blocks, Write, Format, Run, Publish:
		return true
	case Lint:
		return a.Fix
	default:
		return false
	}
}
