package manifest

import (
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
)

// locate returns where a field is in its input, as an API server names it: "spec.steps[1]".
// For a field that isn't there it is the nearest one around it. Lines and columns count
// from 1; both are 0 where the document can't be read.
func (d *document) locate(field string) (line, column int) {
	root := d.node()
	if root == nil {
		return 0, 0
	}
	at, _ := find(root, root, field)
	return d.firstLine + at.Line - 1, at.Column
}

// emptyMembers returns the keys of an object that stand there without a value.
func (d *document) emptyMembers(field string) []string {
	root := d.node()
	if root == nil {
		return nil
	}
	_, value := find(root, root, field)
	if value == nil || value.Kind != yamlv3.MappingNode {
		return nil
	}
	var keys []string
	for i := 0; i+1 < len(value.Content); i += 2 {
		if value.Content[i+1].Tag == "!!null" {
			keys = append(keys, value.Content[i].Value)
		}
	}
	return keys
}

// scalar returns a value as it is written, without quotes.
func (d *document) scalar(field string) (written string, ok bool) {
	root := d.node()
	if root == nil {
		return "", false
	}
	_, value := find(root, root, field)
	if value == nil || value.Kind != yamlv3.ScalarNode {
		return "", false
	}
	return value.Value, true
}

// node returns the document as nodes with positions, or nil if it can't be parsed.
func (d *document) node() *yamlv3.Node {
	if !d.parsed {
		d.parsed = true
		var node yamlv3.Node
		if yamlv3.Unmarshal(d.data, &node) == nil && len(node.Content) == 1 {
			d.root = node.Content[0]
		}
	}
	return d.root
}

// find returns the node to point at for a field below node, which is the key of a member
// or the item of a list, and the field's value, or nil if the field isn't there. best is
// what to point at if nothing below matches.
func find(node, best *yamlv3.Node, field string) (at, value *yamlv3.Node) {
	if node.Kind == yamlv3.AliasNode {
		node = node.Alias
	}
	field = strings.TrimPrefix(field, ".")
	if field == "" {
		return best, node
	}
	switch node.Kind {
	case yamlv3.MappingNode:
		key, value, rest := member(node, field)
		if key == nil {
			return best, nil
		}
		return find(value, key, rest)
	case yamlv3.SequenceNode:
		index, rest, ok := strings.Cut(strings.TrimPrefix(field, "["), "]")
		i, err := strconv.Atoi(index)
		if !ok || err != nil || i < 0 || i >= len(node.Content) {
			return best, nil
		}
		return find(node.Content[i], node.Content[i], rest)
	default:
		return best, nil
	}
}

// member returns the key and value that a field path begins with, and the rest of the
// path. Keys may hold dots, so the longest key that fits is taken.
func member(mapping *yamlv3.Node, field string) (key, value *yamlv3.Node, rest string) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		k := mapping.Content[i]
		after, ok := cutKey(field, k.Value)
		if ok && (key == nil || len(k.Value) > len(key.Value)) {
			key, value, rest = k, mapping.Content[i+1], after
		}
	}
	return key, value, rest
}

// cutKey removes a key, written as "key" or "[key]", from the start of a field path.
func cutKey(field, key string) (rest string, ok bool) {
	if rest, ok = strings.CutPrefix(field, "["+key+"]"); ok {
		return rest, true
	}
	rest, ok = strings.CutPrefix(field, key)
	return rest, ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
