package driver

import (
	"os"
	"path/filepath"

	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/enumerate"
	"github.com/fettle-dev/fettle/internal/gitignore"
	"github.com/fettle-dev/fettle/internal/pipeline"
	"github.com/fettle-dev/fettle/internal/plan"
	"github.com/fettle-dev/fettle/internal/reread"
	"github.com/fettle-dev/fettle/internal/runtime"
	"github.com/fettle-dev/fettle/internal/shim"
)

// Serves is what the drivers can do. A tool that works on the mounted tree can do all
// that it needs there; publishing is not among the steps yet, so a run leaves it out.
func Serves() pipeline.Driver {
	return pipeline.Driver{
		Serves: engine.Driver{
			Needs:    []engine.Need{engine.NeedDelete, engine.NeedMkdir, engine.NeedRename},
			Modes:    []engine.Mode{engine.InPlace},
			Accesses: []engine.Access{engine.Mount},
		},
		Lacks: map[plan.Kind]string{
			plan.KindBlocks: "this build applies no blocks yet: write the change as applyPatch or edit",
		},
	}
}

// Config is what a run needs of its pipeline; the rest is the driver's to add.
func Config(p *pipeline.Pipeline) runtime.Config {
	return runtime.Config{
		Plan: p.Plan, Digest: p.Digest, Warnings: p.Warnings, Engines: p.Engines, Acquire: p.Acquire,
		Containment: reread.ContainmentOption(p.Containment),
		Deadline:    p.Deadline, Timeout: p.Timeout, Retries: p.Retries,
	}
}

// Gitignore asks the git of path, a PATH, about the tree at root; nil if there is no git.
// For a copy without a repository of its own it asks about original, which may lie within
// one.
func Gitignore(root, original, path string) enumerate.Gitignore {
	program, missing := shim.LookUp("git", "/", nil, path)
	if missing != nil {
		return nil
	}
	if info, err := os.Lstat(filepath.Join(root, ".git")); err != nil || !info.IsDir() {
		root = original
	}
	return gitignore.Git{Program: program, Root: root}.Ask
}
