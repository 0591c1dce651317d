// Command apiref writes the reference of the API as Markdown, from the generated
// CustomResourceDefinitions: what an API server knows is what the page says, rules in CEL
// included.
//
//	apiref -out docs/reference/api.md config/crd/bases/*.yaml
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
)

func main() {
	out := flag.String("out", "", "`file` to write")
	flag.Parse()
	if err := run(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "apiref:", err)
		os.Exit(1)
	}
}

func run(out string, files []string) error {
	if out == "" || len(files) == 0 {
		return fmt.Errorf("-out and at least one file are needed")
	}
	var definitions []definition
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		d, err := parse(data)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		definitions = append(definitions, d)
	}
	var page bytes.Buffer
	render(&page, definitions)
	return os.WriteFile(out, page.Bytes(), 0o644)
}
