package manifest

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/fault"
)

// Those who use an object refuse it in the form of Load.
func TestALaterRefusalNamesFileAndLine(t *testing.T) {
	p := load(t, Input{"a.yaml", []byte(pipeline("  workspace: {acquire: ['src/{a,b}.ts']}"))}).Pipelines[0]
	err := p.Refuse("spec.workspace.acquire[0]", fault.ClassBrace, `pattern "src/{a,b}.ts": braces aren't expanded`, "write one entry for each")
	want := `InvalidPipeline (brace): DevPipeline "web": a.yaml:5:25: pattern "src/{a,b}.ts": braces aren't expanded` + "\n  write one entry for each"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	made := Object[v1alpha1.DevPipeline]{Origin: Origin{Kind: "DevPipeline", Name: "made"}}
	if got := made.Refuse("spec", "", "no", ""); got == nil || !strings.Contains(got.Error(), `DevPipeline "made"`) {
		t.Errorf("an object without a file: got %v, want its name", got)
	}
}
