package store

import "time"

// Setting changes how the stores of a host are opened.
type Setting func(*Settings)

// Settings are what a host may say about its stores.
type Settings struct {
	DeadOwners []string      // owners of other hosts that are known to be dead (§ 14.2)
	Volume     string        // the volume that roots lie on (§ 12.1), "" for none
	Wait       time.Duration // how long to contend; 0: DefaultWait
	Probe      Probe         // for tests
}

// DefaultWait bounds waiting for the lock and for swaps (§ 14.3).
const DefaultWait = 30 * time.Second
