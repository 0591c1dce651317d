package image

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"
)

// names returns the paths sorted, so that a directory comes before what is in it.
func (c *Content) names() []string {
	names := make([]string, 0, len(c.entries))
	for name := range c.entries {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Archive writes the tree as a tar archive.
func (c *Content) Archive(w io.Writer) error {
	if c.err != nil {
		return c.err
	}
	archive := tar.NewWriter(w)
	for _, name := range c.names() {
		if err := c.entries[name].write(archive, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return archive.Close()
}

func (e entry) write(archive *tar.Writer, name string) error {
	header := &tar.Header{Name: name, Mode: int64(e.mode &^ fs.ModeType), ModTime: time.Unix(0, 0)}
	switch {
	case e.mode.IsDir():
		header.Typeflag, header.Name = tar.TypeDir, name+"/"
		return archive.WriteHeader(header)
	case e.link != "":
		header.Typeflag, header.Linkname = tar.TypeSymlink, e.link
		return archive.WriteHeader(header)
	case e.from == "":
		header.Typeflag, header.Size = tar.TypeReg, int64(len(e.text))
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		_, err := io.WriteString(archive, e.text)
		return err
	}
	source, err := os.Open(e.from)
	if err != nil {
		return err
	}
	defer source.Close()
	var data bytes.Buffer
	if _, err := data.ReadFrom(source); err != nil {
		return err
	}
	header.Typeflag, header.Size = tar.TypeReg, int64(data.Len())
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err = data.WriteTo(archive)
	return err
}
