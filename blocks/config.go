package blocks

import "fmt"

// EditFormat chooses the one edit dialect of a deployment (§ 3.1).
type EditFormat string

// The edit formats: FormatGitDiff enables mode=diff, FormatReplace mode=edit, FormatNone neither.
const (
	FormatGitDiff EditFormat = "git_diff"
	FormatReplace EditFormat = "replace"
	FormatNone    EditFormat = "none"
)

// Mode returns the edit mode that f enables, or "".
func (f EditFormat) Mode() Mode {
	switch f {
	case FormatGitDiff:
		return ModeDiff
	case FormatReplace:
		return ModeEdit
	}
	return ""
}

// Config holds the keys of § 25 that the pure functions need. The zero value is not
// valid; start from Defaults.
type Config struct {
	EditFormat EditFormat `json:"editFormat"`
	Newline    Newline    `json:"newline"` // of blocks that do not say
	// MaxEditDrift is how many lines a hunk may be away from its stated line.
	MaxEditDrift int `json:"maxEditDrift"`

	MaxFileSize        int64 `json:"maxFileSize"`  // bytes: one body, one final content
	MaxTotalSize       int64 `json:"maxTotalSize"` // bytes: all of them
	MaxFilesPerMessage int   `json:"maxFilesPerMessage"`

	DiffLineLimit        int   `json:"diffLineLimit"` // lines of a diff=limited text
	MaxEchoBytes         int64 `json:"maxEchoBytes"`  // 0: MaxFileSize
	RejectCaseCollisions bool  `json:"rejectCaseCollisions"`

	// Prompt replaces the base text of Prompt (§ 24.1). Empty: the built-in text.
	Prompt string `json:"prompt,omitempty"`
}

// Defaults returns the configuration of a deployment that sets nothing.
func Defaults() Config {
	return Config{
		EditFormat:         FormatGitDiff,
		Newline:            NewlinePreserve,
		MaxEditDrift:       200,
		MaxFileSize:        1 << 20,
		MaxTotalSize:       2 << 20,
		MaxFilesPerMessage: 16,
		DiffLineLimit:      200,
	}
}

// Check reports the first value that breaks a rule of § 25, naming key, value and rule.
func (c Config) Check() error {
	if !c.EditFormat.valid() {
		return fmt.Errorf("editFormat: %q: must be git_diff, replace or none", c.EditFormat)
	}
	if !c.Newline.valid() {
		return fmt.Errorf("newline: %q: must be preserve, lf or crlf", c.Newline)
	}
	if c.MaxEditDrift < 0 {
		return fmt.Errorf("maxEditDrift: %d: must not be negative", c.MaxEditDrift)
	}
	for _, n := range []struct {
		key   string
		value int64
	}{
		{"maxFileSize", c.MaxFileSize},
		{"maxTotalSize", c.MaxTotalSize},
		{"maxFilesPerMessage", int64(c.MaxFilesPerMessage)},
		{"diffLineLimit", int64(c.DiffLineLimit)},
		{"maxEchoBytes", c.echoBytes()},
	} {
		if n.value <= 0 {
			return fmt.Errorf("%s: %d: must be a positive integer", n.key, n.value)
		}
	}
	if c.MaxTotalSize < c.MaxFileSize {
		return fmt.Errorf("maxTotalSize: %d: must be at least maxFileSize, which is %d", c.MaxTotalSize, c.MaxFileSize)
	}
	if c.Prompt != "" && isBlank(c.Prompt) {
		return fmt.Errorf("prompt: %q: must not be blank", c.Prompt)
	}
	return nil
}

// echoBytes returns the bound of § 18.7.
func (c Config) echoBytes() int64 {
	if c.MaxEchoBytes == 0 {
		return c.MaxFileSize
	}
	return c.MaxEchoBytes
}

func (f EditFormat) valid() bool { return f == FormatGitDiff || f == FormatReplace || f == FormatNone }
