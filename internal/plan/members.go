package plan

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/fettle-dev/fettle/internal/fault"
)

// members reads the members of a JSON object by name and remembers, of what is wrong,
// what counts first: a member nobody asked for, then a missing one, then one of the wrong
// type (spec §8.1). A null is an absent member.
type members struct {
	left    map[string]json.RawMessage
	json    json.RawMessage
	missing []string
	err     error // the first of wrong type
}

// presence says whether a member must be there.
type presence bool

const (
	required presence = true
	optional presence = false
)

func parseMembers(raw json.RawMessage) (*members, error) {
	m := &members{json: raw}
	if err := json.Unmarshal(raw, &m.left); err != nil {
		return nil, fault.New(fault.BadArgument, fault.ReasonType, "", "it isn't an object with arguments").WithCause(err).WithHint("correct it")
	}
	maps.DeleteFunc(m.left, func(_ string, v json.RawMessage) bool { return bytes.Equal(v, []byte("null")) })
	return m, nil
}

func (m *members) has(name string) bool { _, ok := m.left[name]; return ok }

// rest returns what hasn't been taken yet.
func (m *members) rest() map[string]json.RawMessage { return m.left }

// whole takes everything as it is.
func (m *members) whole() json.RawMessage {
	m.left = nil
	return m.json
}

// raw takes an optional member as it is, nil if it is absent.
func (m *members) raw(name string) json.RawMessage {
	v := m.left[name]
	delete(m.left, name)
	return v
}

// into takes a member, if it is there, and decodes it strictly.
func (m *members) into(name string, to any) { m.take(name, optional, "of the right form", to) }

func (m *members) text(name string, p presence) (text string) {
	m.take(name, p, "a text", &text)
	return text
}

func (m *members) texts(name string, p presence) (list []string) {
	m.take(name, p, "a list of texts", &list)
	return list
}

func (m *members) number(name string, p presence) (n int) {
	m.take(name, p, "a whole number", &n)
	return n
}

func (m *members) optionalNumber(name string) *int {
	if !m.has(name) {
		return nil
	}
	n := m.number(name, optional)
	return &n
}

func (m *members) flag(name string) (set bool) {
	m.take(name, optional, "true or false", &set)
	return set
}

func (m *members) object(name string, p presence) *members {
	var raw json.RawMessage
	if m.take(name, p, "an object", &raw); raw == nil {
		return nil
	}
	inner, err := parseMembers(raw)
	if err != nil {
		m.fail(wrongType(name, "an object"))
		return nil
	}
	return inner
}

func (m *members) edits(name string) []Replacement {
	var raws []json.RawMessage
	m.take(name, required, "a list of edits", &raws)
	if raws == nil {
		return nil
	}
	list := make([]Replacement, 0, len(raws))
	for _, raw := range raws {
		inner, err := parseMembers(raw)
		if err != nil {
			m.fail(wrongType(name, "a list of edits"))
			return list
		}
		list = append(list, Replacement{Find: inner.text("find", required), Replace: inner.text("replace", required)})
		m.fail(inner.finish())
	}
	return list
}

func (m *members) take(name string, p presence, want string, to any) {
	raw, ok := m.left[name]
	delete(m.left, name)
	if !ok {
		if p == required {
			m.missing = append(m.missing, name)
		}
		return
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(to); err != nil {
		m.fail(wrongType(name, want).WithCause(err))
	}
}

func (m *members) fail(err error) {
	if m.err == nil && err != nil {
		m.err = err
	}
}

// finish returns what counts first of what went wrong.
func (m *members) finish() error {
	if len(m.left) > 0 {
		name := slices.Sorted(maps.Keys(m.left))[0]
		return fault.New(fault.BadArgument, fault.ReasonUnknownArgument, "", "there is no argument %q", name).WithHint("remove it, or correct its name")
	}
	if len(m.missing) > 0 {
		return missing(m.missing[0])
	}
	return m.err
}
