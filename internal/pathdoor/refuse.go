package pathdoor

import "github.com/fettle-dev/fettle/internal/fault"

// Explain returns one sentence about a class of spec §4.1–4.3, for messages about an
// entry that a door refused: what is wrong with it, and what to write.
func Explain(class fault.Reason) (rule, hint string) {
	switch class {
	case fault.ClassNUL:
		return "a path holds no NUL", "remove the NUL character"
	case fault.ClassHome:
		return "a path doesn't start with ~, which would be a home directory", "write it relative to the root"
	case fault.ClassAbsoluteHost:
		return "a path doesn't start with a drive letter", "write it relative to the root"
	case fault.ClassDevice:
		return "a path doesn't name a device", "write it relative to the root"
	case fault.ClassUNC:
		return "a path doesn't name a network share", "write it relative to the root, with one slash at most before it"
	case fault.ClassEscape:
		return `a path stays below the root: ".." has no directory to leave`, "write it relative to the root"
	case fault.ClassEmpty:
		return "a path names something below the root", "write at least one name"
	case fault.ClassLeadingSlash:
		return "a path is relative to the root here and doesn't start with a slash", "drop the root and the slash"
	case fault.ClassNotRelative:
		return "a path is relative to the root here and doesn't start with a slash", "drop the slash"
	case fault.ClassBadSegment:
		return `every segment of a path is a name in UTF-8: not empty, not "." and not ".."`, "write the plain path"
	}
	return "it is refused as " + string(class), ""
}

func refuse(raw string, class fault.Reason) *fault.Error {
	rule, hint := Explain(class)
	return fault.New(fault.PathRefused, class, raw, "%s", rule).WithHint("%s", hint)
}

func refuseDepth(raw string, depth, maxDepth int) *fault.Error {
	return fault.New(fault.PathRefused, fault.ClassDepth, raw, "%d segments are more than maxDepth %d", depth, maxDepth).
		WithHint("raise bounds.maxDepth, or name something less deep")
}
