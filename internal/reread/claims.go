package reread

import (
	"encoding/json"
	"slices"

	"github.com/fettle-dev/fettle/internal/pathdoor"
)

// claims are the paths that an advisory delta says were changed (spec §14). What it says
// about their content isn't kept.
type claims struct {
	paths       map[string]bool // normalised
	unparseable map[string]bool // malformed fields, "delta", and paths that don't normalise
}

// decodeClaims reads an advisory delta. Nothing in it is an error: what is malformed is
// named. A field that is null is absent, and fields that aren't mutations are no
// business of the re-read.
func decodeClaims(raw []byte, maxDepth int) claims {
	c := claims{paths: map[string]bool{}, unparseable: map[string]bool{}}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		c.unparseable["delta"] = true
		return c
	}
	for _, name := range []string{"changed", "added", "deleted", "renamed"} {
		paths, ok := claimedPaths(name, fields[name])
		if !ok {
			c.unparseable[name] = true
			continue
		}
		for _, p := range paths {
			c.add(p, maxDepth)
		}
	}
	return c
}

// claimedPaths returns the paths that one field names; it isn't ok if the field hasn't
// the shape of spec §8.11.
func claimedPaths(field string, raw json.RawMessage) (paths []string, ok bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, true
	}
	if field == "deleted" {
		var list []*string
		if json.Unmarshal(raw, &list) != nil || slices.Contains(list, nil) {
			return nil, false
		}
		for _, p := range list {
			paths = append(paths, *p)
		}
		return paths, true
	}
	var texts map[string]*string
	if json.Unmarshal(raw, &texts) != nil {
		return nil, false
	}
	for path, value := range texts {
		if value == nil {
			return nil, false
		}
		paths = append(paths, path)
		if field == "renamed" {
			paths = append(paths, *value)
		}
	}
	return paths, true
}

func (c claims) add(raw string, maxDepth int) {
	path, err := pathdoor.Facade(raw, maxDepth)
	if err != nil {
		c.unparseable[raw] = true
		return
	}
	c.paths[path] = true
}
