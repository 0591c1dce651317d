package policy

import "strings"

// mandatoryNames are denied at any depth, with all below them (spec §6.3).
var mandatoryNames = map[string]bool{
	".gitconfig": true, ".gitmodules": true, ".bashrc": true, ".bash_profile": true, ".zshrc": true, ".zprofile": true,
	".profile": true, ".ripgreprc": true, ".mcp.json": true, ".git": true, ".vscode": true, ".idea": true,
}

// mandatoryPairs are denied where the second name lies in a directory of the first.
var mandatoryPairs = map[string]map[string]bool{
	".claude": {"commands": true, "agents": true},
}

// mandatoryRule returns the entry of spec §6.3 that covers path, the leftmost if there
// are several, or "".
func mandatoryRule(path string) string {
	parent := ""
	for segment := range strings.SplitSeq(path, "/") {
		within := mandatoryPairs[parent]
		if within == nil && !maySpell(segment) {
			parent = ""
			continue
		}
		name := folded(segment)
		if within[name] {
			return parent + "/" + name
		}
		if mandatoryNames[name] {
			return name
		}
		parent = name
	}
	return ""
}

// maySpell says whether segment can be a spelling of one of the names above, by its
// first byte: a dot, the g of git~1, or the first byte of a character that is ignored.
// It spares nearly every path the folding.
func maySpell(segment string) bool {
	if segment == "" {
		return false
	}
	switch segment[0] {
	case '.', 'g', 'G', 0xE2, 0xEF:
		return true
	}
	return false
}

// folded returns the name that a file system with other habits may take segment for
// (spec §6.3).
func folded(segment string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case ignored(r):
			return -1
		case 'A' <= r && r <= 'Z':
			return r + ('a' - 'A')
		}
		return r
	}, segment)
	name, _, _ = strings.Cut(name, ":")
	name = strings.TrimRight(name, ". ")
	if name == "git~1" {
		return ".git"
	}
	return name
}

// ignored are the format characters that some file systems drop from names.
func ignored(r rune) bool {
	return 0x200C <= r && r <= 0x200F || 0x202A <= r && r <= 0x202E || 0x206A <= r && r <= 0x206F || r == 0xFEFF
}
