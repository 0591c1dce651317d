package runtime

import (
	"context"

	"github.com/fettle-dev/fettle/internal/gate"
)

// Gate asks whoever decides about a step (spec §10). It may take as long as it likes.
type Gate interface {
	// Decide returns the decisions that there are about a payload. Returning none that
	// names its digest leaves the run where it is: it can be resumed later.
	Decide(ctx context.Context, payload gate.Payload, digest string) ([]gate.Decision, error)
}
