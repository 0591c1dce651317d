package blocks

import "strings"

// EOL names the line ends of a content (§ 6.7).
type EOL string

// The values of a result's eol; it is empty (null) for a removed file.
const (
	EOLLF    EOL = "lf"
	EOLCRLF  EOL = "crlf"
	EOLMixed EOL = "mixed"
	EOLNone  EOL = "none" // no LF at all
)

// lineEnds says which line ends content has.
func lineEnds(content []byte) EOL {
	switch crlf, lf := countEnds(content); {
	case lf == 0:
		return EOLNone
	case crlf == 0:
		return EOLLF
	case crlf == lf:
		return EOLCRLF
	}
	return EOLMixed
}

// convert applies the attribute newline to a body (§ 3.3): lf turns CRLF and lone CRs
// into LF, crlf does that and then turns LF into CRLF.
func convert(body string, to Newline) string {
	switch to {
	case NewlineLF:
		return toLF(body)
	case NewlineCRLF:
		return strings.ReplaceAll(toLF(body), "\n", "\r\n")
	}
	return body
}

func toLF(body string) string {
	if strings.IndexByte(body, '\r') < 0 {
		return body
	}
	return strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\r", "\n")
}
