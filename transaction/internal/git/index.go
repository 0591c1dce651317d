package git

import (
	"context"
	"strings"
)

// Index is an index to be listed.
type Index struct {
	Repo    string // a bare repository of the caller's, with the index's hash
	File    string
	Objects string // a directory with the objects that the index may need
	Environ []string
}

// ListIndex lists an index: "mode id stage", a tab, the path and a NUL for each entry.
func ListIndex(ctx context.Context, i Index) (string, error) {
	// A value in quotes may hold the colon that separates directories.
	alternates := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(i.Objects) + `"`
	out, err := runGit(ctx, call{
		dir: i.Repo,
		env: append(Environ(i.Environ), "GIT_DIR="+i.Repo, "GIT_COMMON_DIR="+i.Repo, "GIT_INDEX_FILE="+i.File,
			"GIT_ALTERNATE_OBJECT_DIRECTORIES="+alternates),
		args: []string{"ls-files", "-z", "--cached", "--stage"},
	})
	return string(out), err
}
