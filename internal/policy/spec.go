package policy

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/fault"
)

// Spec is one layer as authored (spec §6.1).
type Spec struct {
	Read        Axis        `json:"read,omitzero"`
	Write       Axis        `json:"write,omitzero"`
	OnViolation OnViolation `json:"onViolation,omitempty"`
}

// Axis is the rules of reading or of writing. A nil Allow is absent, which isn't the
// same as an empty list: that allows nothing.
type Axis struct {
	Allow []string `json:"allow,omitzero"`
	Deny  []string `json:"deny,omitzero"`
}

// OnViolation says what happens when a tool changed what the policy denies (spec
// §13.10); empty is Fail.
type OnViolation string

// The values of OnViolation.
const (
	Fail    OnViolation = "Fail"
	Restore OnViolation = "Restore"
)

// Decode reads a Spec from JSON. Errors are *fault.Error of kind InvalidPipeline:
// unknown-key for a key that no rule names, in this spelling, and type for a value of
// another shape; the path says where.
func Decode(raw []byte) (Spec, error) {
	var spec Spec
	members, err := object(raw, "", "read", "write", "onViolation")
	if err != nil {
		return Spec{}, err
	}
	if spec.Read, err = decodeAxis(members["read"], "read"); err != nil {
		return Spec{}, err
	}
	if spec.Write, err = decodeAxis(members["write"], "write"); err != nil {
		return Spec{}, err
	}
	if given(members["onViolation"]) && json.Unmarshal(members["onViolation"], &spec.OnViolation) != nil {
		return Spec{}, wrongType("onViolation", "a string")
	}
	return spec, nil
}

func decodeAxis(raw json.RawMessage, at string) (Axis, error) {
	if !given(raw) {
		return Axis{}, nil
	}
	members, err := object(raw, at+".", "allow", "deny")
	if err != nil {
		return Axis{}, err
	}
	allow, err := decodeList(members["allow"], at+".allow")
	if err != nil {
		return Axis{}, err
	}
	deny, err := decodeList(members["deny"], at+".deny")
	if err != nil {
		return Axis{}, err
	}
	return Axis{Allow: allow, Deny: deny}, nil
}

func decodeList(raw json.RawMessage, at string) ([]string, error) {
	if !given(raw) {
		return nil, nil
	}
	var items []*string // a null item would pass for an empty string
	if json.Unmarshal(raw, &items) != nil || slices.Contains(items, nil) {
		return nil, wrongType(at, "a list of strings")
	}
	list := make([]string, len(items))
	for i, item := range items {
		list[i] = *item
	}
	return list, nil
}

// object decodes a JSON object whose keys must be among known, in this spelling: the
// decoder of structs would take keys of another case, and names no kind in its errors.
func object(raw []byte, at string, known ...string) (map[string]json.RawMessage, error) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return nil, wrongType(strings.TrimSuffix(at, "."), "an object")
	}
	keys := make([]string, 0, len(members))
	for key := range members {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		if !slices.Contains(known, key) {
			return nil, fault.New(fault.InvalidPipeline, fault.ReasonUnknownKey, at+key, "a policy has no such key").
				WithHint("write one of %s", strings.Join(known, ", "))
		}
	}
	return members, nil
}

// given says whether a member is there; null is absence.
func given(raw json.RawMessage) bool {
	return len(raw) > 0 && !bytes.Equal(raw, []byte("null"))
}

func wrongType(at, want string) *fault.Error {
	return fault.New(fault.InvalidPipeline, fault.ReasonType, at, "a policy wants %s here", want).
		WithHint("see {read: {allow, deny}, write: {allow, deny}, onViolation}")
}
