package image

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// libraries returns the paths of the shared libraries that a program needs, directly or not,
// and of its loader. A static program and a script need none.
func libraries(program string) ([]string, error) {
	dirs, err := libraryDirs()
	if err != nil {
		return nil, err
	}
	var found []string
	pending := []string{program}
	for len(pending) > 0 {
		object := pending[0]
		pending = pending[1:]
		needs, err := needed(object, dirs)
		if err != nil {
			return nil, fmt.Errorf("libraries of %s: %w", program, err)
		}
		for _, library := range needs {
			if !slices.Contains(found, library) {
				found = append(found, library)
				pending = append(pending, library)
			}
		}
	}
	slices.Sort(found)
	return found, nil
}

// libraryDirs returns where the loader of a Debian or a plainer system looks.
func libraryDirs() ([]string, error) {
	var dirs []string
	for _, pattern := range []string{"/lib/*-linux-gnu", "/usr/lib/*-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"} {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, matches...)
	}
	return dirs, nil
}

// needed returns the loader and the libraries that one object names.
func needed(object string, dirs []string) ([]string, error) {
	binary, err := open(object)
	if errors.Is(err, errNotELF) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = binary.Close() }()
	var paths []string
	for _, segment := range binary.Progs {
		if segment.Type != elf.PT_INTERP {
			continue
		}
		loader, err := io.ReadAll(segment.Open())
		if err != nil {
			return nil, err
		}
		paths = append(paths, string(bytes.TrimRight(loader, "\x00")))
	}
	names, err := binary.ImportedLibraries()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		library, err := find(name, binary.Machine, dirs)
		if err != nil {
			return nil, err
		}
		paths = append(paths, library)
	}
	return paths, nil
}

var errNotELF = errors.New("not an ELF object")

// open opens an ELF object, or says that the file is none.
func open(path string) (*elf.File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	magic := make([]byte, len(elf.ELFMAG))
	_, err = io.ReadFull(file, magic)
	file.Close()
	if err != nil || string(magic) != elf.ELFMAG {
		return nil, errNotELF
	}
	return elf.Open(path)
}

// find returns the first library of that name for that machine.
func find(name string, machine elf.Machine, dirs []string) (string, error) {
	for _, dir := range dirs {
		candidate := filepath.Join(dir, name)
		library, err := open(candidate)
		if err != nil {
			continue
		}
		fits := library.Machine == machine
		_ = library.Close()
		if fits {
			return candidate, nil
		}
	}
	return "", fmt.Errorf("%s: not found in %q", name, dirs)
}
