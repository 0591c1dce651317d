package blocks_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/blocks"
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
			run(t, c.In, c.Out)
			if t.Failed() {
				t.Logf("§ %s: %s", c.Rule, c.Note)
			}
		})
	}
}

// vecText is a string of bytes of a vector: null, a text, {"base64"}, {"repeat"}, or of
// an output {"bytes", "sha256"}.
type vecText struct {
	null   bool
	text   string
	size   int
	digest string
}

func (v *vecText) UnmarshalJSON(data []byte) error {
	switch {
	case string(data) == "null":
		v.null = true
		return nil
	case data[0] == '"':
		return json.Unmarshal(data, &v.text)
	}
	var o struct {
		Base64 *string           `json:"base64"`
		Repeat []json.RawMessage `json:"repeat"`
		Bytes  int               `json:"bytes"`
		SHA256 string            `json:"sha256"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&o); err != nil {
		return err
	}
	switch {
	case o.Base64 != nil:
		b, err := base64.StdEncoding.DecodeString(*o.Base64)
		v.text = string(b)
		return err
	case o.Repeat != nil:
		var s string
		var n int
		if err := json.Unmarshal(o.Repeat[0], &s); err != nil {
			return err
		}
		err := json.Unmarshal(o.Repeat[1], &n)
		v.text = strings.Repeat(s, n)
		return err
	}
	v.size, v.digest = o.Bytes, o.SHA256
	return nil
}

// bytes returns the content, nil for null.
func (v *vecText) bytes() []byte {
	if v == nil || v.null {
		return nil
	}
	return append([]byte{}, v.text...)
}

// check compares a content, nil for absent, with an expected one.
func (v *vecText) check(t *testing.T, what string, got []byte) {
	t.Helper()
	if v == nil || v.null {
		if got != nil {
			t.Errorf("%s: got %q, want null", what, got)
		}
		return
	}
	if got == nil {
		t.Errorf("%s: got null, want %q", what, v.text)
		return
	}
	if v.digest != "" {
		sum := sha256.Sum256(got)
		if len(got) != v.size || hex.EncodeToString(sum[:]) != v.digest {
			t.Errorf("%s: got %d bytes %x, want %d bytes %s", what, len(got), sum, v.size, v.digest)
		}
		return
	}
	if string(got) != v.text {
		t.Errorf("%s:\n got %q\nwant %q", what, got, v.text)
	}
}

// checkString is check for texts in which empty stands for null.
func (v *vecText) checkString(t *testing.T, what, got string) {
	t.Helper()
	if got == "" {
		v.check(t, what, nil)
		return
	}
	v.check(t, what, []byte(got))
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// vecConfig are the configuration keys that rows set.
type vecConfig struct {
	EditFormat           *blocks.EditFormat `json:"editFormat"`
	MaxFileSize          *int64             `json:"maxFileSize"`
	MaxTotalSize         *int64             `json:"maxTotalSize"`
	MaxFilesPerMessage   *int               `json:"maxFilesPerMessage"`
	MaxEditDrift         *int               `json:"maxEditDrift"`
	DiffLineLimit        *int               `json:"diffLineLimit"`
	RejectCaseCollisions *bool              `json:"rejectCaseCollisions"`
}

func (v vecConfig) apply(cfg *blocks.Config) {
	set(&cfg.EditFormat, v.EditFormat)
	set(&cfg.MaxFileSize, v.MaxFileSize)
	set(&cfg.MaxTotalSize, v.MaxTotalSize)
	set(&cfg.MaxFilesPerMessage, v.MaxFilesPerMessage)
	set(&cfg.MaxEditDrift, v.MaxEditDrift)
	set(&cfg.DiffLineLimit, v.DiffLineLimit)
	set(&cfg.RejectCaseCollisions, v.RejectCaseCollisions)
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}
