package local

import (
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/pipeline"
	"github.com/fettle-dev/fettle/internal/plan"
)

// Serves is what this driver can do. A tool that works on the mounted tree can do all
// that it needs there; publishing is the cluster's, so a run here leaves it out.
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
