package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/blocks"
)

// Host is what a host says about all its stores.
type Host struct {
	Settings
	CanonicalRef string
	MaxSwaps     int
	TempKeep     int
	Config       blocks.Config
	Environ      []string // FETTLE_TMP, FETTLE_OWNER and FETTLE_PRIVATE_DIR count (§ 25.1)
	Now          func() time.Time
}

// Options returns the options of the store of a root, absolute and without links.
func (h Host) Options(root string) (Options, error) {
	o := Options{
		Root: root, CanonicalRef: h.CanonicalRef, MaxSwaps: h.MaxSwaps, TempKeep: h.TempKeep, Wait: h.Wait, Config: h.Config,
		Private: Private(root, h.Environ), DeadOwners: h.DeadOwners, OwnerName: Getenv(h.Environ, "FETTLE_OWNER"),
		Environ: h.Environ, Now: h.Now, Probe: h.Probe,
	}
	if o.Wait == 0 {
		o.Wait = DefaultWait
	}
	var err error
	o.Dir, o.Temp, err = h.paths(root)
	if temp := Getenv(h.Environ, "FETTLE_TMP"); temp != "" {
		o.Temp = absolute(root, temp)
	}
	return o, err
}

// paths returns where the store and the temp files of a root are by default (§ 12.1).
func (h Host) paths(root string) (dir, temp string, err error) {
	if h.Volume == "" {
		base := strings.TrimRight(root, "/")
		return base + ".fettle-git", base + ".fettle-tmp", nil
	}
	below, err := filepath.Rel(h.Volume, root)
	if err != nil {
		return "", "", fmt.Errorf("root %q on volume %q: %w", root, h.Volume, err)
	}
	dir, temp, err = VolumePaths(below)
	return filepath.Join(h.Volume, dir), filepath.Join(h.Volume, temp), err
}

// Getenv returns the value of a variable of an environment.
func Getenv(environ []string, name string) string {
	for _, kv := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}

// Private returns the private directory as a path below root, "" if it lies elsewhere
// (§ 25.1).
func Private(root string, environ []string) string {
	dir := Getenv(environ, "FETTLE_PRIVATE_DIR")
	if dir == "" {
		dir = ".fettle"
	}
	rel, err := filepath.Rel(root, absolute(root, dir))
	if err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, "../") {
		return ""
	}
	return rel
}

// absolute has a relative path count from the root.
func absolute(root, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(root, name)
}

// VolumePaths returns where the store and the temp files of a path on a volume are,
// from the volume's root (§ 12.1). The path lies strictly below that and is not the
// directory that the stores are in.
func VolumePaths(below string) (dir, temp string, err error) {
	clean := strings.Trim(path.Clean("/"+below), "/")
	switch {
	case clean == "" || below == ".." || strings.HasPrefix(below, "../"):
		return "", "", fmt.Errorf("path %q: must lie below the volume's root, so that the store can lie beside it", below)
	case clean == volumeDir || strings.HasPrefix(clean, volumeDir+"/"):
		return "", "", fmt.Errorf("path %q: %s at a volume's root is where the stores are", below, volumeDir)
	}
	sum := sha256.Sum256([]byte(clean))
	base := volumeDir + "/" + hex.EncodeToString(sum[:8])
	return base + "/store", base + "/tmp", nil
}

// volumeDir is the directory of stores at a volume's root.
const volumeDir = ".fettle"
