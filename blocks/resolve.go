package blocks

// Resolution is what a message's blocks make of the observed contents.
type Resolution struct {
	Candidates []Candidate // of the blocks that resolved, in block order
	// Preconditions are the failed requirements of § 6, Unresolved the edits that are
	// malformed or don't fit, each in block order. Of a message that has both, the
	// first alone are reported (§ 10.4).
	Preconditions, Unresolved []Error
}

// OK reports whether every block resolved.
func (r Resolution) OK() bool { return len(r.Preconditions) == 0 && len(r.Unresolved) == 0 }

// ResolveAll resolves every block of a valid message. targets come from Validate;
// observed has what the view holds for each of them.
func ResolveAll(blocks []Block, targets []string, observed []Observed, cfg Config) Resolution {
	r := Resolution{Candidates: make([]Candidate, 0, len(blocks))}
	for i, b := range blocks {
		c, err := resolveBlock(b, targets[i], observed[i], cfg)
		switch {
		case err == nil:
			r.Candidates = append(r.Candidates, c)
		case err.Code.Precondition():
			r.Preconditions = append(r.Preconditions, *err)
		default:
			r.Unresolved = append(r.Unresolved, *err)
		}
	}
	return r
}

// ValidateResolved judges the final contents (§ 5.5): each file by its own size, then
// all together. A removal counts nothing, an unchanged file its full size.
func ValidateResolved(candidates []Candidate, cfg Config) []Error {
	var errs []Error
	total := int64(0)
	for _, c := range candidates {
		size := int64(len(c.Content))
		total += size
		if size > cfg.MaxFileSize {
			errs = append(errs, *newError(CodeSizeExceeded, c.Path, "split or shrink the file: it would have %d bytes, the limit is %d", size, cfg.MaxFileSize))
		}
	}
	if total > cfg.MaxTotalSize {
		errs = append(errs, *newError(CodeTotalSizeExceeded, "", "split or shrink the message: its files would have %d bytes, the limit is %d", total, cfg.MaxTotalSize))
	}
	return errs
}
