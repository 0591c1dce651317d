package statedir

import "os"

// The files of a state directory and their mode: nobody else's business.
const (
	indexName = "index"
	packName  = "pack"

	fileMode os.FileMode = 0o600
)
