package local

import (
	"fmt"
	"io"
)

// The letters of a run's own part: no vowels, so no words; no look-alikes.
const letters = "bcdfghjklmnpqrstvwxz2456789"

// RunName returns a name for one run of a pipeline: its name, a dash, six characters
// drawn from random.
func RunName(pipeline string, random io.Reader) (string, error) {
	var b [6]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("draw a run's name: %w", err)
	}
	for i := range b {
		b[i] = letters[int(b[i])%len(letters)]
	}
	return pipeline + "-" + string(b[:]), nil
}
