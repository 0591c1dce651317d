// Command tool is every tool that the end-to-end tests run, good and bad: what it does is
// what it is called by, so a test links it under many names. It never touches anything but
// its working directory and what its arguments name.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/fettle-dev/fettle/internal/killtest"
)

// tools by the name that the program is called by. Each returns its exit code.
var tools = map[string]func(args []string) (int, error){
	"rewriter": rewriter,
	"replacer": replacer,
	"codemod":  codemod,
	"checker":  checker,
	"misfit":   misfit,
}

func main() {
	killtest.Launch()
	name := filepath.Base(os.Args[0])
	run, ok := tools[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "there is no tool %q\n", name)
		os.Exit(98)
	}
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		code = 97
	}
	os.Exit(code)
}
