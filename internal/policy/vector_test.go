package policy

import (
	"encoding/json"
	"testing"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/vectortest"
)

const maxDepth = 32

func mustPolicy(t testing.TB, layers ...string) *Policy {
	t.Helper()
	var parsed []*Layer
	for _, raw := range layers {
		parsed = append(parsed, mustLayer(t, []byte(raw)))
	}
	return New(parsed...)
}

// mustLayer returns nil, an undetermined layer, for null.
func mustLayer(t testing.TB, raw []byte) *Layer {
	t.Helper()
	if string(raw) == "null" {
		return nil
	}
	spec, err := Decode(raw)
	if err != nil {
		t.Fatalf("decode policy %s: %v", raw, err)
	}
	layer, err := NewLayer(spec, maxDepth)
	if err != nil {
		t.Fatalf("parse policy %s: %v", raw, err)
	}
	return layer
}

func TestVectorPolicy(t *testing.T) {
	type row struct {
		ID, Rule, Title, Note, Path string
		Policy                      json.RawMessage
		Layers                      []json.RawMessage
		CanRead, CanWrite, CanMkdir *Verdict
		Valid                       bool
		Reason                      fault.Reason
	}
	verdicts := func(t *testing.T, p *Policy, r row) {
		t.Helper()
		check := func(what string, got Verdict, want *Verdict) {
			t.Helper()
			if want != nil && got != *want {
				t.Errorf("%s(%q): got %+v; want %+v", what, r.Path, got, *want)
			}
		}
		check("CanRead", p.CanRead(r.Path), r.CanRead)
		check("CanWrite", p.CanWrite(r.Path), r.CanWrite)
		check("CanMkdir", p.CanMkdir(r.Path), r.CanMkdir)
	}
	members := vectortest.Load(t, "runtime", "policy", "vectors", "directories", "invalid", "layers")
	for _, member := range []string{"vectors", "directories"} {
		for _, r := range vectortest.Rows[row](t, members, member) {
			t.Run(r.ID, func(t *testing.T) { verdicts(t, New(mustLayer(t, r.Policy)), r) })
		}
	}
	for _, r := range vectortest.Rows[row](t, members, "layers") {
		t.Run(r.ID, func(t *testing.T) {
			var layers []*Layer
			for _, raw := range r.Layers {
				layers = append(layers, mustLayer(t, raw))
			}
			verdicts(t, New(layers...), r)
		})
	}
	for _, r := range vectortest.Rows[row](t, members, "invalid") {
		t.Run(r.ID, func(t *testing.T) {
			spec, err := Decode(r.Policy)
			if err == nil {
				_, err = NewLayer(spec, maxDepth)
			}
			if r.Valid && err != nil {
				t.Errorf("got %v; want it valid", err)
			}
			if !r.Valid && !fault.Is(err, fault.InvalidPipeline, r.Reason) {
				t.Errorf("got %v; want InvalidPipeline (%s)", err, r.Reason)
			}
		})
	}
}
