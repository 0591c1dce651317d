package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// Locate fills in where the store of o.Root and its temp files are, and what a host
// says about its stores. temp is FETTLE_TMP.
func Locate(o Options, set Settings, temp string) (Options, error) {
	o.DeadOwners, o.Wait, o.Probe = set.DeadOwners, set.Wait, set.Probe
	if o.Wait == 0 {
		o.Wait = DefaultWait
	}
	if set.Volume == "" {
		o.Dir, o.Temp = Paths(o.Root, temp)
		return o, nil
	}
	below, err := filepath.Rel(set.Volume, o.Root)
	if err != nil {
		return Options{}, fmt.Errorf("root %q on volume %q: %w", o.Root, set.Volume, err)
	}
	dir, staging, err := VolumePaths(below)
	if err != nil {
		return Options{}, err
	}
	o.Dir, o.Temp = filepath.Join(set.Volume, dir), filepath.Join(set.Volume, staging)
	if temp != "" {
		_, o.Temp = Paths(o.Root, temp)
	}
	return o, nil
}

// VolumePaths returns where the store and the temp files of a path on a volume are,
// from the volume's root (§ 12.1). The path lies strictly below that and is not the
// directory that the stores are in.
func VolumePaths(below string) (dir, temp string, err error) {
	clean := strings.Trim(path.Clean("/"+below), "/")
	switch {
	case clean == "" || strings.HasPrefix(below, "../") || below == "..":
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
