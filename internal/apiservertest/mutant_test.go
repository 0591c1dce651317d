package apiservertest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// mutant is an example with one change.
type mutant struct{ name, kind, namespace, text string }

// replacements are what each field of an example is changed to, one at a time.
func replacements() []any {
	return []any{
		nil, "", "x", "../x", strings.Repeat("y", 3000), 7, -1, 1.5, true,
		[]any{}, []any{nil}, map[string]any{}, map[string]any{"zzz": 1},
	}
}

// mutants returns each example with each of its fields removed, and set to each replacement,
// in an order that is always the same.
func mutants(t *testing.T) []mutant {
	t.Helper()
	var all []mutant
	for file, text := range examples(t) {
		content, kind, namespace := object(t, text)
		m := mutator{found: func(change string) {
			data, err := yaml.Marshal(content)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, mutant{file + ": " + change, kind, namespace, string(data)})
		}}
		m.member(content, "metadata", "metadata")
		m.member(content, "spec", "spec")
	}
	slices.SortFunc(all, func(a, b mutant) int { return cmp.Compare(a.name, b.name) })
	return all
}

// mutator changes an object in place, tells of each change, and takes it back.
type mutator struct{ found func(change string) }

func (m mutator) member(parent map[string]any, key, where string) {
	if where == "metadata.namespace" {
		return // it says where to send the object, so another one can't be sent there
	}
	old := parent[key]
	delete(parent, key)
	m.found(where + " removed")
	for i, value := range replacements() {
		parent[key] = value
		m.found(fmt.Sprintf("%s replaced by %d", where, i))
	}
	parent[key] = old
	m.below(old, where)
}

func (m mutator) below(value any, where string) {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			m.member(v, key, where+"."+key)
		}
	case []any:
		for i, old := range v {
			for j, value := range replacements() {
				v[i] = value
				m.found(fmt.Sprintf("%s[%d] replaced by %d", where, i, j))
			}
			v[i] = old
			m.below(old, fmt.Sprintf("%s[%d]", where, i))
		}
	}
}

// sampled is how many mutants a run judges, unless it is told to soak.
const sampled = 250

func TestAnExampleWithOneChangeIsJudgedAlikeByBoth(t *testing.T) {
	all := mutants(t)
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if os.Getenv("FETTLE_SOAK") == "" {
		all = all[:sampled]
	}
	c := client(t)
	accepted, refused := 0, 0
	for _, m := range all {
		server := serverVerdict(t, c, m.kind, m.namespace, m.text)
		if d := differ(server, offlineVerdict(t, m.text)); d != "" {
			t.Errorf("%s: %s", m.name, d)
		}
		if server.accepted() {
			accepted++
		} else {
			refused++
		}
	}
	if accepted < len(all)/20 || refused < len(all)/5 {
		t.Errorf("of %d changed examples got %d accepted and %d refused: too few of one kind to prove anything", len(all), accepted, refused)
	}
}
