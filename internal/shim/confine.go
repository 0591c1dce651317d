package shim

import "github.com/fettle-dev/fettle/internal/shim/wire"

// confinement says what will confine the tool (runtime spec §12.5). This build confines
// nothing, so it claims nothing; rules of the kernel would be laid on the locked thread
// here, between the making of the private directories and the first exec.
func confinement() wire.Containment { return wire.Containment{Kind: wire.Declared} }
