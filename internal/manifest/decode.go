package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"

	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/fettle-dev/fettle/internal/fault"
)

// decode reads a document as an API server reads a body under strict field validation.
// The object is nil where there is none: in an empty document, or one that can't be read.
func decode(doc *document) (map[string]any, []Problem) {
	if len(doc.data) > MaxDocumentBytes {
		return nil, []Problem{doc.problem("", fault.ReasonBound,
			"Request entity too large: limit is "+strconv.Itoa(MaxDocumentBytes), "an API server takes no larger object")}
	}
	data, problems, err := toJSON(doc)
	if err != nil {
		return nil, append(problems, syntaxProblem(doc, err))
	}
	var value any
	strict, err := kjson.UnmarshalStrict(data, &value)
	if err != nil {
		return nil, append(problems, syntaxProblem(doc, err))
	}
	for _, e := range strict {
		problems = append(problems, strictProblem(doc, e))
	}
	if value == nil {
		return nil, problems
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, append(problems, doc.problem("", fault.ReasonType,
			"the document is not an object", "an object has the keys apiVersion, kind, metadata and spec"))
	}
	return object, problems
}

// toJSON converts a document to JSON. Keys that a YAML mapping has twice are problems; the
// last one counts.
func toJSON(doc *document) ([]byte, []Problem, error) {
	if text := bytes.TrimSpace(doc.data); len(text) > 0 && text[0] == '{' && json.Valid(text) {
		return text, nil, nil
	}
	data, err := yaml.YAMLToJSONStrict(doc.data)
	if err == nil {
		return data, nil, nil
	}
	var problems []Problem
	for _, line := range strings.Split(err.Error(), "\n") {
		if m := duplicateKey.FindStringSubmatch(line); m != nil {
			problems = append(problems, doc.problemAtLine(m[1], fault.ReasonDuplicate, m[2], "keep one of them"))
		}
	}
	data, err = yaml.YAMLToJSON(doc.data)
	return data, problems, err
}

// What the YAML library says of a key that occurs twice, and of anything else with a line.
var (
	duplicateKey = regexp.MustCompile(`line (\d+): (key .* already set in map)`)
	yamlLine     = regexp.MustCompile(`^(?:error converting YAML to JSON: )?yaml: line (\d+): (.*)$`)
)

// syntaxProblem tells of a document that can't be parsed.
func syntaxProblem(doc *document, err error) Problem {
	const hint = "check the indentation and the quotes around this line"
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		return doc.problemAtLine(m[1], "", "yaml: "+m[2], hint)
	}
	return doc.problem("", "", err.Error(), hint)
}

// strictProblem tells of a field that a JSON object has twice.
func strictProblem(doc *document, err error) Problem {
	at := ""
	var fielded kjson.FieldError
	if errors.As(err, &fielded) {
		at = fielded.FieldPath()
	}
	return doc.problem(at, fault.ReasonDuplicate, err.Error(), "keep one of them")
}
