package plan

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/fault"
)

// ParseStep reads one step from JSON as authors write it: {"name": …, "gates": {"mode":
// …}, "<kind>": {…}}, name and gates optional. Errors are *fault.Error: UnknownStep, or
// BadArgument with the reasons unknown-argument, missing and type, in this order (spec
// §8.1).
func ParseStep(raw []byte) (Step, error) {
	m, err := parseMembers(raw)
	if err != nil {
		return Step{}, err
	}
	name := m.text("name", optional)
	gates := m.object("gates", optional)
	if m.err != nil {
		return Step{}, m.err
	}
	step := Step{Name: name}
	if gates != nil {
		step.Gate = GateMode(gates.text("mode", required))
		if err := gates.finish(); err != nil {
			return Step{}, err
		}
	}
	kinds := slices.Sorted(maps.Keys(m.rest()))
	if len(kinds) != 1 {
		return Step{}, fault.New(fault.UnknownStep, "", "", "a step is one of %s, and this one is %s", knownKinds(), enumerate(kinds)).
			WithHint("write one step per entry of the list")
	}
	parse, known := parsers[Kind(kinds[0])]
	if !known {
		return Step{}, fault.New(fault.UnknownStep, "", "", "there is no step %q", kinds[0]).WithHint("name one of %s", knownKinds())
	}
	if step.Name == "" {
		step.Name = kinds[0]
	}
	args, err := parseMembers(m.rest()[kinds[0]])
	if err != nil {
		return step, err
	}
	step.Args = parse(args)
	return step, args.finish()
}

// ParseSteps reads a list of steps; an error names the step that it is in.
func ParseSteps(raws []json.RawMessage) ([]Step, error) {
	steps := make([]Step, 0, len(raws))
	for i, raw := range raws {
		step, err := ParseStep(raw)
		if err != nil {
			return nil, fault.InStep(err, i, step.Name)
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// parsers read the arguments of each kind. They take members and leave judging what is
// left over and what went wrong to members.finish.
var parsers = map[Kind]func(*members) Args{
	KindReadLines: func(m *members) Args {
		return ReadLines{Path: m.text("path", required), Start: m.number("start", required), End: m.optionalNumber("end"), Label: m.text("label", optional)}
	},
	KindEdit: func(m *members) Args {
		return Edit{Path: m.text("path", required), Edits: m.edits("edits")}
	},
	KindApplyPatch: func(m *members) Args { return ApplyPatch{Patch: m.text("patch", required)} },
	KindBlocks:     parseBlocks,
	KindWrite:      func(m *members) Args { return Write{Paths: m.texts("paths", optional)} },
	KindFormat:     func(m *members) Args { return Format{Paths: m.texts("paths", optional)} },
	KindLint: func(m *members) Args {
		return Lint{Paths: m.texts("paths", optional), Fix: m.flag("fix")}
	},
	KindCheck:   func(*members) Args { return Check{} },
	KindRun:     parseRun,
	KindPublish: func(m *members) Args { return Publish{Config: m.whole()} },
}

func parseBlocks(m *members) Args {
	b := Blocks{
		MessageFrom:  m.raw("messageFrom"),
		Observations: m.raw("observations"),
		EditFormat:   m.text("editFormat", optional),
		Newline:      m.text("newline", optional),
		Limits:       m.raw("limits"),
	}
	if m.has("message") {
		text := m.text("message", required)
		b.Message = &text
	}
	return b
}

func parseRun(m *members) Args {
	run := Run{Paths: m.texts("paths", optional)}
	for _, member := range []struct {
		name string
		to   any
	}{
		{"image", &run.Image}, {"command", &run.Command}, {"args", &run.Args},
		{"needs", &run.Needs}, {"access", &run.Access}, {"writes", &run.Writes},
		{"passPaths", &run.Invoke.Paths}, {"exitCodes", &run.ExitCodes}, {"diagnostics", &run.Diagnostics},
		{"deadline", &run.Deadline}, {"network", &run.Network}, {"resources", &run.Resources},
	} {
		m.into(member.name, member.to)
	}
	run.Scope = m.texts("scope", required)
	return run
}

// knownKinds lists the steps that there are.
func knownKinds() string {
	names := make([]string, 0, len(parsers))
	for k := range parsers {
		names = append(names, string(k))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func enumerate(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, " and ")
}
