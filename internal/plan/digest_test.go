package plan

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/engine"
)

func TestTheDigestIsOfEverythingThatRuns(t *testing.T) {
	decl := func(change func(*engine.CapabilityDeclaration)) *engine.Registry {
		c := capability(engine.InPlace)
		change(&c)
		return registry(t, everything, engine.Declaration{ID: "e", Formats: []engine.CapabilityDeclaration{c}})
	}
	same := func(*engine.CapabilityDeclaration) {}
	base := Plan{Steps: steps(t, `[{"format":{}}]`)}
	digest := func(p Plan, r *engine.Registry) string {
		d, err := Digest(p, r)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	want := digest(base, decl(same))
	if !strings.HasPrefix(want, "sha256:") || len(want) != 71 {
		t.Fatalf("digest = %q", want)
	}
	if got := digest(Plan{Steps: steps(t, `[{"name":"format","format":{}}]`)}, decl(same)); got != want {
		t.Errorf("the same plan has the digest %s, want %s", got, want)
	}
	for name, got := range map[string]string{
		"a path more":       digest(Plan{Steps: steps(t, `[{"format":{"paths":["a"]}}]`)}, decl(same)),
		"another name":      digest(Plan{Steps: steps(t, `[{"name":"x","format":{}}]`)}, decl(same)),
		"a gate":            digest(Plan{Steps: base.Steps, Gates: GateAlways}, decl(same)),
		"a gate of a step":  digest(Plan{Steps: steps(t, `[{"gates":{"mode":"Always"},"format":{}}]`)}, decl(same)),
		"another command":   digest(base, decl(func(c *engine.CapabilityDeclaration) { c.Invoke.Command = []string{"rm"} })),
		"another scope":     digest(base, decl(func(c *engine.CapabilityDeclaration) { c.Scope = []string{"src/**"} })),
		"no scope":          digest(base, decl(func(c *engine.CapabilityDeclaration) { c.Mode, c.Scope = engine.Filter, nil })),
		"another extension": digest(base, decl(func(c *engine.CapabilityDeclaration) { c.Extensions = []string{"ts"} })),
		"an engine more":    digest(base, registry(t, everything)),
	} {
		if got == want {
			t.Errorf("%s doesn't change the digest", name)
		}
	}
}
