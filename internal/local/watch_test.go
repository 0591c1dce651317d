package local

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/fettle-dev/fettle/internal/policy"
)

// policyFile is a policy that is kept in a file, as one layer in JSON.
type policyFile struct {
	t     *testing.T
	file  string
	loads int
}

func (k *policyFile) write(text string) {
	k.t.Helper()
	if err := os.WriteFile(k.file, []byte(text), 0o644); err != nil {
		k.t.Fatal(err)
	}
}

func (k *policyFile) load() (*policy.Policy, error) {
	k.loads++
	data, err := os.ReadFile(k.file)
	if err != nil {
		return nil, err
	}
	if !json.Valid(data) {
		return nil, errors.New("doesn't parse")
	}
	spec, err := policy.Decode(data)
	if err != nil {
		return nil, err
	}
	return policy.Parse([]policy.Spec{spec}, 32)
}

func TestAPolicyIsReadWhereItIsKept(t *testing.T) {
	k := &policyFile{t: t, file: filepath.Join(t.TempDir(), "policy")}
	k.write(`{"write":{"allow":["**"]}}`)
	w := NewWatch([]string{k.file})
	p, err := k.load()
	if err != nil {
		t.Fatal(err)
	}
	source := w.Policy(p, k.load)
	want := func(when string, want policy.Verdict) {
		t.Helper()
		if got := source().CanWrite("a"); got != want {
			t.Errorf("%s: verdict = %+v, want %+v", when, got, want)
		}
	}
	want("at first", policy.Verdict{Allowed: true, Reason: policy.Allowed, Rule: "**"})
	want("again", policy.Verdict{Allowed: true, Reason: policy.Allowed, Rule: "**"})
	if k.loads != 1 {
		t.Errorf("an unchanged file was read %d times, want once", k.loads)
	}
	k.write(`{"write":{"allow":["src/**"]}}`)
	want("once it allows less", policy.Verdict{Reason: policy.NotAllowed})
	k.write(`{"write":`)
	want("while it doesn't parse", policy.Verdict{Reason: policy.Unavailable})
	if err := os.Remove(k.file); err != nil {
		t.Fatal(err)
	}
	want("once it is gone", policy.Verdict{Reason: policy.Unavailable})
	k.write(`{"write":{"allow":["**"]}}`)
	want("once it is back", policy.Verdict{Allowed: true, Reason: policy.Allowed, Rule: "**"})
}

func TestAFileThatComesIntoAWatchedDirectoryIsNoticed(t *testing.T) {
	dir := t.TempDir()
	w := NewWatch([]string{dir})
	loads := 0
	source := w.Policy(policy.New(), func() (*policy.Policy, error) { loads++; return policy.New(), nil })
	source()
	if err := os.WriteFile(filepath.Join(dir, "more.yaml"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	source()
	if loads != 1 {
		t.Errorf("loaded %d times, want once", loads)
	}
}

func TestAFileThatIsReplacedByOneOfTheSameSizeIsNoticed(t *testing.T) {
	dir := t.TempDir()
	file, other := filepath.Join(dir, "policy"), filepath.Join(dir, "other")
	for _, name := range []string{file, other} {
		if err := os.WriteFile(name, []byte("same size"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w := NewWatch([]string{file})
	loads := 0
	source := w.Policy(policy.New(), func() (*policy.Policy, error) { loads++; return policy.New(), nil })
	if err := os.Rename(other, file); err != nil {
		t.Fatal(err)
	}
	source()
	if loads != 1 {
		t.Errorf("loaded %d times, want once", loads)
	}
}
