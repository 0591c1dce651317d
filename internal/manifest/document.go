package manifest

import (
	"bytes"
	"fmt"

	yamlv3 "go.yaml.in/yaml/v3"
)

// document is one YAML or JSON document of an input.
type document struct {
	input     *Input
	order     int // of the input in the load, from 0
	number    int // of the document in the input, from 1
	firstLine int // line of the input that it starts at, from 1
	data      []byte

	root   *yamlv3.Node // for positions; parsed when first asked for
	parsed bool
}

// split cuts an input at its separators: lines that start with "---", after which only a
// comment may stand, as kubectl cuts. order is that of the input in the load.
func split(in *Input, order int) ([]*document, []Problem) {
	var documents []*document
	var problems []Problem
	start, startLine := 0, 1
	cut := func(end int) {
		documents = append(documents, &document{
			input:     in,
			order:     order,
			number:    len(documents) + 1,
			firstLine: startLine,
			data:      in.Data[start:end],
		})
	}
	line := 0
	for at := 0; at < len(in.Data); {
		next := len(in.Data)
		if i := bytes.IndexByte(in.Data[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		line++
		if rest, ok := bytes.CutPrefix(in.Data[at:next], []byte("---")); ok {
			rest = bytes.TrimSpace(rest)
			if len(rest) > 0 && rest[0] != '#' {
				problems = append(problems, Problem{
					File: in.Name, Line: line, Column: 1, input: order,
					Text: printable(fmt.Sprintf("invalid Yaml document separator: %s", rest)),
					Hint: "begin the document on the next line",
				})
			}
			if at > 0 {
				cut(at)
			}
			start, startLine = next, line+1
		}
		at = next
	}
	if start < len(in.Data) {
		cut(len(in.Data))
	}
	return documents, problems
}
