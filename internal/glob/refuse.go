package glob

import (
	"strings"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/pathdoor"
)

// declared says whether entries at p stand in a pipeline's or engine's declaration.
func (p Place) declared() bool { return p == Scope || p == Exclude || p == Policy }

// forbidsAmbiguity: at these places a literal that names nothing goes unnoticed.
func (p Place) forbidsAmbiguity() bool { return p.declared() || p == RunScope }

func (p Place) kind(otherwise fault.Kind) fault.Kind {
	if p.declared() {
		return fault.InvalidPipeline
	}
	return otherwise
}

// lexicalRefusal refuses a pattern by a class of spec §4.1 or §4.2.
func (p Place) lexicalRefusal(raw string, class fault.Reason) *fault.Error {
	rule, hint := pathdoor.Explain(class)
	return fault.New(p.kind(fault.PathRefused), class, raw, "%s", rule).WithHint("%s", hint)
}

// patternRefusal refuses a pattern by a class of spec §5.1.
func (p Place) patternRefusal(raw string, class fault.Reason) *fault.Error {
	rule, hint := explain(class)
	return fault.New(p.kind(fault.BadArgument), class, raw, "%s", rule).WithHint("%s", hint)
}

// literalRefusal gives the refusal of the literal door the kind of the place.
func (p Place) literalRefusal(err error) error {
	e := fault.As(err)
	if e == nil {
		return err
	}
	refusal := *e
	refusal.Kind = p.kind(e.Kind)
	if p == Acquire && e.Reason == fault.ClassDepth {
		refusal.Kind, refusal.Reason = fault.WorkspaceBounds, fault.ReasonMaxDepth
	}
	return &refusal
}

func explain(class fault.Reason) (rule, hint string) {
	switch class {
	case fault.ClassEmpty:
		return "a pattern has at least one segment", "write ** for everything below the root"
	case fault.ClassEscapeSequence:
		return "a pattern holds no backslash: there is no escape", "write / between directories; a name that holds * can only be matched by a wildcard"
	case fault.ClassDoubleStar:
		return "** stands alone between slashes", "write **/*.ts for **.ts, and dir/** for dir**"
	case fault.ClassQuestionMark:
		return "? has no meaning in a pattern", "write *, which matches any run of characters"
	case fault.ClassCharacterClass:
		return "a pattern has no character classes", "write * for the segment's part in brackets, or one entry per character"
	case fault.ClassBrace:
		return "a pattern has no alternatives in braces", "write one entry per alternative"
	case fault.ClassNegation:
		return "a pattern has no negation", "list what is meant, or name it in exclude or in a deny list"
	case fault.ClassCaret:
		return "^ has no meaning in a pattern", "write * for it"
	}
	return "it is refused as " + string(class), ""
}

func refuseAmbiguous(raw, path string, p Place) *fault.Error {
	e := fault.New(p.kind(fault.BadArgument), fault.ReasonAmbiguousLiteral, raw,
		"an entry without * is a literal, and one of %s in it looks like a pattern but would match only itself", strings.Join(strings.Split(ambiguous, ""), " "))
	pattern, prefix := alternatives(path)
	if prefix == "" {
		return e.WithHint("write %s", pattern)
	}
	return e.WithHint("write %s, or the prefix %s", pattern, prefix)
}

// alternatives returns a pattern in place of an ambiguous literal, and the directory
// that it lies in as far as that is plain, or "".
func alternatives(path string) (pattern, prefix string) {
	segments := strings.Split(path, "/")
	plain := len(segments)
	for i, s := range segments {
		if !strings.ContainsAny(s, ambiguous) {
			continue
		}
		plain = min(plain, i)
		segments[i] = "*"
		if s[0] == '.' {
			segments[i] = ".*"
		}
	}
	return strings.Join(segments, "/"), strings.Join(segments[:plain], "/")
}
