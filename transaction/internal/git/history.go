package git

import (
	"context"
	"fmt"
	"strings"
)

// History returns the commits that to has and from hasn't, newest first: those that
// changed path, or all without one. from may be "" for the whole history.
func (r *Repo) History(ctx context.Context, from, to ID, path string) ([]ID, error) {
	args := []string{"--literal-pathspecs", "rev-list", "--first-parent", string(to)}
	if from != "" {
		args = append(args, "^"+string(from))
	}
	if path != "" {
		args = append(args, "--", path)
	} else {
		args = append(args, "--")
	}
	out, err := r.run(ctx, nil, args...)
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	var ids []ID
	for line := range strings.Lines(string(out)) {
		ids = append(ids, ID(strings.TrimSpace(line)))
	}
	return ids, nil
}
