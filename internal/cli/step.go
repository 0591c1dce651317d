package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/plan"
)

// stepOf finds a step by its name, or by its number from 1; "" is every step.
func stepOf(p plan.Plan, name string) (*int, error) {
	if name == "" {
		return nil, nil
	}
	if i := slices.IndexFunc(p.Steps, func(s plan.Step) bool { return s.Name == name }); i >= 0 {
		return &i, nil
	}
	if n, err := strconv.Atoi(name); err == nil && n >= 1 && n <= len(p.Steps) {
		n--
		return &n, nil
	}
	var names []string
	for _, s := range p.Steps {
		names = append(names, s.Name)
	}
	return nil, fault.New(fault.UnknownStep, "", "", "the pipeline has no step %q", name).
		WithHint("name one of %s, or give a number from 1 to %d", strings.Join(names, ", "), len(names))
}
