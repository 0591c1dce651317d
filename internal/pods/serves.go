package pods

import (
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/pipeline"
	"github.com/fettle-dev/fettle/internal/plan"
)

// Serves is what controller and sidecar can do together. A fixer works on the mounted
// tree. Its command is told: the shim is started in place of the image's own, which
// nobody here can read.
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
