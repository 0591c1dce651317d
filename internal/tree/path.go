package tree

import "strings"

// Root is the path of the root directory.
const Root = "."

// Valid reports whether path may be asked of a Tree: relative, slash-separated, not
// empty, without NUL and without empty, "." and ".." segments. Bytes that aren't UTF-8
// are fine, for a directory may hold such names. Root isn't valid by itself.
func Valid(path string) bool {
	if path == "" || strings.IndexByte(path, 0) >= 0 {
		return false
	}
	start := 0
	for i := 0; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		if seg := path[start:i]; seg == "" || seg == "." || seg == ".." {
			return false
		}
		start = i + 1
	}
	return true
}

// Split returns the parent directory of a valid path (Root where it has one segment)
// and its last segment.
func Split(path string) (dir, name string) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return Root, path
	}
	return path[:i], path[i+1:]
}
