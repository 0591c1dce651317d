// Package image makes the container images of a test cluster from files of this machine and
// imports them into containerd, without a registry or a container engine.
//
// An image is one uncompressed layer. It is imported again only when one of its files, or
// what is said about it, has changed. The package reads the host's files and writes only the
// marks of what it has imported.
package image

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// User is who the images' programs run as when a Pod doesn't say: nobody in particular.
const User = "65532:65532"

// Image is what to make.
type Image struct {
	Ref        string // full name and tag
	Content    *Content
	Entrypoint []string
	Path       string // of the containers' environment
}

// config is what the image says to a container runtime.
func (i Image) config() v1.Config {
	return v1.Config{
		Entrypoint: i.Entrypoint,
		Env:        []string{"PATH=" + i.Path},
		User:       User,
		WorkingDir: "/",
	}
}

// Key returns what changes when the image would: a digest over names, modes, links, texts,
// and the sizes and times of files. It doesn't read the files, so it is quick.
func (i Image) Key() (string, error) {
	if err := i.Content.Err(); err != nil {
		return "", fmt.Errorf("image %s: %w", i.Ref, err)
	}
	digest := sha256.New()
	config, err := json.Marshal(i.config())
	if err != nil {
		return "", err
	}
	fmt.Fprintf(digest, "%q %q\n", i.Ref, config)
	for _, name := range i.Content.names() {
		e := i.Content.entries[name]
		fmt.Fprintf(digest, "%q %o %q %q %q %d %d\n", name, e.mode, e.link, e.text, e.from, e.size, e.mtime.UnixNano())
	}
	return hex.EncodeToString(digest.Sum(nil)), nil
}

// Write writes the image as an archive that container runtimes import.
func (i Image) Write(w io.Writer) error {
	tag, err := name.NewTag(i.Ref, name.StrictValidation)
	if err != nil {
		return err
	}
	built, err := i.build()
	if err != nil {
		return fmt.Errorf("image %s: %w", i.Ref, err)
	}
	if err := tarball.Write(tag, built, w); err != nil {
		return fmt.Errorf("image %s: %w", i.Ref, err)
	}
	return nil
}

func (i Image) build() (v1.Image, error) {
	var layer bytes.Buffer
	if err := i.Content.Archive(&layer); err != nil {
		return nil, err
	}
	built, err := mutate.AppendLayers(empty.Image, static.NewLayer(layer.Bytes(), types.DockerUncompressedLayer))
	if err != nil {
		return nil, err
	}
	file, err := built.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.OS, file.Architecture = "linux", runtime.GOARCH
	file.Config = i.config()
	return mutate.ConfigFile(built, file)
}
