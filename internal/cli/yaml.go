package cli

import (
	"bytes"
	"encoding/json"

	yamlv3 "go.yaml.in/yaml/v3"
)

// yamlOf renders JSON as YAML that reads back as the same value. JSON isn't given to a
// YAML parser, which would refuse what names and outputs of tools may well hold: control
// characters, and keys of more than 1,024 bytes.
func yamlOf(data []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := yamlv3.NewEncoder(&out)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(numbered(value)); err != nil {
		return nil, err
	}
	return out.Bytes(), encoder.Close()
}

// numbered makes numbers of the decoded ones, integers where they are.
func numbered(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			v[key] = numbered(v[key])
		}
	case []any:
		for i := range v {
			v[i] = numbered(v[i])
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if f, err := v.Float64(); err == nil {
			return f
		}
	}
	return value
}
