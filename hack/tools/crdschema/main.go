// Command crdschema writes a CustomResourceDefinition in YAML as compact JSON without
// descriptions: the same rules in a third of the bytes, and five times as quick to load.
//
//	crdschema -out config/crd/schemas config/crd/bases/*.yaml
//
// Package internal/manifest loads them at every start of fettle.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

func main() {
	out := flag.String("out", "", "`directory` to write to")
	flag.Parse()
	if err := run(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "crdschema:", err)
		os.Exit(1)
	}
}

func run(out string, files []string) error {
	if out == "" || len(files) == 0 {
		return fmt.Errorf("-out and at least one file are needed")
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		compacted, err := compact(data)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".yaml") + ".json"
		if err := os.WriteFile(filepath.Join(out, name), compacted, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compact returns a definition as one line of JSON whose schemas have no descriptions.
func compact(definition []byte) ([]byte, error) {
	var crd map[string]any
	if err := yaml.Unmarshal(definition, &crd); err != nil {
		return nil, err
	}
	spec, _ := crd["spec"].(map[string]any)
	versions, _ := spec["versions"].([]any)
	if len(versions) == 0 {
		return nil, fmt.Errorf("no versions: is it a CustomResourceDefinition?")
	}
	for _, v := range versions {
		version, _ := v.(map[string]any)
		schema, _ := version["schema"].(map[string]any)
		dropDescriptions(schema["openAPIV3Schema"])
	}
	line, err := json.Marshal(crd)
	return append(line, '\n'), err
}

// dropDescriptions removes the description of a schema and of those within it. A
// property that is called description stays.
func dropDescriptions(node any) {
	schema, ok := node.(map[string]any)
	if !ok {
		return
	}
	delete(schema, "description")
	properties, _ := schema["properties"].(map[string]any)
	for _, p := range properties {
		dropDescriptions(p)
	}
	dropDescriptions(schema["items"])
	dropDescriptions(schema["additionalProperties"])
	for _, junctor := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := schema[junctor].([]any)
		for _, s := range list {
			dropDescriptions(s)
		}
	}
	dropDescriptions(schema["not"])
}
