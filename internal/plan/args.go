package plan

import (
	"slices"

	"github.com/fettle-dev/fettle/internal/applypatch"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
)

// validateArgs judges what can be known of arguments before anything runs (spec §8.1,
// §10.1): entries pass their doors, a patch is well formed.
func validateArgs(args Args, r Rules) error {
	switch a := args.(type) {
	case ReadLines:
		return a.validate()
	case Edit:
		return a.validate()
	case ApplyPatch:
		return a.validate(r.MaxDepth)
	case Blocks:
		return a.validate()
	case Write:
		return selector(a.Paths, r.MaxDepth)
	case Format:
		return selector(a.Paths, r.MaxDepth)
	case Lint:
		return selector(a.Paths, r.MaxDepth)
	case Run:
		if _, err := a.Validate(r.Engines.Driver(), r.MaxDepth); err != nil {
			return err
		}
		return selector(a.Paths, r.MaxDepth)
	default:
		return nil
	}
}

func selector(paths []string, maxDepth int) error {
	_, err := engine.ParseSelector(paths, maxDepth)
	return err
}

func (a ReadLines) validate() error {
	if a.Path == "" {
		return missing("path")
	}
	if a.Start < 1 {
		return wrongType("start", "a number of at least 1")
	}
	if a.End != nil && *a.End < 1 {
		return wrongType("end", "a number of at least 1")
	}
	return nil
}

func (a ApplyPatch) validate(maxDepth int) error {
	if a.Patch == "" {
		return missing("patch")
	}
	_, err := applypatch.Parse(a.Patch, maxDepth)
	return err
}

func (a Edit) validate() error {
	if a.Path == "" {
		return missing("path")
	}
	if a.Edits == nil {
		return missing("edits")
	}
	if len(a.Edits) == 0 {
		return wrongType("edits", "a list with at least one edit")
	}
	if slices.ContainsFunc(a.Edits, func(r Replacement) bool { return r.Find == "" }) {
		return wrongType("find", "a text that isn't empty")
	}
	return nil
}

func (a Blocks) validate() error {
	if a.Message == nil && len(a.MessageFrom) == 0 {
		return missing("message")
	}
	if a.Message != nil && len(a.MessageFrom) > 0 {
		return wrongType("message", "the only source of the message: messageFrom is given, too")
	}
	return nil
}

func missing(name string) *fault.Error {
	return fault.New(fault.BadArgument, fault.ReasonMissing, "", "the argument %s is missing", name).WithHint("give it")
}

func wrongType(name, want string) *fault.Error {
	return fault.New(fault.BadArgument, fault.ReasonType, "", "the argument %s isn't %s", name, want).WithHint("correct it")
}
