package pipeline

import (
	"encoding/json"
	"fmt"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/plan"
)

// convertPlan converts steps and gates; publishing, if there is any, is the last step.
func convertPlan(steps []v1alpha1.Step, gates v1alpha1.Gates, publish *v1alpha1.Publish) (plan.Plan, error) {
	p := plan.Plan{Gates: plan.GateMode(gates.Mode)}
	for _, s := range steps {
		args, err := arguments(s)
		if err != nil {
			return plan.Plan{}, fmt.Errorf("step %s: %w", s.Name, err)
		}
		step := plan.Step{Name: string(s.Name), Args: args}
		if s.Gates != nil {
			step.Gate = plan.GateMode(s.Gates.Mode)
		}
		p.Steps = append(p.Steps, step)
	}
	if publish != nil {
		config, err := json.Marshal(publish)
		if err != nil {
			return plan.Plan{}, fmt.Errorf("publish: %w", err)
		}
		p.Steps = append(p.Steps, plan.Step{Name: string(plan.KindPublish), Args: plan.Publish{Config: config}})
	}
	return p, nil
}

// arguments converts what a step says; a step that says nothing has none, which the plan's
// validation refuses.
func arguments(s v1alpha1.Step) (plan.Args, error) {
	switch {
	case s.ReadLines != nil:
		return readLines(*s.ReadLines), nil
	case s.Edit != nil:
		return edit(*s.Edit), nil
	case s.ApplyPatch != nil:
		return plan.ApplyPatch{Patch: s.ApplyPatch.Patch}, nil
	case s.Blocks != nil:
		return blocks(*s.Blocks)
	case s.Write != nil:
		return plan.Write{Paths: s.Write.Paths}, nil
	case s.Format != nil:
		return plan.Format{Paths: s.Format.Paths}, nil
	case s.Lint != nil:
		return plan.Lint{Paths: s.Lint.Paths, Fix: s.Lint.Fix}, nil
	case s.Check != nil:
		return plan.Check{}, nil
	case s.Run != nil:
		return run(*s.Run)
	default:
		return nil, nil
	}
}

func readLines(s v1alpha1.ReadLinesStep) plan.Args {
	args := plan.ReadLines{Path: string(s.Path), Start: int(s.Start), Label: s.Label}
	if s.End != 0 {
		end := int(s.End)
		args.End = &end
	}
	return args
}

func edit(s v1alpha1.EditStep) plan.Args {
	args := plan.Edit{Path: string(s.Path), Edits: make([]plan.Replacement, 0, len(s.Edits))}
	for _, e := range s.Edits {
		args.Edits = append(args.Edits, plan.Replacement{Find: e.Find, Replace: e.Replace})
	}
	return args
}

func blocks(s v1alpha1.BlocksStep) (plan.Args, error) {
	args := plan.Blocks{EditFormat: string(s.EditFormat), Newline: string(s.Newline)}
	if s.MessageFrom == nil {
		args.Message = &s.Message
	}
	for _, member := range []struct {
		from  any
		given bool
		to    *json.RawMessage
	}{
		{s.MessageFrom, s.MessageFrom != nil, &args.MessageFrom},
		{s.Observations, len(s.Observations) > 0, &args.Observations},
		{s.Limits, s.Limits != (v1alpha1.BlockLimits{}), &args.Limits},
	} {
		if !member.given {
			continue
		}
		raw, err := json.Marshal(member.from)
		if err != nil {
			return nil, err
		}
		*member.to = raw
	}
	return args, nil
}

func run(s v1alpha1.RunStep) (plan.Args, error) {
	invoke, err := invocation(s.Invocation)
	if err != nil {
		return nil, err
	}
	invoke.Command, invoke.Args = s.Command, s.Args
	invoke.Paths, invoke.Network = passing(s.PassPaths), engine.Network(s.Network)
	return plan.Run{
		RunDeclaration: engine.RunDeclaration{
			Image:  string(s.Image),
			Access: engine.Access(s.Access),
			Writes: engine.Writes(s.Writes),
			Scope:  s.Scope,
			Needs:  needs(s.Needs),
			Invoke: invoke,
		},
		Paths: s.Paths,
	}, nil
}
