package manifest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/fault"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFilesDirectoriesAndStandardInputAreRead(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.yaml", "a.yml", "c.json", "notes.txt"} {
		write(t, filepath.Join(dir, name), name)
	}
	if err := os.Mkdir(filepath.Join(dir, "d.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	inputs, err := ReadInputs([]string{"-", dir, filepath.Join(dir, "notes.txt")}, strings.NewReader("in"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, in := range inputs {
		got = append(got, filepath.Base(in.Name)+"="+string(in.Data))
	}
	want := []string{"standard input=in", "a.yml=a.yml", "b.yaml=b.yaml", "c.json=c.json", "notes.txt=notes.txt"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("inputs (-want +got):\n%s", diff)
	}
}

func TestWhatIsNotThereIsRefused(t *testing.T) {
	empty := t.TempDir()
	for _, tt := range []struct{ name, path string }{
		{"no such file", filepath.Join(empty, "a.yaml")},
		{"a directory without manifests", empty},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadInputs([]string{tt.path}, nil)
			refused := fault.As(err)
			if !fault.Is(err, fault.BadArgument, fault.ReasonAbsent) || refused.Hint == "" || !strings.Contains(err.Error(), tt.path) {
				t.Errorf("got %v, want BadArgument (absent) that names the path and has a hint", err)
			}
		})
	}
}

func TestAnOversizedInputIsRefused(t *testing.T) {
	_, err := ReadInputs([]string{"-"}, strings.NewReader(strings.Repeat("#", MaxInputBytes+1)))
	if !fault.Is(err, fault.InvalidPipeline, fault.ReasonBound) {
		t.Errorf("a file: got %v, want InvalidPipeline (bound)", err)
	}
	object := pipeline() + "# " + strings.Repeat("x", MaxDocumentBytes)
	_, err = Load(t.Context(), Input{"a.yaml", []byte(object)})
	if !fault.Is(err, fault.InvalidPipeline, fault.ReasonBound) {
		t.Errorf("an object: got %v, want InvalidPipeline (bound)", err)
	}
	if diff := cmp.Diff([]string{"1:1: Request entity too large: limit is 3145728 (an API server takes no larger object)"}, told(t, err)); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}
