package transaction_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/vectortest"
)

// vector is one row of a vector file.
type vector[In, Out any] struct {
	ID   string `json:"id"`
	Rule string `json:"rule"`
	Note string `json:"note"`
	In   In     `json:"in"`
	Out  Out    `json:"out"`
}

// runVectors runs the rows of one file, each as a subtest of its name.
func runVectors[In, Out any](t *testing.T, file string, run func(*testing.T, In, Out)) {
	t.Helper()
	members := vectortest.Load(t, "blocks", file, "suite", "version", "spec", "count", "cases")
	for _, c := range vectortest.Rows[vector[In, Out]](t, members, "cases") {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			run(t, c.In, c.Out)
			if t.Failed() {
				t.Logf("§ %s: %s", c.Rule, c.Note)
			}
		})
	}
}

// vecText is a text of a vector: a string, {"base64"} or {"repeat"}.
type vecText string

func (v *vecText) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, (*string)(v))
	}
	var o struct {
		Base64 *string           `json:"base64"`
		Repeat []json.RawMessage `json:"repeat"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&o); err != nil {
		return err
	}
	if o.Base64 != nil {
		b, err := base64.StdEncoding.DecodeString(*o.Base64)
		*v = vecText(b)
		return err
	}
	var s string
	var n int
	if err := json.Unmarshal(o.Repeat[0], &s); err != nil {
		return err
	}
	err := json.Unmarshal(o.Repeat[1], &n)
	*v = vecText(strings.Repeat(s, n))
	return err
}

// asJSON turns a value into what JSON makes of it.
func asJSON(t *testing.T, v any) any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// compare compares JSON values as the vectors say: every key of want must be there and
// equal; a key that want hasn't must be absent, empty or null.
func compare(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(prune(want), prune(got)); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// prune takes empty values out of objects.
func prune(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			if x = prune(x); !isEmpty(x) {
				out[k] = x
			}
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		for _, x := range v {
			out = append(out, prune(x))
		}
		return out
	}
	return v
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}
