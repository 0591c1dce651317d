package blocks_test

import (
	"fmt"

	"github.com/fettle-dev/fettle/blocks"
)

// A message against one file that the agent has read.
func Example() {
	message := "The limit moves up.\n\n" +
		"```go file=limit.go mode=diff\n" +
		"@@ -3 +3 @@\n" +
		"-const limit = 8\n" +
		"+const limit = 16\n" +
		"```\n"
	read := blocks.Observed{Content: []byte("package queue\n\nconst limit = 8\n"), Version: "v1"}
	cfg := blocks.Defaults()

	parsed := blocks.Parse(message, cfg)
	checked := blocks.Validate(parsed, blocks.Rules{Config: cfg})
	if !checked.OK() {
		fmt.Println(checked.All())
		return
	}
	resolved := blocks.ResolveAll(parsed.Blocks, checked.Targets, []blocks.Observed{read}, cfg)
	if errs := blocks.ValidateResolved(resolved.Candidates, cfg); !resolved.OK() || len(errs) > 0 {
		fmt.Println(resolved, errs)
		return
	}

	report := blocks.Report{Status: blocks.StatusCommitted, Commit: "r2", RepoRevision: "r2"}
	for _, c := range resolved.Candidates {
		fmt.Printf("%s, computed from %s:\n%s", c.Path, c.Observed.Version, c.Content)
		report.Results = append(report.Results, c.Result)
	}
	fmt.Print(blocks.Feedback(&report, cfg))
	// Output:
	// limit.go, computed from v1:
	// package queue
	//
	// const limit = 16
	// [fettle] committed r2: 1 changed, 0 unchanged
	// [fettle] limit.go: updated, +1 -1 (1 edits, drift 0)
	// ``` diff path=limit.go
	// --- a/limit.go
	// +++ b/limit.go
	// @@ -3 +3 @@
	// +const limit = 16
	// -const limit = 8
	// ```
}

// What is wrong with a message is told all at once, each finding with what to do.
func ExampleValidate() {
	message := "``` file=../up\n```\n" +
		"``` file=notes mode=delete\nnot empty\n```\n"
	cfg := blocks.Defaults()
	v := blocks.Validate(blocks.Parse(message, cfg), blocks.Rules{Config: cfg})
	for _, e := range v.All() {
		fmt.Printf("line %d: %s\n", e.Line, e.Code)
	}
	// Output:
	// line 1: PATH_ESCAPE
	// line 3: DELETE_CONTENT
}
