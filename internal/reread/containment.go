package reread

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/tree"
)

// ContainmentKind is how an invocation is held to its remit (spec §12.5).
type ContainmentKind string

// The kinds of spec §12.5.
const (
	ByFacade            ContainmentKind = "Facade"
	LandlockFiles       ContainmentKind = "LandlockFiles"
	LandlockDirectories ContainmentKind = "LandlockDirectories"
	Declared            ContainmentKind = "Declared"
)

// ContainmentOption is the pipeline's wish; empty is Prefer.
type ContainmentOption string

// The options of spec §12.5.
const (
	Require ContainmentOption = "Require"
	Prefer  ContainmentOption = "Prefer"
	Off     ContainmentOption = "Off"
)

// Containment is what is in force for an invocation.
type Containment struct {
	Kind    ContainmentKind
	Roots   []string // files or directories, sorted; "." is the root
	Exceeds bool     // wider than the remit
}

// Confinement is what decides the containment of an invocation.
type Confinement struct {
	Option     ContainmentOption
	Facade     bool // access Facade
	InPlace    bool // writes InPlace: the tool rewrites a file where it is
	CanConfine bool // the driver can

	Region    *glob.Region
	Allowlist []string // sorted
	// MayCreate says whether the invocation may create a path that lies in Region: no
	// workspace file, and allowed by canWrite.
	MayCreate func(path string) bool

	// IsDir says whether a directory is there, links not followed.
	IsDir func(path string) bool
	// Within visits everything below a directory that is no directory, until visit
	// returns false. An error says that something couldn't be looked at.
	Within func(root string, visit func(path string) bool) error
}

// Plan decides. It asks what lies within a root only as far as the answer needs.
func (c Confinement) Plan() Containment {
	switch {
	case c.Facade:
		return Containment{Kind: ByFacade, Roots: []string{}}
	case !c.CanConfine || c.Option == Off:
		return Containment{Kind: Declared, Roots: []string{}, Exceeds: true}
	case c.InPlace:
		return Containment{Kind: LandlockFiles, Roots: c.Allowlist}
	}
	roots := c.roots()
	return Containment{Kind: LandlockDirectories, Roots: roots, Exceeds: slices.ContainsFunc(roots, c.exceeds)}
}

// Check refuses to start an invocation whose pipeline requires more than there is:
// StepFailed containment.
func (c Containment) Check(option ContainmentOption) error {
	if option != Require || c.Kind != Declared && !c.Exceeds {
		return nil
	}
	where := ""
	if len(c.Roots) > 0 {
		where = " on " + strings.Join(c.Roots, ", ")
	}
	return fault.New(fault.StepFailed, fault.ReasonContainment, "",
		"containment is required, and the tool could be held by %s%s only, which is wider than its remit", c.Kind, where).
		WithHint("say writes: InPlace or access: Facade if the tool can, narrow its scope, or say containment: Prefer")
}

// roots are the directories that the rules name: none inside another.
func (c Confinement) roots() []string {
	from := c.Region.Selector()
	if from == nil {
		from = c.Region.Scope()
	}
	var dirs []string
	for _, e := range from {
		dir := e.StaticPrefix()
		if e.IsLiteral() {
			dir, _ = tree.Split(dir)
		}
		dirs = append(dirs, c.existing(dir))
	}
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	if slices.Contains(dirs, tree.Root) {
		return []string{tree.Root}
	}
	return slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool {
		return slices.ContainsFunc(dirs, func(other string) bool { return strings.HasPrefix(dir, other+"/") })
	})
}

// existing is dir, or the nearest directory above it that is there.
func (c Confinement) existing(dir string) string {
	for dir != tree.Root && !c.IsDir(dir) {
		dir, _ = tree.Split(dir)
	}
	return dir
}

// exceeds says whether something within root is neither given nor to be created. What
// can't be looked at is taken for such a thing.
func (c Confinement) exceeds(root string) bool {
	wider := false
	err := c.Within(root, func(path string) bool {
		_, given := slices.BinarySearch(c.Allowlist, path)
		wider = !given && (!c.Region.Match(path) || !c.MayCreate(path))
		return !wider
	})
	return wider || err != nil
}

// IsDir is Confinement.IsDir of a tree.
func IsDir(r tree.Reader) func(path string) bool {
	return func(path string) bool {
		_, err := r.StatDir(path)
		return err == nil
	}
}

// Within is Confinement.Within of a tree, hidden and excluded files included.
func Within(r tree.Reader) func(root string, visit func(path string) bool) error {
	return func(root string, visit func(path string) bool) error {
		_, err := within(r, root, visit)
		return err
	}
}

func within(r tree.Reader, dir string, visit func(path string) bool) (more bool, err error) {
	var dirs []string
	more = true
	err = r.ReadDir(dir, func(name []byte, kind tree.Kind) bool {
		path := string(name)
		if dir != tree.Root {
			path = dir + "/" + path
		}
		if kind == tree.Directory {
			dirs = append(dirs, path)
			return true
		}
		more = visit(path)
		return more
	})
	for _, d := range dirs {
		if err != nil || !more {
			break
		}
		more, err = within(r, d, visit)
	}
	return more, err
}
