package fault

// Reasons of spec §19. Lexical and pattern classes (spec §4.1, §5.1) and the façade's
// refusal classes (spec §11.6) are reasons too.
const (
	ReasonAbsent           Reason = "absent"
	ReasonAmbiguous        Reason = "ambiguous"
	ReasonAmbiguousLiteral Reason = "ambiguous-literal"
	ReasonBound            Reason = "bound"
	ReasonBusy             Reason = "busy"
	ReasonCancelled        Reason = "cancelled"
	ReasonCollision        Reason = "collision"
	ReasonContainment      Reason = "containment"
	ReasonCrash            Reason = "crash"
	ReasonDeadline         Reason = "deadline"
	ReasonDrift            Reason = "drift"
	ReasonDuplicate        Reason = "duplicate"
	ReasonEngineError      Reason = "engine-error"
	ReasonEnumeration      Reason = "enumeration"
	ReasonExists           Reason = "exists"
	ReasonExistsOnDisk     Reason = "exists-on-disk"
	ReasonGate             Reason = "gate"
	ReasonInterceptor      Reason = "interceptor"
	ReasonIO               Reason = "io"
	ReasonLabel            Reason = "label"
	ReasonMalformedPatch   Reason = "malformed-patch"
	ReasonMaxBytesPerFile  Reason = "maxBytesPerFile"
	ReasonMaxDepth         Reason = "maxDepth"
	ReasonMaxFiles         Reason = "maxFiles"
	ReasonMaxTotalBytes    Reason = "maxTotalBytes"
	ReasonMissing          Reason = "missing"
	ReasonNoMatch          Reason = "no-match"
	ReasonNonText          Reason = "non-text"
	ReasonNotFound         Reason = "not-found"
	ReasonNotInWorkspace   Reason = "not-in-workspace"
	ReasonNotRegular       Reason = "not-regular"
	ReasonOutsidePaths     Reason = "outside-paths"
	ReasonOutsideScope     Reason = "outside-scope"
	ReasonPolicyViolation  Reason = "policy-violation"
	ReasonRange            Reason = "range"
	ReasonReadOnly         Reason = "read-only"
	ReasonStaleToken       Reason = "stale-token"
	ReasonState            Reason = "state" // what a state directory holds can't be gone on from
	ReasonType             Reason = "type"
	ReasonUnknownArgument  Reason = "unknown-argument"
	ReasonUnknownKey       Reason = "unknown-key"
	ReasonUnsaved          Reason = "unsaved"
)

// Refusal classes of paths (spec §4.1, §4.3, §4.4, §11.6).
const (
	ClassNUL                 Reason = "nul"
	ClassHome                Reason = "home"
	ClassAbsoluteHost        Reason = "absolute-host"
	ClassDevice              Reason = "device"
	ClassUNC                 Reason = "unc"
	ClassEscape              Reason = "escape"
	ClassEmpty               Reason = "empty"
	ClassDepth               Reason = "depth"
	ClassLeadingSlash        Reason = "leading-slash"
	ClassNotRelative         Reason = "not-relative"
	ClassBadSegment          Reason = "bad-segment"
	ClassLink                Reason = "link"
	ClassUnreadableComponent Reason = "unreadable-component"
	ClassParentNotDirectory  Reason = "parent-not-directory"
	ClassPolicy              Reason = "policy"
	ClassPolicyUnavailable   Reason = "policy-unavailable"
)

// Refusal classes of patterns (spec §5.1).
const (
	ClassEscapeSequence Reason = "escape-sequence"
	ClassDoubleStar     Reason = "double-star-not-whole-segment"
	ClassQuestionMark   Reason = "question-mark"
	ClassCharacterClass Reason = "character-class"
	ClassBrace          Reason = "brace"
	ClassNegation       Reason = "negation"
	ClassCaret          Reason = "caret"
)
