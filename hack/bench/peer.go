package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// peer walks and stats a tree, runs a formatter over it in batches, and stats again, so
// many times: peer ROOT STEPS FORMATTER ARG…
func peer(args []string) error {
	root := args[0]
	steps, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	for range steps {
		if err := peerStep(root, args[2:]); err != nil {
			return err
		}
	}
	return nil
}

type stamp struct {
	size  int64
	mtime time.Time
}

func peerStep(root string, formatter []string) error {
	before := map[string]stamp{}
	var paths []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		paths = append(paths, rel)
		before[rel] = stamp{info.Size(), info.ModTime().Truncate(time.Second)}
		return nil
	})
	if err != nil {
		return err
	}
	const batch = 1024
	for len(paths) > 0 {
		n := min(batch, len(paths))
		cmd := exec.Command(formatter[0], append(formatter[1:len(formatter):len(formatter)], paths[:n]...)...)
		cmd.Dir, cmd.Stderr = root, os.Stderr
		if err := cmd.Run(); err != nil {
			return err
		}
		paths = paths[n:]
	}
	changed := 0
	for path, was := range before {
		info, err := os.Lstat(filepath.Join(root, path))
		if err != nil {
			return err
		}
		if is := (stamp{info.Size(), info.ModTime().Truncate(time.Second)}); is != was {
			changed++
		}
	}
	fmt.Println(changed, "changed")
	return nil
}

// format stands for a formatter: it rewrites in place each file whose name's checksum is
// a multiple of n, and none if n is 0: format N PATH…
func format(args []string) error {
	n, err := strconv.Atoi(args[0])
	if err != nil || n == 0 {
		return err
	}
	for _, path := range args[1:] {
		sum := 0
		for _, c := range []byte(path) {
			sum += int(c)
		}
		if sum%n != 0 {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, append(data, "formatted\n"...), 0o644); err != nil {
			return err
		}
	}
	return nil
}
