//go:build cluster

package smoke

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/hack/cluster/image"
)

func contains(t *testing.T, got string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
}

func TestToolsFormatFilesOnAClaim(t *testing.T) {
	n := newNamespace(t)
	n.claim("work", nil)
	n.succeed(pod("messy", nonroot, "work", shell("a",
		"cd /work; echo 'const  a  = 1' >a.ts; printf 'package a\nfunc  f( ) {}\n' >a.go")))
	n.succeed(pod("format", nonroot, "work",
		container("prettier", image.Node, "prettier", "--write", "/work/a.ts"),
		container("gofmt", image.Go, "gofmt", "-w", "/work/a.go")))
	got := n.succeed(pod("clean", nonroot, "work", shell("a", "cat /work/a.ts /work/a.go")))["a"]
	if want := "const a = 1;\npackage a\n\nfunc f() {}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestESLintAndTSCWorkOnTypeScript(t *testing.T) {
	for name, who := range map[string]identity{"as 65532": nonroot, "as a high UID in group 0": assigned} {
		t.Run(name, func(t *testing.T) {
			n := newNamespace(t)
			// The project's own configuration imports the parser: it is found above the tree.
			const config = `import parser from "@typescript-eslint/parser";
export default [{files: ["**/*.ts"], languageOptions: {parser}, rules: {"prefer-const": "error"}}];`
			got := n.succeed(pod("check", who, "", shell("a", `cd /work
cat >eslint.config.mjs <<'END'
`+config+`
END
echo 'let a: number = 1; console.log(a)' >a.ts
eslint --fix a.ts; cat a.ts
echo 'const b: string = 1' >b.ts
tsc --noEmit b.ts || echo "tsc says $?"`)))["a"]
			contains(t, got, "const a: number = 1", "error TS2322", "tsc says")
		})
	}
}

func TestTheFettleImageHasItsProgramsAndGit(t *testing.T) {
	for name, who := range map[string]identity{"as 65532": nonroot, "as a high UID in group 0": assigned} {
		t.Run(name, func(t *testing.T) {
			n := newNamespace(t)
			script := container("a", image.Fettle, "sh", "-euc", `cd /work
git init -q --bare origin.git
git clone -q origin.git tree 2>&1
cd tree
git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m first
git push -q origin HEAD:main
git ls-remote origin
git ls-remote https://127.0.0.1:1/none 2>&1 || true
fettle version
test -x /usr/local/bin/fettle-shim`)
			got := n.succeed(pod("git", who, "", script))["a"]
			// The helper for HTTPS is there when it is the connection that fails.
			contains(t, got, "refs/heads/main", "Failed to connect to 127.0.0.1", "fettle")
			if strings.Contains(got, "not a git command") || strings.Contains(got, "remote helper") {
				t.Errorf("got %q, want the HTTPS helper to be found", got)
			}
		})
	}
}

// ssh knows only users that /etc/passwd has: a high UID can't use it.
func TestTheFettleImageHasSSHForItsOwnUser(t *testing.T) {
	n := newNamespace(t)
	got := n.succeed(pod("ssh", nonroot, "", container("a", image.Fettle, "sh", "-c", "ssh -V 2>&1")))["a"]
	contains(t, got, "OpenSSH")
}

func TestAnImageRunsAsNobodyInParticularUnlessToldOtherwise(t *testing.T) {
	n := newNamespace(t)
	got := n.succeed(pod("default", identity{}, "", shell("a", "id")))["a"]
	contains(t, got, "uid=65532(nonroot) gid=65532(nonroot)")
}
