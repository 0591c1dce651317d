package runtime

import "github.com/fettle-dev/fettle/internal/report"

// Observer hears of a run's progress as it happens. Its methods return at once.
type Observer interface {
	// Acquired is called when the workspace has been acquired.
	Acquired(report.Acquisition)
	// StepStarted is called before a step's first effect.
	StepStarted(index int)
	// InvocationStarted is called before a tool is started.
	InvocationStarted(step int, engine string, paths int)
	// InvocationEnded is called when a tool's effects are accounted for.
	InvocationEnded(report.Invocation)
	// StepEnded is called when a step has ended, well or not.
	StepEnded(report.Step)
}

// Silent is an Observer that does nothing.
type Silent struct{}

// Acquired does nothing.
func (Silent) Acquired(report.Acquisition) {}

// StepStarted does nothing.
func (Silent) StepStarted(int) {}

// InvocationStarted does nothing.
func (Silent) InvocationStarted(int, string, int) {}

// InvocationEnded does nothing.
func (Silent) InvocationEnded(report.Invocation) {}

// StepEnded does nothing.
func (Silent) StepEnded(report.Step) {}
