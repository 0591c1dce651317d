package blocks

import _ "embed"

// The texts of § 24: what a model is told about blocks.
var (
	//go:embed prompt/base.md
	promptBase string
	//go:embed prompt/replace.md
	promptReplace string
	//go:embed prompt/git_diff.md
	promptGitDiff string
)

// Prompt returns the section of a system prompt that teaches a model to write blocks:
// the base text, and the text of the active dialect if there is one (§ 24). It ends in
// LF.
func Prompt(cfg Config) string {
	base := promptBase
	if cfg.Prompt != "" {
		base = cfg.Prompt
		if !endsInLF([]byte(base)) {
			base += "\n"
		}
	}
	switch cfg.EditFormat {
	case FormatReplace:
		return base + "\n" + promptReplace
	case FormatGitDiff:
		return base + "\n" + promptGitDiff
	}
	return base
}
