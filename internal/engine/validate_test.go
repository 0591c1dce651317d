package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/internal/fault"
)

func TestDeclarationsAreRefusedByTheRulesOfSpec7_3(t *testing.T) {
	type change = func(*CapabilityDeclaration)
	for _, tc := range []struct {
		name       string
		base       CapabilityDeclaration
		kind       Kind
		change     change
		wantReason fault.Reason
		wantIn     string
	}{
		{"extensions are required", format("ts"), Format, func(d *CapabilityDeclaration) { d.Extensions = nil }, fault.ReasonType, "extensions"},
		{"extensions aren't empty", format("ts"), Format, func(d *CapabilityDeclaration) { d.Extensions = []string{} }, fault.ReasonType, "extensions"},
		{"an extension is lower-case", format("TS"), Format, nil, fault.ReasonType, `"TS"`},
		{"an extension has no dot", format("d.ts"), Format, nil, fault.ReasonType, `"d.ts"`},
		{"a star stands alone", format("t*"), Format, nil, fault.ReasonType, `"t*"`},
		{"mode is required", format("ts"), Format, func(d *CapabilityDeclaration) { d.Mode = "" }, fault.ReasonType, "mode is missing"},
		{"a mode is one of three", lint("ts"), Lint, func(d *CapabilityDeclaration) { d.Mode = "Magic" }, fault.ReasonType, `mode is "Magic"`},
		{"a check has no mode", check("ts"), Check, func(d *CapabilityDeclaration) { d.Mode = InPlace }, fault.ReasonUnknownKey, `"mode"`},
		{"access is for InPlace", format("ts"), Format, func(d *CapabilityDeclaration) { d.Mode, d.Access = Filter, Mount }, fault.ReasonType, "access"},
		{"an access is one of two", format("ts"), Format, func(d *CapabilityDeclaration) { d.Access = "Remote" }, fault.ReasonType, "access"},
		{"a check has no access", check("ts"), Check, func(d *CapabilityDeclaration) { d.Access = Mount }, fault.ReasonUnknownKey, `"access"`},
		{"writes is for InPlace", format("ts"), Format, func(d *CapabilityDeclaration) { d.Mode, d.Writes = Delta, WritesInPlace }, fault.ReasonType, "writes"},
		{"writes is for Mount", format("ts"), Format, func(d *CapabilityDeclaration) { d.Access, d.Writes = Facade, WritesInPlace }, fault.ReasonType, "writes"},
		{"writes is one of two", format("ts"), Format, func(d *CapabilityDeclaration) { d.Writes = "Sideways" }, fault.ReasonType, "writes"},
		{"a check has no writes", check("ts"), Check, func(d *CapabilityDeclaration) { d.Writes = WritesInPlace }, fault.ReasonUnknownKey, `"writes"`},
		{"InPlace needs a scope", format("ts"), Format, func(d *CapabilityDeclaration) { d.Scope = nil }, fault.ReasonType, "scope"},
		{"the scope of InPlace isn't empty", lint("ts"), Lint, func(d *CapabilityDeclaration) { d.Scope = []string{} }, fault.ReasonType, "scope"},
		{"a scope entry takes the literal door", format("ts"), Format, func(d *CapabilityDeclaration) { d.Scope = []string{"../x"} }, fault.ClassEscape, "scope"},
		{"a scope entry is a pattern of the grammar", format("ts"), Format, func(d *CapabilityDeclaration) { d.Scope = []string{"src/*.{ts,js}"} }, fault.ClassBrace, "scope"},
		{"a scope literal isn't ambiguous", format("ts"), Format, func(d *CapabilityDeclaration) { d.Scope = []string{"app/[id]/page.tsx"} }, fault.ReasonAmbiguousLiteral, "scope"},
		{"a Filter's scope is judged, too", format("ts"), Format, func(d *CapabilityDeclaration) { d.Mode, d.Scope = Filter, []string{"a?*"} }, fault.ClassQuestionMark, "scope"},
		{"a check has no scope", check("ts"), Check, func(d *CapabilityDeclaration) { d.Scope = []string{"**"} }, fault.ReasonUnknownKey, `"scope"`},
		{"needs are known", format("ts"), Format, func(d *CapabilityDeclaration) { d.Needs = []Need{"delete", "chmod"} }, fault.ReasonType, `"chmod"`},
		{"a check has no needs", check("ts"), Check, func(d *CapabilityDeclaration) { d.Needs = []Need{} }, fault.ReasonUnknownKey, `"needs"`},
		{"fixable is required of a lint", lint("ts"), Lint, func(d *CapabilityDeclaration) { d.Fixable = nil }, fault.ReasonType, "fixable"},
		{"a format has no fixable", format("ts"), Format, func(d *CapabilityDeclaration) { d.Fixable = no() }, fault.ReasonUnknownKey, `"fixable"`},
		{"a check has no fixable", check("ts"), Check, func(d *CapabilityDeclaration) { d.Fixable = no() }, fault.ReasonUnknownKey, `"fixable"`},
		{"a generating lint is fixable", lint("ts"), Lint, func(d *CapabilityDeclaration) { d.Fixable, d.Generates = no(), yes() }, fault.ReasonType, "generates"},
		{"a check has no generates", check("ts"), Check, func(d *CapabilityDeclaration) { d.Generates = no() }, fault.ReasonUnknownKey, `"generates"`},
		{"a command is required", check("ts"), Check, func(d *CapabilityDeclaration) { d.Invoke.Command = nil }, fault.ReasonType, "command"},
		{"a command has a program", format("ts"), Format, func(d *CapabilityDeclaration) { d.Invoke.Command = []string{""} }, fault.ReasonType, "command"},
		{"an argument holds no NUL", format("ts"), Format, func(d *CapabilityDeclaration) { d.Invoke.Command = []string{"a", "b\x00"} }, fault.ReasonType, "NUL"},
		{"fixArgs are a lint's", format("ts"), Format, func(d *CapabilityDeclaration) { d.Invoke.FixArgs = []string{"--fix"} }, fault.ReasonUnknownKey, `"fixArgs"`},
		{"paths are passed in a known way", format("ts"), Format, func(d *CapabilityDeclaration) { d.Invoke.Paths.As = "Telepathy" }, fault.ReasonType, `"Telepathy"`},
		{"a separator is for Arguments", format("ts"), Format, func(d *CapabilityDeclaration) { d.Invoke.Paths = PathArgs{As: PathsStdin, Separator: "--"} }, fault.ReasonType, "separator"},
		{"0 is no finding", lint("ts"), Lint, func(d *CapabilityDeclaration) { d.Invoke.ExitCodes.Findings = []int{1, 0} }, fault.ReasonType, "findings holds 0"},
		{"an exit code has a byte", lint("ts"), Lint, func(d *CapabilityDeclaration) { d.Invoke.ExitCodes.Findings = []int{256} }, fault.ReasonType, "256"},
		{"a diagnostics format is known", lint("ts"), Lint, func(d *CapabilityDeclaration) { d.Invoke.Diagnostics.Format = "XML" }, fault.ReasonType, `"XML"`},
		{"a stream is known", lint("ts"), Lint, func(d *CapabilityDeclaration) { d.Invoke.Diagnostics.Stream = "Stdin" }, fault.ReasonType, `"Stdin"`},
		{"a pattern is for Pattern", lint("ts"), Lint, func(d *CapabilityDeclaration) { d.Invoke.Diagnostics = Diagnostics{Format: FormatTSC, Pattern: "x"} }, fault.ReasonType, "pattern"},
		{"a pattern has no group that nobody reads", lint("ts"), Lint, func(d *CapabilityDeclaration) {
			d.Invoke.Diagnostics = Diagnostics{Format: FormatPattern, Pattern: "(?P<file>.*): (?P<message>.*)"}
		}, fault.ReasonUnknownKey, "file"},
		{"a pattern compiles", lint("ts"), Lint, func(d *CapabilityDeclaration) {
			d.Invoke.Diagnostics = Diagnostics{Format: FormatPattern, Pattern: "("}
		}, fault.ReasonType, "regular expression"},
		{"a pattern names the message", lint("ts"), Lint, func(d *CapabilityDeclaration) {
			d.Invoke.Diagnostics = Diagnostics{Format: FormatPattern, Pattern: "(?P<path>.*)"}
		}, fault.ReasonType, "message"},
		{"a deadline is positive", check("ts"), Check, func(d *CapabilityDeclaration) { zero := Duration(0); d.Invoke.Deadline = &zero }, fault.ReasonType, "deadline"},
		{"network is one of two", check("ts"), Check, func(d *CapabilityDeclaration) { d.Invoke.Network = "Slow" }, fault.ReasonType, `"Slow"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.change == nil {
				tc.change = func(*CapabilityDeclaration) {}
			}
			engine := Declaration{ID: "eslint"}
			list := map[Kind]*[]CapabilityDeclaration{Format: &engine.Formats, Lint: &engine.Lints, Check: &engine.Checks}[tc.kind]
			sound := map[Kind]CapabilityDeclaration{Format: format("x"), Lint: lint("x"), Check: check("x")}[tc.kind]
			*list = []CapabilityDeclaration{sound, with(tc.base, tc.change)}

			_, err := NewRegistry([]Declaration{{ID: "first", Checks: []CapabilityDeclaration{check("*")}}, engine}, all, depth)

			got := fault.As(err)
			if got == nil {
				t.Fatalf("NewRegistry = %v, want a refusal", err)
			}
			if got.Kind != fault.InvalidPipeline || got.Reason != tc.wantReason {
				t.Errorf("got %s (%s), want InvalidPipeline (%s)", got.Kind, got.Reason, tc.wantReason)
			}
			wantPlace := tc.kind.List() + "[1]"
			if got.Engine != "eslint" || !strings.Contains(got.Message, wantPlace) {
				t.Errorf("the error names %q in %q, want engine eslint and %s", got.Engine, got.Message, wantPlace)
			}
			if !strings.Contains(got.Error(), tc.wantIn) {
				t.Errorf("the error is %q, want %s in it", got, tc.wantIn)
			}
			if got.Hint == "" {
				t.Error("the error says not what to do")
			}
		})
	}
}

func TestDefaultsAreFilledIn(t *testing.T) {
	r := registry(t, Declaration{ID: "e", Image: "img", Formats: []CapabilityDeclaration{format("ts")}, Checks: []CapabilityDeclaration{check("", "*")}})
	f := r.Engines()[0].Formats[0]
	if f.Access != Mount || f.Writes != WritesReplace {
		t.Errorf("access, writes = %q, %q, want Mount, Replace", f.Access, f.Writes)
	}
	if f.Exec.Paths.As != PathsArguments || f.Exec.Network != NetworkDenied || f.Exec.Diagnostics.Stream != StreamStdout || f.Exec.Image != "img" {
		t.Errorf("exec = %+v, want Arguments, Denied, Stdout and the engine's image", f.Exec)
	}
	c := r.Engines()[0].Checks[0]
	if c.Mode != InPlace || c.Access != Mount || c.Scope != nil {
		t.Errorf("a check has mode %q, access %q, scope %v, want InPlace, Mount, none", c.Mode, c.Access, c.Scope)
	}
	facade := registry(t, Declaration{ID: "e", Formats: []CapabilityDeclaration{with(format("ts"), func(d *CapabilityDeclaration) { d.Access = Facade })}})
	if got := facade.Engines()[0].Formats[0].Writes; got != "" {
		t.Errorf("writes of a Facade capability = %q, want none", got)
	}
}

func TestScopeEntriesAreSortedAndDeduplicated(t *testing.T) {
	d := with(format("ts"), func(d *CapabilityDeclaration) {
		d.Scope = []string{"src/**", " lib/a.ts ", "./src//**", `lib\a.ts`}
		d.Needs = []Need{NeedRename, NeedDelete, NeedRename}
		deadline := Duration(3 * time.Second)
		d.Invoke.Deadline = &deadline
	})
	_, err := NewRegistry([]Declaration{{ID: "e", Formats: []CapabilityDeclaration{d}}}, all, depth)
	if err != nil {
		t.Fatal(err)
	}
	c := registry(t, Declaration{ID: "e", Formats: []CapabilityDeclaration{d}}).Engines()[0].Formats[0]
	if got, want := strings.Join(c.Scope.Strings(), " "), "lib/a.ts src/**"; got != want {
		t.Errorf("scope = %s, want %s", got, want)
	}
	if len(c.Needs) != 2 || c.Needs[0] != NeedDelete || c.Needs[1] != NeedRename {
		t.Errorf("needs = %v, want [delete rename]", c.Needs)
	}
	if c.Exec.Deadline != 3*time.Second {
		t.Errorf("deadline = %s, want 3s", c.Exec.Deadline)
	}
}

func TestEnginesHaveUniqueIDs(t *testing.T) {
	one := Declaration{ID: "a", Checks: []CapabilityDeclaration{check("*")}}
	_, err := NewRegistry([]Declaration{one, {ID: "b"}, one}, all, depth)
	if !fault.Is(err, fault.InvalidPipeline, fault.ReasonType) || fault.As(err).Engine != "a" {
		t.Errorf("NewRegistry = %v, want InvalidPipeline (type) naming a", err)
	}
	if _, err := NewRegistry([]Declaration{{}}, all, depth); !fault.Is(err, fault.InvalidPipeline, fault.ReasonType) {
		t.Errorf("an engine without id: %v, want InvalidPipeline (type)", err)
	}
}

func TestAllDeclarationsAreJudgedBeforeTheDriver(t *testing.T) {
	needy := with(format("ts"), func(d *CapabilityDeclaration) { d.Needs = []Need{NeedRename} })
	decls := []Declaration{{ID: "a", Formats: []CapabilityDeclaration{needy}}, {ID: "b", Formats: []CapabilityDeclaration{format("TS")}}}
	if _, err := NewRegistry(decls, Driver{}, depth); !fault.Is(err, fault.InvalidPipeline, fault.ReasonType) || fault.As(err).Engine != "b" {
		t.Errorf("NewRegistry = %v, want the refusal of b", err)
	}
}

func TestANeedThatTheDriverCannotServeIsAHole(t *testing.T) {
	needy := with(format("ts"), func(d *CapabilityDeclaration) { d.Needs = []Need{NeedRename} })
	decls := []Declaration{{ID: "e", Formats: []CapabilityDeclaration{needy, format("ts")}}}
	r, err := NewRegistry(decls, Driver{Modes: []Mode{InPlace}, Accesses: []Access{Mount}, Needs: []Need{NeedDelete}}, depth)
	if err != nil {
		t.Fatal(err)
	}
	if hole := r.Engines()[0].Formats[0].Hole; !strings.Contains(hole, "rename") {
		t.Errorf("hole = %q, want it to name rename", hole)
	}
	s := plan(t, r, Query{Kind: Format, Files: []string{"a.ts"}})
	if len(s.Invocations) != 1 || s.Invocations[0].Capability != 1 {
		t.Errorf("invocations = %+v, want the sibling, whose index is still 1", s.Invocations)
	}
	if got := r.Holes(Format); len(got) != 1 || !strings.HasPrefix(got[0], "e formats[0]: ") {
		t.Errorf("Holes = %q, want one that names e formats[0]", got)
	}
}

func TestWhatTheDriverDoesNotImplementIsNamed(t *testing.T) {
	filter := with(format("ts"), func(d *CapabilityDeclaration) { d.Mode = Filter })
	facade := with(lint("ts"), func(d *CapabilityDeclaration) { d.Access = Facade })
	decls := []Declaration{{ID: "e", Formats: []CapabilityDeclaration{format("ts"), filter}, Lints: []CapabilityDeclaration{facade}, Checks: []CapabilityDeclaration{check("ts")}}}
	r, err := NewRegistry(decls, Driver{Modes: []Mode{InPlace}, Accesses: []Access{Mount}}, depth)
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[Kind]string{Format: "e formats[1]: mode Filter", Lint: "e lints[0]: access Facade", Check: ""} {
		if got, found := r.Unserved(kind); got != want || found != (want != "") {
			t.Errorf("Unserved(%s) = %q, %v, want %q", kind, got, found, want)
		}
	}
	if !r.Has(Format, Filter) || r.Has(Format, Delta) || r.Has(Lint, Filter, Delta) || !r.Has(Check) {
		t.Error("Has doesn't tell modes apart")
	}
}
