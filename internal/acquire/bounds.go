package acquire

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// DecodeBounds reads a pipeline's bounds from JSON; what isn't given has its default
// (spec §7.2). Errors are *fault.Error of kind InvalidPipeline with the key as path:
// unknown-key, or bound for what is no integer from 1 on.
func DecodeBounds(raw []byte) (workspace.Bounds, error) {
	b := workspace.DefaultBounds()
	if len(raw) == 0 {
		return b, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return b, fault.New(fault.InvalidPipeline, fault.ReasonType, "bounds", "bounds are an object").WithCause(err).
			WithHint("write maxFiles, maxBytesPerFile, maxTotalBytes or maxDepth with a number")
	}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		if err := setBound(&b, key, members[key]); err != nil {
			return b, err
		}
	}
	return b, nil
}

func setBound(b *workspace.Bounds, key string, raw json.RawMessage) error {
	n, err := decodeBound(key, raw)
	switch key {
	case "maxFiles":
		b.MaxFiles = int(n)
	case "maxBytesPerFile":
		b.MaxBytesPerFile = n
	case "maxTotalBytes":
		b.MaxTotalBytes = n
	case "maxDepth":
		b.MaxDepth = int(n)
	default:
		return fault.New(fault.InvalidPipeline, fault.ReasonUnknownKey, key, "bounds have no such key").
			WithHint("the keys are maxFiles, maxBytesPerFile, maxTotalBytes and maxDepth")
	}
	return err
}

func decodeBound(key string, raw json.RawMessage) (int64, error) {
	var n int64
	if err := json.Unmarshal(raw, &n); err != nil || n < 1 {
		return 0, fault.New(fault.InvalidPipeline, fault.ReasonBound, key, "a bound is an integer from 1 on, not %s", raw).
			WithHint("leave the bound out for its default")
	}
	return n, nil
}
