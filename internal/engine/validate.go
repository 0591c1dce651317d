package engine

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
)

// validate judges one declaration, field by field in the order of spec §7.3, and fills
// in defaults. It doesn't narrow.
func (d CapabilityDeclaration) validate(at place, maxDepth int) (Capability, error) {
	c := Capability{Extensions: slices.Clone(d.Extensions)}
	for _, judge := range []func(place) error{
		d.onlyOwnFields,
		d.extensions,
		func(at place) error { return d.mode(at, &c) },
		func(at place) error { return d.scope(at, &c, maxDepth) },
		func(at place) error { return d.needs(at, &c) },
		func(at place) error { return d.flags(at, &c) },
		func(at place) (err error) { c.Exec, err = d.Invoke.exec(at); return err },
	} {
		if err := judge(at); err != nil {
			return Capability{}, err
		}
	}
	return c, nil
}

// onlyOwnFields refuses a field that the list doesn't have (spec §7.3).
func (d CapabilityDeclaration) onlyOwnFields(at place) error {
	check := at.kind == Check
	for _, field := range []struct {
		name    string
		foreign bool
	}{
		{"mode", check && d.Mode != ""},
		{"access", check && d.Access != ""},
		{"writes", check && d.Writes != ""},
		{"scope", check && d.Scope != nil},
		{"needs", check && d.Needs != nil},
		{"fixable", at.kind != Lint && d.Fixable != nil},
		{"fixArgs", at.kind != Lint && d.Invoke.FixArgs != nil},
		{"generates", check && d.Generates != nil},
	} {
		if field.foreign {
			return at.refuse(fault.ReasonUnknownKey, "%s has no field %q", at.kind.List(), field.name).
				WithHint("remove it")
		}
	}
	return nil
}

func (d CapabilityDeclaration) extensions(at place) error {
	if len(d.Extensions) == 0 {
		return at.refuse(fault.ReasonType, "extensions is missing or empty").
			WithHint(`list extensions without dot, "" for files without one, or "*" for all`)
	}
	for _, ext := range d.Extensions {
		plain := ext == strings.ToLower(ext) && !strings.ContainsAny(ext, "./*")
		if !plain && ext != "*" {
			return at.refuse(fault.ReasonType, "the extension %q isn't lower-case and without dot", ext).
				WithHint(`write "ts" for .ts, "" for no extension, "*" for any`)
		}
	}
	return nil
}

// mode judges mode, access and writes. A check is InPlace on a mounted tree that it only
// reads (spec §8.10).
func (d CapabilityDeclaration) mode(at place, c *Capability) error {
	if at.kind == Check {
		c.Mode, c.Access = InPlace, Mount
		return nil
	}
	c.Mode = d.Mode
	if !slices.Contains([]Mode{InPlace, Filter, Delta}, d.Mode) {
		return at.oneOf("mode", string(d.Mode), "InPlace", "Filter", "Delta")
	}
	if d.Mode != InPlace {
		if d.Access != "" {
			return at.refuse(fault.ReasonType, "access is for mode InPlace only").WithHint("remove it, or set mode to InPlace")
		}
		if d.Writes != "" {
			return at.refuse(fault.ReasonType, "writes is for mode InPlace only").WithHint("remove it, or set mode to InPlace")
		}
		return nil
	}
	return reach(at, d.Access, d.Writes, c)
}

// reach judges access and writes of what is InPlace.
func reach(at place, access Access, writes Writes, c *Capability) error {
	c.Access, c.Writes = access, writes
	switch access {
	case "":
		c.Access = Mount
	case Mount, Facade:
	default:
		return at.oneOf("access", string(access), "Mount", "Facade")
	}
	if c.Access == Facade {
		if writes != "" {
			return at.refuse(fault.ReasonType, "writes is for access Mount only").WithHint("remove it, or set access to Mount")
		}
		return nil
	}
	switch writes {
	case "":
		c.Writes = WritesReplace
	case WritesInPlace, WritesReplace:
	default:
		return at.oneOf("writes", string(writes), "InPlace", "Replace")
	}
	return nil
}

func (d CapabilityDeclaration) scope(at place, c *Capability, maxDepth int) error {
	if c.Mode == InPlace && at.kind != Check && len(d.Scope) == 0 {
		return at.refuse(fault.ReasonType, "scope is missing or empty, and mode InPlace needs one").
			WithHint(`list the globs that it may touch, such as "**/*.ts"`)
	}
	scope, err := glob.ParseEntries(d.Scope, glob.Scope, maxDepth)
	if err != nil {
		return at.declared("scope", err)
	}
	c.Scope = scope
	return nil
}

func (d CapabilityDeclaration) needs(at place, c *Capability) (err error) {
	c.Needs, err = declaredNeeds(at, d.Needs)
	return err
}

// declaredNeeds returns needs sorted and each once.
func declaredNeeds(at place, declared []Need) ([]Need, error) {
	needs := slices.Compact(slices.Sorted(slices.Values(declared)))
	for _, need := range needs {
		if need != NeedDelete && need != NeedMkdir && need != NeedRename {
			return nil, at.oneOf("a need", string(need), "delete", "rename", "mkdir")
		}
	}
	return needs, nil
}

func (d CapabilityDeclaration) flags(at place, c *Capability) error {
	if at.kind == Lint && d.Fixable == nil {
		return at.refuse(fault.ReasonType, "fixable is missing").WithHint("say whether the lint can fix what it finds: true or false")
	}
	c.Fixable = d.Fixable != nil && *d.Fixable
	c.Generates = d.Generates != nil && *d.Generates
	if at.kind == Lint && c.Generates && !c.Fixable {
		return at.refuse(fault.ReasonType, "generates needs fixable").WithHint("a lint that makes files fixes: set fixable to true, or remove generates")
	}
	return nil
}
