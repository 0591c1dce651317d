package crash

import (
	"io/fs"
	"strings"

	"github.com/fettle-dev/fettle/test/rig"
)

// outside is beside the root: links of the tree lead to it, and nothing may be changed
// there.
func outside() rig.Tree {
	return rig.Tree{"secret.ts": rig.File("var secret = 1\t\n"), "folder/secret.ts": rig.File("var secret = 2\t\n")}
}

// fixture is a repository in which everything happens that can: files of all forms that
// are edited, moved, swapped, deleted and made, by steps of fettle and by tools, and
// between them what nobody may touch.
func fixture() rig.Tree {
	return rig.Tree{
		// Edited, patched and fixed.
		"package.json":      {Mode: 0o640, UID: 65534, GID: 65534, Data: "{\n  \"name\": \"web\",\n  \"version\": \"1.0.0\"\n}\n"},
		"src/app.ts":        rig.File("var app = 1\t\n// TODO: more\nexport default app"),
		"src/big.ts":        rig.File(strings.Repeat("var line = 'of a large file'\t\n", 4000)),
		"src/left.ts":       rig.File("export const side = 'left'\n"),
		"src/right.ts":      {Mode: 0o755, Data: "export const side = 'right' \n"},
		"src/dead.ts":       rig.File("var dead = true\n"),
		"src/moved.ts":      rig.File("var moved = 'from here'\nvar second = 2\n"),
		"src/over/a.ts":     rig.File("var a = 'takes the place of b'\n"),
		"src/over/b.ts":     rig.File("var b = 'goes'\n"),
		"src/legacy.ts":     rig.File("var legacy = 1\n"),
		"src/obsolete.ts":   rig.File("var obsolete = 1\n"),
		"src/win.ts":        rig.File("var win = 1\t\r\nvar more = 2 \r\n"),
		"src/bom.ts":        rig.File("\uFEFFvar bom = 1\n"),
		"src/run.ts":        {Mode: 0o755, Data: "#!/usr/bin/env node\nvar run = 1\n"},
		"src/private.ts":    {Mode: 0o600, Data: "var private = 1\n"},
		"src/clean.ts":      rig.File("let clean = 1\n"),
		"src/deep/x/y/z.ts": rig.File("var deep = '\t'\n"),

		// Nobody's.
		".git/HEAD":                rig.File("ref: refs/heads/main\n"),
		".git/config":              rig.File("[core]\n"),
		"README.md":                rig.File("var in prose\t\n"),
		"other/file.ts":            rig.File("var unacquired = 1\t\n"),
		"node_modules/x/index.ts":  rig.File("var dependency = 1\t\n"),
		"src/.hidden.ts":           rig.File("var hidden = 1\t\n"),
		"src/.fettlerc.ts":         rig.File("var mine = 1\t\n"),
		"src/logo.png":             rig.File("\x89PNG\r\n\x1a\n\x00var "),
		"src/binary.ts":            rig.File("var binary = '\x00'\t\n"),
		"src/vendor/lib.ts":        rig.File("var vendored = 1\t\n"),
		"src/vendor/deep/more.ts":  {Mode: 0o444, Data: "var vendored = 2\t\n"},
		"src/inside.ts":            rig.Link("app.ts"),
		"src/outside.ts":           rig.Link("../../outside/secret.ts"),
		"src/folder":               rig.Link("../../outside/folder"),
		"src/dangling.ts":          rig.Link("nowhere.ts"),
		"hollow":                   rig.Dir(),
		"sealed":                   {Mode: fs.ModeDir | 0o700},
		"sealed/var var\nvar.ts":   rig.File("var odd = 1\n"),
		"src/sock et/\xff\xfe.ts":  rig.File("var unaddressable = 1\t\n"),
		"src/back\\slash.ts":       rig.File("var unaddressable = 2\t\n"),
		"src/vendor/.fettle-draft": rig.File("a name that isn't fettle's alone\n"),
	}
}

// head is what the pipelines have in common.
const head = `
apiVersion: fettle.dev/v1alpha1
kind: DevPipeline
metadata: {name: crash}
spec:
  source: {persistentVolumeClaim: {claimName: crash}}
  workspace: {acquire: ["src/**/*.ts", package.json]}
  policy: {write: {allow: ["src/**", "src/**/.fettle-*", package.json], deny: ["src/vendor/**"]}}
  engines:
  - name: rewriter
    inline:
      image: registry.example.com/rewriter:1
      versionCommand: [rewriter, --version]
      lints:
      - {extensions: [ts], mode: InPlace, writes: InPlace, fixable: true, scope: ["src/**/*.ts"], command: [rewriter], fixArgs: [--fix]}
  - name: replacer
    inline:
      image: registry.example.com/replacer:1
      formats:
      - {extensions: [ts], mode: InPlace, writes: Replace, scope: ["src/**/*.ts"], command: [replacer]}
  - name: checker
    inline:
      image: registry.example.com/checker:1
      checks:
      - {extensions: [ts], command: [checker], diagnostics: {format: GNU}}
`

// steps of the pipeline, in order; the last four work on disk alone.
var steps = []string{`
  - name: bump
    edit: {path: package.json, edits: [{find: '"1.0.0"', replace: '"1.1.0"'}]}
`, `
  - name: patch
    applyPatch:
      patch: |
        *** Begin Patch
        *** Update File: src/left.ts
        *** Move to: src/swap.ts
        *** Update File: src/right.ts
        *** Move to: src/left.ts
        *** Update File: src/swap.ts
        *** Move to: src/right.ts
        *** Delete File: src/dead.ts
        *** Update File: src/moved.ts
        *** Move to: src/lib/inner/moved.ts
        @@
        -var moved = 'from here'
        +var moved = 'to there'
        *** Delete File: src/over/b.ts
        *** Update File: src/over/a.ts
        *** Move to: src/over/b.ts
        *** Add File: src/fresh/added.ts
        +var added = 1
        *** Update File: src/app.ts
        @@
        -var app = 1	
        +var app = 2	
        *** Update File: src/win.ts
        @@
        -var more = 2 
        +var more = 3 
        *** End Patch
`, `
  - name: save
    write: {}
`, `
  - name: migrate
    run: {command: [codemod], passPaths: {as: None}, scope: ["src/**/*.ts"], needs: [mkdir, rename, delete]}
`, `
  - name: fix
    lint: {fix: true}
`, `
  - name: format
    format: {}
`, `
  - name: judge
    check: {}
`}

// written is the number of the first step after the write.
const written = 3

// pipeline has the steps from first up to but not last. retries is how often a tool is
// started again.
func pipeline(first, last int, retries string) string {
	return head + "  retry: {limit: " + retries + "}\n  steps:" + strings.Join(steps[first:last], "")
}
