package pipeline

import (
	"encoding/json"
	"fmt"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/engine"
)

func (p *Pipeline) engines(r Resolved, d Driver) error {
	decls := make([]engine.Declaration, 0, len(r.Engines))
	for _, e := range r.Engines {
		decl, err := declaration(e)
		if err != nil {
			return fmt.Errorf("engine %s: %w", e.Name, err)
		}
		decls = append(decls, decl)
	}
	var err error
	p.Engines, err = engine.NewRegistry(decls, d.Serves, p.Acquire.Bounds.MaxDepth)
	return err
}

// declaration converts an engine. It judges nothing.
func declaration(e v1alpha1.ResolvedEngine) (engine.Declaration, error) {
	resources, err := opaque(e.Resources)
	if err != nil {
		return engine.Declaration{}, err
	}
	d := engine.Declaration{
		ID:             e.Name,
		Image:          string(e.Spec.Image),
		VersionCommand: e.Spec.VersionCommand,
		Narrowing:      engine.Narrowing{Scope: e.Scope, Args: e.Args, Resources: resources},
	}
	network := engine.Network(e.Spec.Network)
	for _, f := range e.Spec.Formats {
		c, err := capability(f.Capability, network)
		if err != nil {
			return engine.Declaration{}, err
		}
		d.Formats = append(d.Formats, mutating(c, f.Mutation))
	}
	for _, l := range e.Spec.Lints {
		c, err := capability(l.Capability, network)
		if err != nil {
			return engine.Declaration{}, err
		}
		c = mutating(c, l.Mutation)
		c.Fixable = &l.Fixable
		c.Invoke.FixArgs = l.FixArgs
		d.Lints = append(d.Lints, c)
	}
	for _, k := range e.Spec.Checks {
		c, err := capability(k.Capability, network)
		if err != nil {
			return engine.Declaration{}, err
		}
		d.Checks = append(d.Checks, c)
	}
	return d, nil
}

func capability(c v1alpha1.Capability, network engine.Network) (engine.CapabilityDeclaration, error) {
	invoke, err := invocation(c.Invocation)
	if err != nil {
		return engine.CapabilityDeclaration{}, err
	}
	invoke.Command, invoke.Paths, invoke.Network = c.Command, passing(c.Paths), network
	return engine.CapabilityDeclaration{Extensions: c.Extensions, Invoke: invoke}, nil
}

func mutating(c engine.CapabilityDeclaration, m v1alpha1.Mutation) engine.CapabilityDeclaration {
	c.Mode = engine.Mode(m.Mode)
	c.Access = engine.Access(m.Access)
	c.Writes = engine.Writes(m.Writes)
	c.Scope = m.Scope
	c.Needs = needs(m.Needs)
	c.Generates = &m.Generates
	return c
}

func needs(from []v1alpha1.Need) []engine.Need {
	var to []engine.Need
	for _, n := range from {
		to = append(to, engine.Need(n))
	}
	return to
}

func passing(p v1alpha1.PathPassing) engine.PathArgs {
	return engine.PathArgs{As: engine.PathsAs(p.As), Separator: p.Separator}
}

func invocation(i v1alpha1.Invocation) (engine.Invoke, error) {
	resources, err := opaque(i.Resources)
	if err != nil {
		return engine.Invoke{}, err
	}
	v := engine.Invoke{Resources: resources}
	if i.ExitCodes != nil {
		for _, code := range i.ExitCodes.Findings {
			v.ExitCodes.Findings = append(v.ExitCodes.Findings, int(code))
		}
	}
	if i.Diagnostics != nil {
		v.Diagnostics = engine.Diagnostics{
			Format:  engine.DiagnosticsFormat(i.Diagnostics.Format),
			Pattern: i.Diagnostics.Pattern,
			Stream:  engine.Stream(i.Diagnostics.Stream),
		}
	}
	if span := i.Deadline.Duration.Duration; span != 0 {
		deadline := engine.Duration(span)
		v.Deadline = &deadline
	}
	return v, nil
}

// opaque keeps resources as they are written, nil if none are.
func opaque(r v1alpha1.Resources) (json.RawMessage, error) {
	if r == (v1alpha1.Resources{}) {
		return nil, nil
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("resources: %w", err)
	}
	return raw, nil
}
