package reasons

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/fault"
)

// constants returns the values of the constants of the API that are reasons.
func constants(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../api/v1alpha1/conditions.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Reason") {
			return true
		}
		value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		found[value] = spec.Names[0].Name
		return true
	})
	if len(found) < 40 {
		t.Fatalf("found %d reasons: they have moved", len(found))
	}
	return found
}

func TestTheTableHasEveryReasonOnce(t *testing.T) {
	want, got := constants(t), map[string]bool{}
	for _, g := range Table() {
		for _, r := range g.Reasons {
			if got[r.Name] {
				t.Errorf("%s has two rows", r.Name)
			}
			got[r.Name] = true
			if want[r.Name] == "" {
				t.Errorf("%s is no reason of the API", r.Name)
			}
			if r.Means == "" || strings.HasSuffix(r.Means, ".") || strings.HasSuffix(r.Do, ".") {
				t.Errorf("%s: %q, %q: want half sentences", r.Name, r.Means, r.Do)
			}
		}
	}
	for name := range want {
		if !got[name] {
			t.Errorf("%s has no row", name)
		}
	}
}

func TestWhatSomebodyMustActOnSaysHow(t *testing.T) {
	for _, g := range Table()[1:] {
		for _, r := range g.Reasons {
			if r.Do == "" && r.Name != v1alpha1.ReasonAbandoned {
				t.Errorf("%s doesn't say what to do", r.Name)
			}
		}
	}
}

func TestAMessageSaysWhatHappenedAndWhatToDo(t *testing.T) {
	for _, tt := range []struct{ reason, what, want string }{
		{v1alpha1.ReasonRunning, "step 1 of 2", "step 1 of 2"},
		{v1alpha1.ReasonPending, "", "the run hasn't started yet"},
		{v1alpha1.ReasonEngineRequired, "step fix has none", "step fix has none: add an engine, or remove the step"},
		{"Unknown", "what", "what"},
	} {
		if got := Say(tt.reason, tt.what); got != tt.want {
			t.Errorf("Say(%s, %q) = %q, want %q", tt.reason, tt.what, got, tt.want)
		}
	}
}

func TestEveryKindOfFaultHasAReason(t *testing.T) {
	for _, tt := range []struct {
		kind   fault.Kind
		reason fault.Reason
		want   string
	}{
		{fault.InvalidPipeline, fault.ReasonType, v1alpha1.ReasonInvalidPipeline},
		{fault.UnknownStep, "", v1alpha1.ReasonInvalidPipeline},
		{fault.BadArgument, fault.ReasonNoMatch, v1alpha1.ReasonBadArgument},
		{fault.EngineRequired, "", v1alpha1.ReasonEngineRequired},
		{fault.StepUnavailable, "", v1alpha1.ReasonStepUnavailable},
		{fault.StepUnavailable, fault.ReasonContainment, v1alpha1.ReasonContainment},
		{fault.WorkspaceBounds, fault.ReasonMaxFiles, v1alpha1.ReasonWorkspaceBounds},
		{fault.GateDeclined, "", v1alpha1.ReasonGateDeclined},
		{fault.PathRefused, fault.ClassLink, v1alpha1.ReasonPathRefused},
		{fault.PathRefused, fault.ClassPolicyUnavailable, v1alpha1.ReasonPolicyUnavailable},
		{fault.StepFailed, fault.ReasonEngineError, v1alpha1.ReasonToolFailed},
		{fault.StepFailed, fault.ReasonCrash, v1alpha1.ReasonToolFailed},
		{fault.StepFailed, fault.ReasonDeadline, v1alpha1.ReasonDeadlineExceeded},
		{fault.StepFailed, fault.ReasonCancelled, v1alpha1.ReasonCancelled},
		{fault.StepFailed, fault.ReasonPolicyViolation, v1alpha1.ReasonPolicyViolation},
		{fault.StepFailed, fault.ReasonContainment, v1alpha1.ReasonContainment},
		{fault.StepFailed, fault.ReasonDrift, v1alpha1.ReasonStepFailed},
		{"", "", v1alpha1.ReasonStepFailed},
	} {
		if got := OfFault(tt.kind, tt.reason); got != tt.want {
			t.Errorf("OfFault(%s, %s) = %s, want %s", tt.kind, tt.reason, got, tt.want)
		}
	}
}

func TestWhatAToolPrintedRefinesItsFailure(t *testing.T) {
	for _, tt := range []struct {
		name, reason string
		code         int
		output, want string
	}{
		{"a shell that didn't find it", v1alpha1.ReasonToolFailed, 127, "", v1alpha1.ReasonCommandNotFound},
		{"a plugin of Node", v1alpha1.ReasonToolFailed, 2, "[error] Cannot find package 'prettier-plugin-x' imported from /workspace/tree/noop.js", v1alpha1.ReasonMissingDependencies},
		{"a module of Python", v1alpha1.ReasonToolFailed, 1, "ModuleNotFoundError: No module named 'isort'", v1alpha1.ReasonMissingDependencies},
		{"anything else", v1alpha1.ReasonToolFailed, 2, "SyntaxError", v1alpha1.ReasonToolFailed},
		{"another failure is left as it is", v1alpha1.ReasonDeadlineExceeded, 127, "MODULE_NOT_FOUND", v1alpha1.ReasonDeadlineExceeded},
	} {
		if got := OfTool(tt.reason, tt.code, tt.output); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestThePageIsGenerated(t *testing.T) {
	page, err := os.ReadFile("../../docs/reasons.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != Page() {
		t.Error("docs/reasons.md isn't what it is generated from: run hack/generate")
	}
}
