package reread_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/reread"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
	"github.com/fettle-dev/fettle/internal/vectortest"
)

// Spec §12.5.
func TestVectorContainment(t *testing.T) {
	type row struct {
		ID, Rule, Title, Note, Access, Writes string
		Disk, Allowlist, Withheld             []string
		Scope, Selector                       []string
		Policy                                json.RawMessage
		Landlock                              bool
		Containment                           reread.ContainmentOption
		Expected                              struct {
			Kind            reread.ContainmentKind
			Roots           []string
			Exceeds, Starts bool
		}
	}
	members := vectortest.Load(t, "runtime", "containment", "vectors")
	for _, v := range vectortest.Rows[row](t, members, "vectors") {
		t.Run(v.ID, func(t *testing.T) {
			entries := map[string]treemem.Entry{}
			for _, path := range v.Disk {
				entries[path] = treemem.Entry{}
			}
			disk, err := treemem.New(entries)
			if err != nil {
				t.Fatal(err)
			}
			rules := policy.Fixed(parsePolicy(t, v.Policy))
			files := slices.Concat(v.Allowlist, v.Withheld)
			slices.Sort(v.Allowlist)
			got := reread.Confinement{
				Option: v.Containment, Facade: v.Access == "Facade", InPlace: v.Writes == "InPlace", CanConfine: v.Landlock,
				Region: glob.NewRegion(globs(t, v.Scope), globs(t, v.Selector)), Allowlist: v.Allowlist,
				MayCreate: func(path string) bool { return !slices.Contains(files, path) && rules().CanWrite(path).Allowed },
				IsDir:     reread.IsDir(disk), Within: reread.Within(disk),
			}.Plan()
			want := v.Expected
			if got.Kind != want.Kind || !slices.Equal(got.Roots, want.Roots) || got.Exceeds != want.Exceeds {
				t.Errorf("got %+v, want %+v", got, want)
			}
			err = got.Check(v.Containment)
			if (err == nil) != want.Starts || err != nil && !fault.Is(err, fault.StepFailed, fault.ReasonContainment) {
				t.Errorf("starting: got %v, want it started: %t", err, want.Starts)
			}
		})
	}
}

func TestContainmentWalksOnlyAsFarAsItMust(t *testing.T) {
	files := map[string]string{"src/a.ts": "a"}
	for i := range 50 {
		files[fmt.Sprintf("src/%02d/x.ts", i)] = "x"
	}
	disk, err := treemem.New(treemem.Files(files))
	if err != nil {
		t.Fatal(err)
	}
	c := &counting{Tree: disk}
	visited := 0
	err = reread.Within(c)("src", func(string) bool { visited++; return visited < 3 })
	if err != nil || visited != 3 || c.lists > 4 {
		t.Errorf("visited %d in %d listings, %v; want 3 in at most 4", visited, c.lists, err)
	}
	disk.FailList("src/07", errDisk)
	if err := reread.Within(disk)("src", func(string) bool { return true }); !errors.Is(err, errDisk) {
		t.Errorf("got %v, want the failure: what can't be looked at may be anything", err)
	}
	if plan := (reread.Confinement{
		CanConfine: true, Region: globRegion(t, "src/**"), IsDir: reread.IsDir(disk), Within: reread.Within(disk),
		MayCreate: func(string) bool { return true },
	}).Plan(); !plan.Exceeds {
		t.Errorf("got %+v where a directory can't be listed, want it wider than the remit", plan)
	}
	disk.FailList("src/07", nil)
	plan := reread.Confinement{
		CanConfine: true, Region: globRegion(t, "src/none/deep/*.ts", "src/*/x.ts"), IsDir: reread.IsDir(disk), Within: reread.Within(disk),
		MayCreate: func(string) bool { return true },
	}.Plan()
	if !slices.Equal(plan.Roots, []string{"src"}) || !plan.Exceeds {
		t.Errorf("got %+v, want src, wider than the scope", plan)
	}
}

func TestRootsAreDirectoriesThatAreThereAndNoneInsideAnother(t *testing.T) {
	disk, err := treemem.New(treemem.Files(map[string]string{"src/a.ts": "a", "lib/web/b.ts": "b", "lib/c.ts": "c"}))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		scope, want []string
	}{
		{[]string{"src/**", "*.md"}, []string{"."}},
		{[]string{"src/gone/deep/*.ts", "lib/web/*"}, []string{"lib/web", "src"}},
		{[]string{"gone/deep/*.ts"}, []string{"."}},
		{[]string{"lib/web/*", "lib/c.ts", "src/a.ts"}, []string{"lib", "src"}},
		{[]string{"src/a.ts/x/*"}, []string{"src"}},
	} {
		plan := reread.Confinement{
			CanConfine: true, Region: globRegion(t, tt.scope...), IsDir: reread.IsDir(disk), Within: reread.Within(disk),
			MayCreate: func(string) bool { return true },
		}.Plan()
		if !slices.Equal(plan.Roots, tt.want) {
			t.Errorf("scope %q: roots %q, want %q", tt.scope, plan.Roots, tt.want)
		}
	}
}

func globRegion(t *testing.T, raws ...string) *glob.Region {
	return glob.NewRegion(globs(t, raws), nil)
}
