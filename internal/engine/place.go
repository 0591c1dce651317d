package engine

import (
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/internal/fault"
)

// place is where a declaration stands: engine, list and index (spec §7.3), or a run step.
type place struct {
	engine string
	kind   Kind
	index  int
}

// String names the place within its engine; it is empty for a run step.
func (p place) String() string {
	if p.kind == Run {
		return ""
	}
	return fmt.Sprintf("%s[%d]", p.kind.List(), p.index)
}

// refuse makes a refusal of what stands at p: of an engine's declaration or of an
// argument of a run step.
func (p place) refuse(reason fault.Reason, format string, args ...any) *fault.Error {
	if p.kind == Run {
		return fault.New(fault.BadArgument, reason, "", format, args...)
	}
	e := fault.New(fault.InvalidPipeline, reason, "", "%s: %s", p, fmt.Sprintf(format, args...))
	e.Engine = p.engine
	return e
}

// declared places the refusal of an entry in the declaration that it stands in.
func (p place) declared(field string, err error) error {
	cause := fault.As(err)
	if cause == nil {
		return p.refuse(fault.ReasonType, "%s", field).WithCause(err)
	}
	e := p.refuse(cause.Reason, "%s: %s", field, cause.Message)
	e.Path, e.Hint, e.Err = cause.Path, cause.Hint, cause.Err
	return e
}

// oneOf refuses a value that isn't one of those wanted.
func (p place) oneOf(field, got string, want ...string) *fault.Error {
	list := strings.Join(want, ", ")
	if got == "" {
		return p.refuse(fault.ReasonType, "%s is missing", field).WithHint("set it to one of %s", list)
	}
	return p.refuse(fault.ReasonType, "%s is %q", field, got).WithHint("set it to one of %s", list)
}
