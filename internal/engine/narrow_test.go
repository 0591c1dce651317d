package engine

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/fault"
)

func narrowed(scopes [][]string, n Narrowing) (*Registry, error) {
	d := Declaration{ID: "e", Narrowing: n}
	for _, s := range scopes {
		d.Formats = append(d.Formats, scoped(format("*"), s...))
	}
	return NewRegistry([]Declaration{d}, all, depth)
}

func TestAPipelineNarrowsAScope(t *testing.T) {
	for _, tc := range []struct {
		name          string
		scope, within []string
		want          string
	}{
		{"to a folder", []string{"**/*.js", "**/*.ts"}, []string{"src/**"}, "src/**/*.js src/**/*.ts"},
		{"to a pattern inside", []string{"src/**"}, []string{"src/lib/*.ts"}, "src/lib/*.ts"},
		{"to a literal", []string{"**/*.ts"}, []string{"src/a.ts"}, "src/a.ts"},
		{"a literal to a pattern", []string{"src/a.ts", "b.ts"}, []string{"src/*"}, "src/a.ts"},
		{"a wider scope changes nothing", []string{"src/*.ts"}, []string{"**"}, "src/*.ts"},
		{"the same scope changes nothing", []string{"**/*.ts"}, []string{"**/*.ts"}, "**/*.ts"},
		{"in more than one way", []string{"*a"}, []string{"a*"}, "a a*a"},
		{"both ends", []string{"**/test/**"}, []string{"src/**/x"}, "src/**/test/**/x"},
		{"never into hidden folders", []string{"**/*.ts"}, []string{".github/**", "src/*"}, "src/*.ts"},
		{"what others cover is left out", []string{"*.*"}, []string{"*.ts"}, "*.ts"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := narrowed([][]string{tc.scope}, Narrowing{Scope: tc.within})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(r.Engines()[0].Formats[0].Scope.Strings(), " "); got != tc.want {
				t.Errorf("scope = %s, want %s", got, tc.want)
			}
		})
	}
}

func TestNarrowingConcernsEveryCapability(t *testing.T) {
	filter := with(format("css"), func(d *CapabilityDeclaration) { d.Mode, d.Scope = Filter, nil })
	decl := Declaration{ID: "e", Formats: []CapabilityDeclaration{filter, scoped(format("ts"), "lib/**")}, Checks: []CapabilityDeclaration{check("ts")},
		Narrowing: Narrowing{Scope: []string{"src/**"}, Args: []string{"--quiet"}, Resources: json.RawMessage(`{"limits":{"memory":"1Gi"}}`)}}
	e := registry(t, decl).Engines()[0]
	for _, c := range []Capability{e.Formats[0], e.Checks[0]} {
		if got := strings.Join(c.Scope.Strings(), " "); got != "src/**" {
			t.Errorf("a capability without scope gets %q, want src/**", got)
		}
		if got := strings.Join(c.Exec.Argv(false), " "); got != "tool --quiet" {
			t.Errorf("argv = %q, want tool --quiet", got)
		}
		if !strings.Contains(string(c.Exec.Resources), "1Gi") {
			t.Errorf("resources = %s, want the pipeline's", c.Exec.Resources)
		}
	}
	if e.Formats[1].Hole == "" {
		t.Error("a capability whose scope is left nothing is no hole")
	}
}

func TestArgumentsFollowTheCommandAndFixArgsFollowThem(t *testing.T) {
	l := with(lint("ts"), func(d *CapabilityDeclaration) { d.Invoke.FixArgs = []string{"--fix"} })
	e := registry(t, Declaration{ID: "e", Lints: []CapabilityDeclaration{l}, Narrowing: Narrowing{Args: []string{"--quiet"}}}).Engines()[0]
	if got := strings.Join(e.Lints[0].Exec.Argv(true), " "); got != "tool --quiet --fix" {
		t.Errorf("argv = %q, want tool --quiet --fix", got)
	}
}

func TestNarrowingIsRefused(t *testing.T) {
	hard := strings.Repeat("*a*b", 60) + "*"
	for _, tc := range []struct {
		name       string
		scope      []string
		narrowing  Narrowing
		wantReason fault.Reason
	}{
		{"to nothing", []string{"src/**"}, Narrowing{Scope: []string{"lib/**"}}, fault.ReasonType},
		{"by an empty list", []string{"src/**"}, Narrowing{Scope: []string{}}, fault.ReasonType},
		{"by a malformed pattern", []string{"src/**"}, Narrowing{Scope: []string{"src/[ab]*"}}, fault.ClassCharacterClass},
		{"by an ambiguous literal", []string{"src/**"}, Narrowing{Scope: []string{"src/a?"}}, fault.ReasonAmbiguousLiteral},
		{"by NUL", []string{"src/**"}, Narrowing{Args: []string{"\x00"}}, fault.ReasonType},
		{"in too many ways", []string{hard}, Narrowing{Scope: []string{strings.Repeat("*c*d", 60) + "*"}}, fault.ReasonBound},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := narrowed([][]string{tc.scope}, tc.narrowing)
			if !fault.Is(err, fault.InvalidPipeline, tc.wantReason) || fault.As(err).Engine != "e" {
				t.Errorf("NewRegistry = %v, want InvalidPipeline (%s) naming e", err, tc.wantReason)
			}
		})
	}
}
