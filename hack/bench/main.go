// Command bench measures whole runs of fettle against a peer over one generated tree,
// alternating, and prints medians as ratios (docs/performance.md, P5 and P7).
//
// The peer does what a formatter runner that trusts size and modification time does:
// walk and stat, run the formatter in batches, stat again. It reads no file and keeps no
// byte. With it stands treefmt itself, where a binary of that name is in PATH.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/fettle-dev/fettle/internal/corpus"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) > 1 && os.Args[1] == "peer" {
		return peer(os.Args[2:])
	}
	if len(os.Args) > 1 && os.Args[1] == "format" {
		return format(os.Args[2:])
	}
	files := flag.Int("files", 30_000, "files of the generated tree")
	rounds := flag.Int("n", 9, "rounds; each runs every command once, in a drawn order")
	fettle := flag.String("fettle", "bin/fettle", "the fettle to measure")
	check := flag.Bool("check", false, "fail if memory exceeds its budget by a quarter")
	flag.Parse()

	work, err := os.MkdirTemp("", "fettle-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	b, err := prepare(work, *fettle, *files)
	if err != nil {
		return err
	}
	results, err := b.measure(*rounds)
	if err != nil {
		return err
	}
	if err := show(results, *files); err != nil || !*check {
		return err
	}
	return overMemory(results, *files)
}

// bench is a tree and the commands that are measured over it.
type bench struct {
	root     string
	commands []command
}

// command is one row. Peer is the name of the row that it is compared with.
type command struct {
	name string
	peer string
	argv []string
	env  []string
}

func prepare(work, fettle string, files int) (*bench, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if fettle, err = filepath.Abs(fettle); err != nil {
		return nil, err
	}
	b := &bench{root: filepath.Join(work, "tree")}
	if err := os.Mkdir(b.root, 0o755); err != nil {
		return nil, err
	}
	spec := corpus.Gen30k()
	spec.Dirs = max(1, spec.Dirs*files/spec.Files)
	spec.Files = files
	if _, err := corpus.Write(b.root, spec); err != nil {
		return nil, err
	}
	env := append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(work, "state"))
	for _, change := range []string{"0", "100"} { // touch nothing; every hundredth file
		label := map[string]string{"0": "no-op", "100": "1%"}[change]
		for _, steps := range []int{1, 5} {
			manifest := filepath.Join(work, fmt.Sprintf("pipeline-%s-%d.yaml", change, steps))
			if err := os.WriteFile(manifest, pipeline(self, change, steps), 0o600); err != nil {
				return nil, err
			}
			name := fmt.Sprintf("%s, %d steps", label, steps)
			b.commands = append(b.commands,
				command{name: "peer " + name, argv: []string{self, "peer", b.root, fmt.Sprint(steps), self, "format", change}},
				command{name: "fettle " + name, peer: "peer " + name, env: env, argv: []string{fettle, "run", "-f", manifest, "--root", b.root}},
			)
		}
	}
	if _, err := exec.LookPath("treefmt"); errors.Is(err, exec.ErrNotFound) {
		fmt.Println("treefmt isn't in PATH: the peer stands in for it")
	}
	return b, nil
}

// pipeline has so many steps that run the formatter over everything.
func pipeline(self, change string, steps int) []byte {
	text := `apiVersion: fettle.dev/v1alpha1
kind: DevPipeline
metadata: {name: bench}
spec:
  source: {persistentVolumeClaim: {claimName: bench}}
  workspace:
    acquire: ["**"]
    bounds: {maxFiles: 2000000, maxBytesPerFile: 16Mi, maxTotalBytes: 16Gi}
  policy: {read: {allow: ["**"]}, write: {allow: ["**"]}}
  steps:
`
	for i := range steps {
		text += fmt.Sprintf("  - {name: step%d, run: {image: docker.io/fettle/bench:1, command: [%q, format, %q], scope: [\"**\"]}}\n", i, self, change)
	}
	return []byte(text)
}
