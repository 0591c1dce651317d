package blocks

import "fmt"

// Policy says whether a path may be read and written (§ 4.3). Where it may not, reason
// says which rule decided, "mandatory" for a mandatory deny.
type Policy func(path string) (allowed bool, reason string)

// Rules are what a message is validated against.
type Rules struct {
	Config Config
	// Roots are the absolute spellings of the transaction root (§ 4.1.5).
	Roots []string
	// Policy judges targets. Nil leaves that to somebody else, who must not publish
	// without it.
	Policy Policy
}

// Validation is what Validate says of a message.
type Validation struct {
	// Targets has the target of each block, "" where its path was refused.
	Targets []string
	// ParseErrors are those of Parse, as they are. Errors are the others, in the order
	// of § 5.2, one for each code and raw path. They are reported in this order.
	ParseErrors, Errors []Error
}

// OK reports whether nothing is wrong with the message.
func (v Validation) OK() bool { return len(v.ParseErrors) == 0 && len(v.Errors) == 0 }

// All returns all errors in the order of reporting.
func (v Validation) All() []Error {
	return append(v.ParseErrors[:len(v.ParseErrors):len(v.ParseErrors)], v.Errors...)
}

// Validate judges everything about a message that needs no file (§ 5.2). It collects
// all errors; with a single one nothing of the message may happen (§ 5.3). The bodies
// of edit blocks are not looked at (§ 5.7).
func Validate(p Parsed, r Rules) Validation {
	if err := p.EncodingError(); err != nil {
		return Validation{Targets: make([]string, len(p.Blocks)), Errors: []Error{*err}}
	}
	v := validator{rules: r, blocks: p.Blocks, targets: make([]string, len(p.Blocks)), seen: map[finding]bool{}}
	v.paths()
	for i := range p.Blocks {
		if v.targets[i] != "" {
			v.block(&p.Blocks[i])
		}
	}
	v.limits()
	return Validation{Targets: v.targets, ParseErrors: p.Errors, Errors: v.errors}
}

type validator struct {
	rules   Rules
	blocks  []Block
	targets []string
	errors  []Error
	seen    map[finding]bool
}

// finding is what errors are deduplicated by.
type finding struct {
	code Code
	path string
}

// add keeps an error about a block, nil for one about the message.
func (v *validator) add(b *Block, code Code, hint string, args ...any) {
	f := finding{code: code}
	if b != nil {
		f.path = b.Path
	}
	if v.seen[f] {
		return
	}
	v.seen[f] = true
	err := newError(code, f.path, hint, args...)
	if b != nil {
		err.Line = b.Line
	}
	v.errors = append(v.errors, *err)
}

// paths judges each path alone (§ 4.1), against the others (§ 4.2) and by the policy
// (§ 4.3).
func (v *validator) paths() {
	codes := make([]Code, len(v.blocks))
	for i, b := range v.blocks {
		if target, code := targetPath(b.Path, v.rules.Roots); code == "" {
			v.targets[i] = target
		} else {
			codes[i] = code
		}
	}
	first := firstOfTarget(v.targets)
	clash := clashes(v.targets, first, v.rules.Config.RejectCaseCollisions)
	for i := range v.blocks {
		b := &v.blocks[i]
		switch {
		case codes[i] != "":
			v.add(b, codes[i], "%s", codes[i].Hint())
		case first[i] != i:
			v.add(b, CodeDuplicatePath, "merge the blocks: an earlier one, file=%s on line %d, is for the same file", v.blocks[first[i]].Path, v.blocks[first[i]].Line)
		default:
			v.clashAndPolicy(b, clash[i])
		}
	}
}

func (v *validator) clashAndPolicy(b *Block, other int) {
	if other >= 0 {
		v.add(b, CodePathClash, "rename one of the two, or delete %s first in a message of its own", v.targets[other])
	}
	if v.rules.Policy == nil {
		return
	}
	if allowed, reason := v.rules.Policy(v.targets[b.Index]); !allowed {
		v.add(b, CodePathDenied, "leave this path alone: the policy denies it (%s)", reason)
	}
}

// block judges the attributes and the body of a block whose path is good.
func (v *validator) block(b *Block) {
	if !b.Mode.valid() {
		v.add(b, CodeInvalidMode, "%q is no mode: use %s", b.Mode, v.modes())
	}
	if !b.Diff.valid() {
		v.add(b, CodeInvalidDiff, "%q is no diff detail: use full, limited, stats or none", b.Diff)
	}
	if b.Encoding != encodingUTF8 {
		v.add(b, CodeInvalidEncoding, "%q is no encoding that is taken: use utf-8, so spelled, or omit it", b.Encoding)
	}
	if !b.Newline.valid() {
		v.add(b, CodeInvalidNewline, "%q is no newline conversion: use preserve, lf or crlf", b.Newline)
	}
	if b.Mode == ModeDelete && b.Content != "" {
		v.add(b, CodeDeleteContent, "%s", CodeDeleteContent.Hint())
	}
	if b.Mode.isEdit() {
		v.edit(b)
	}
	if size, limit := int64(len(b.Content)), v.rules.Config.MaxFileSize; size > limit {
		v.add(b, CodeSizeExceeded, "split or shrink it: the block has %d bytes, the limit is %d", size, limit)
	}
}

func (v *validator) edit(b *Block) {
	active := v.rules.Config.EditFormat.Mode()
	switch {
	case active == "":
		v.add(b, CodeEditModeDisabled, "send the full content: edits are not taken here")
	case active != b.Mode:
		v.add(b, CodeEditModeDisabled, "use mode=%s, the active edit mode, or send the full content", active)
	}
	if isBlank(b.Content) {
		v.add(b, CodeEditEmpty, "%s", CodeEditEmpty.Hint())
	}
	if b.NewlineExplicit {
		v.add(b, CodeEditNewlineAttr, "%s", CodeEditNewlineAttr.Hint())
	}
}

// limits judges the message as a whole (§ 5.4). Duplicates count, bad paths don't.
func (v *validator) limits() {
	files, total := 0, int64(0)
	for i, b := range v.blocks {
		if v.targets[i] != "" {
			files++
			total += int64(len(b.Content))
		}
	}
	cfg := v.rules.Config
	if files > cfg.MaxFilesPerMessage {
		v.add(nil, CodeTooManyFiles, "split the message: it has %d blocks, the limit is %d", files, cfg.MaxFilesPerMessage)
	}
	if total > cfg.MaxTotalSize {
		v.add(nil, CodeTotalSizeExceeded, "split or shrink the message: its blocks have %d bytes, the limit is %d", total, cfg.MaxTotalSize)
	}
}

// modes lists the modes that are taken.
func (v *validator) modes() string {
	if m := v.rules.Config.EditFormat.Mode(); m != "" {
		return fmt.Sprintf("write, create, update, append, delete or %s", m)
	}
	return "write, create, update, append or delete"
}
