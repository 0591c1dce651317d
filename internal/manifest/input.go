package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/fettle-dev/fettle/internal/fault"
)

// MaxInputBytes is how large a file of manifests may be, and MaxDocumentBytes how large one
// object in it, which is the size of a request that an API server takes.
const (
	MaxInputBytes    = 16 << 20
	MaxDocumentBytes = 3 << 20
)

// Stdin is the name of what came on standard input.
const Stdin = "standard input"

// Input is the text of one file of manifests. Name is how people know it.
type Input struct {
	Name string
	Data []byte
}

// ReadInputs reads files of manifests. The path "-" is stdin. A directory stands for the
// files in it that end in .yaml, .yml or .json, by name; directories in it are left out.
// A file that isn't there is BadArgument (absent).
func ReadInputs(paths []string, stdin io.Reader) ([]Input, error) {
	var inputs []Input
	for _, path := range paths {
		if path == "-" {
			input, err := read(Stdin, stdin)
			if err != nil {
				return nil, err
			}
			inputs = append(inputs, input)
			continue
		}
		files, err := filesAt(path)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			input, err := readFile(file)
			if err != nil {
				return nil, err
			}
			inputs = append(inputs, input)
		}
	}
	return inputs, nil
}

// filesAt returns the files of manifests that a path stands for.
func filesAt(path string) ([]string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.BadArgument, fault.ReasonAbsent, "", "manifest %s: there is no such file", path).
			WithHint("give the path of a YAML or JSON file, of a directory with such files, or - for standard input")
	}
	if err != nil {
		return nil, fmt.Errorf("manifest %s: %w", path, err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("manifests in %s: %w", path, err)
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(e.Name())) {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fault.New(fault.BadArgument, fault.ReasonAbsent, "", "directory %s holds no manifests", path).
			WithHint("manifests are files that end in .yaml, .yml or .json")
	}
	return files, nil
}

func readFile(path string) (Input, error) {
	file, err := os.Open(path)
	if err != nil {
		return Input{}, fmt.Errorf("manifest %s: %w", path, err)
	}
	defer func() { _ = file.Close() }() // it was only read
	return read(path, file)
}

// read reads at most MaxInputBytes.
func read(name string, from io.Reader) (Input, error) {
	data, err := io.ReadAll(io.LimitReader(from, MaxInputBytes+1))
	if err != nil {
		return Input{}, fmt.Errorf("manifest %s: %w", name, err)
	}
	if len(data) > MaxInputBytes {
		return Input{}, fault.New(fault.InvalidPipeline, fault.ReasonBound, "",
			"manifest %s is larger than %d bytes", name, MaxInputBytes).
			WithHint("split it into several files")
	}
	return Input{Name: name, Data: data}, nil
}
