// Package vectortest loads the executable examples of the specification (runtime spec
// §22) for vector tests. A package keeps the files it runs in testdata/vectors; with
// FETTLE_VECTORS_DIR set they are read from there instead.
package vectortest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// EnvDir names a directory with runtime/*.json and blocks/*.json to run in place of the
// packaged files. A file may be missing there.
const EnvDir = "FETTLE_VECTORS_DIR"

// Load returns the top-level members of the vector file area/name.json. Every member
// but "schema" and "about" must be among known, else the test fails: rows that nobody
// runs prove nothing. It returns nil where EnvDir is set and has no such file.
func Load(t testing.TB, area, name string, known ...string) map[string]json.RawMessage {
	t.Helper()
	file := filepath.Join("testdata", "vectors", name+".json")
	dir := os.Getenv(EnvDir)
	if dir != "" {
		file = filepath.Join(dir, area, name+".json")
	}
	data, err := os.ReadFile(file)
	if dir != "" && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatalf("read vectors: %v", err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	allowed := map[string]bool{"schema": true, "about": true}
	for _, k := range known {
		allowed[k] = true
	}
	for k := range members {
		if !allowed[k] {
			t.Errorf("%s: no test runs the rows of %q", file, k)
		}
	}
	return members
}

// Rows decodes one member of a vector file into rows, refusing keys that the row type
// doesn't know. A missing member has no rows.
func Rows[T any](t testing.TB, members map[string]json.RawMessage, member string) []T {
	t.Helper()
	raw, ok := members[member]
	if !ok {
		return nil
	}
	var rows []T
	Decode(t, raw, &rows)
	return rows
}

// Decode decodes JSON into v and fails the test on an unknown key.
func Decode(t testing.TB, raw []byte, v any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		t.Fatalf("decode vectors: %v", err)
	}
}
