package reasons

import (
	"fmt"
	"strings"
)

const preface = `# Reasons: what a condition means

A run has a condition ` + "`Succeeded`" + `, a pipeline, an engine and a policy have one called ` + "`Ready`" + `. Its reason is one word for what is the case, and is stable: scripts may rely on it. Its message names the thing and says what to do. What the errors of ` + "`fettle run`" + ` mean is in [troubleshooting](tasks/troubleshooting.md).

This page is generated from the package ` + "`internal/reasons`" + `.
`

// Page returns docs/reasons.md.
func Page() string {
	var b strings.Builder
	b.WriteString(preface)
	for _, g := range Table() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| condition reason | means | do |\n| --- | --- | --- |\n", g.Title, g.About)
		for _, r := range g.Reasons {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.Name, r.Means, r.Do)
		}
	}
	return b.String()
}
