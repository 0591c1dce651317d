package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

func TestEveryTextReadsBackFromYAML(t *testing.T) {
	long := strings.Repeat("d/", 1000) + "f"
	for _, text := range []string{
		"\x7f", "\u0080", "a\u0085b", "\ufeff", "\ufffe", "\uffff", "\u2028", "\U0001fffe", "\x1b[31m", "\x00", "\r", "a\r\nb\n", " a\n  b\n\n",
		"=", "~", "<<", "yes", "y", "0x1f", "0o17", "1e3", "1_000", "2001-01-01", "- a", "a: b", "#", "'", "\"", "", " ", "\t", long,
	} {
		want := map[string]any{text: text, "list": []any{text, 1.5, 1 << 40, true, nil}}
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := yamlOf(data)
		if err != nil {
			t.Errorf("%.20q: %v", text, err)
			continue
		}
		back, err := yaml.YAMLToJSON(got)
		if err != nil {
			t.Errorf("%.20q: %q doesn't read back: %v", text, got, err)
			continue
		}
		var wantValue, gotValue any
		if err := json.Unmarshal(data, &wantValue); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(back, &gotValue); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wantValue, gotValue); diff != "" {
			t.Errorf("%.20q as %q (-want +got):\n%s", text, got, diff)
		}
	}
}
