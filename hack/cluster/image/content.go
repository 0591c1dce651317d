package image

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Content is the file tree of an image. Its archive is the same whenever the files are:
// sorted, owned by root, without times. The first error of an addition is kept and returned
// by Err, so that a tree can be declared line by line.
type Content struct {
	entries map[string]entry
	err     error
}

// entry is a directory, a link, a text or a file of the host.
type entry struct {
	mode  fs.FileMode // type and permission bits
	link  string      // target of a symbolic link
	text  string      // content of a text
	from  string      // file of the host
	size  int64       // of that file
	mtime time.Time   // of that file
}

// NewContent returns a tree that has what every image needs: the links of a merged /usr, a
// writable /tmp, and names for root and the user of our Pods.
func NewContent() *Content {
	c := &Content{entries: map[string]entry{}}
	for _, dir := range merged {
		c.entries[dir] = entry{mode: fs.ModeSymlink | 0o777, link: "usr/" + dir}
		c.Dir("/usr/"+dir, 0o755)
	}
	c.Dir("/tmp", 0o1777)
	c.Dir("/home/nonroot", 0o777)
	c.Text("/etc/passwd", "root:x:0:0:root:/root:/bin/sh\nnonroot:x:65532:65532:nonroot:/home/nonroot:/bin/sh\n")
	c.Text("/etc/group", "root:x:0:\nnonroot:x:65532:\n")
	c.Text("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n")
	return c
}

// Err returns what went wrong first.
func (c *Content) Err() error { return c.err }

// merged are links to their namesakes below /usr.
var merged = []string{"bin", "lib", "lib64", "sbin"}

// place turns a path of the host into one of the image, where /usr is merged.
func place(name string) string {
	name = strings.TrimPrefix(path.Clean("/"+name), "/")
	first, _, _ := strings.Cut(name, "/")
	if slices.Contains(merged, first) && first != name {
		return "usr/" + name
	}
	return name
}

func (c *Content) add(name string, e entry) {
	name = place(name)
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, there := c.entries[dir]; !there {
			c.entries[dir] = entry{mode: fs.ModeDir | 0o755}
		}
	}
	c.entries[name] = e
}

func (c *Content) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// Dir adds a directory; mode may have the sticky bit as in 0o1777.
func (c *Content) Dir(name string, mode uint32) {
	c.add(name, entry{mode: fs.ModeDir | fs.FileMode(mode)})
}

// Text adds a readable file.
func (c *Content) Text(name, text string) { c.add(name, entry{mode: 0o644, text: text}) }

// Link adds a symbolic link.
func (c *Content) Link(name, target string) {
	c.add(name, entry{mode: fs.ModeSymlink | 0o777, link: target})
}

// File adds a file of the host, which may be a link to it.
func (c *Content) File(name, from string) {
	info, err := os.Stat(from)
	if err != nil {
		c.fail(err)
		return
	}
	if !info.Mode().IsRegular() {
		c.fail(fmt.Errorf("%s: not a regular file", from))
		return
	}
	c.add(name, file(from, info))
}

func file(from string, info fs.FileInfo) entry {
	return entry{mode: info.Mode().Perm(), from: from, size: info.Size(), mtime: info.ModTime()}
}

// Program adds a program of the host and the shared libraries that it needs.
func (c *Content) Program(name, from string) {
	c.File(name, from)
	needs, err := libraries(from)
	if err != nil {
		c.fail(err)
	}
	for _, library := range needs {
		c.File(library, library)
	}
}

// Tree adds a directory of the host with all below it, links as they are. Names in skip are
// left out wherever they are.
func (c *Content) Tree(name, from string, skip ...string) {
	err := filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if slices.Contains(skip, d.Name()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		below, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return c.addAny(path.Join(name, filepath.ToSlash(below)), p, info)
	})
	if err != nil {
		c.fail(err)
	}
}

func (c *Content) addAny(name, from string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		c.Dir(name, uint32(info.Mode().Perm()))
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		c.Link(name, target)
	case info.Mode().IsRegular():
		c.add(name, file(from, info))
	default:
		return fmt.Errorf("%s: %v doesn't belong in an image", from, info.Mode().Type())
	}
	return nil
}
