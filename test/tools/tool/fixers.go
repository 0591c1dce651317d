package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// rewriter rewrites its paths where they are: "var " becomes "let ", and the last line
// gets its end. Without --fix it only looks. A text never becomes shorter and is written
// by one call, so that no kill leaves a part of it.
func rewriter(args []string) (int, error) {
	fix := false
	for _, path := range args {
		switch path {
		case "--version":
			fmt.Println("rewriter 1.0")
			return 0, nil
		case "--fix":
			fix = true
			continue
		}
		old, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		text := bytes.ReplaceAll(old, []byte("var "), []byte("let "))
		if len(text) > 0 && text[len(text)-1] != '\n' {
			text = append(text, '\n')
		}
		if !fix || bytes.Equal(text, old) {
			continue
		}
		if err := overwrite(path, text); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

func overwrite(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(text, 0)
	return errors.Join(err, f.Close())
}

// replacer replaces its paths by new files: tabs become two spaces, and space at the ends
// of lines goes. A kill leaves a hidden file beside them, which the next call takes over.
func replacer(paths []string) (int, error) {
	for _, path := range paths {
		old, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		text := format(string(old))
		if text == string(old) {
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return 0, err
		}
		beside := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".replacer")
		if err := os.WriteFile(beside, []byte(text), info.Mode().Perm()); err != nil {
			return 0, err
		}
		if err := errors.Join(os.Chmod(beside, info.Mode().Perm()), os.Rename(beside, path)); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

func format(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		body := strings.TrimRight(line, "\r\n")
		end := line[len(body):]
		out.WriteString(strings.TrimRight(strings.ReplaceAll(body, "\t", "  "), " "))
		out.WriteString(end)
	}
	return out.String()
}

// codemod brings src up to date: one file moves, one goes, one is made. Whatever it finds
// done already it leaves.
func codemod([]string) (int, error) {
	if err := os.Mkdir("src/modern", 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return 0, err
	}
	if err := os.Rename("src/legacy.ts", "src/modern/legacy.ts"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	if err := os.Remove("src/obsolete.ts"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	return 0, os.WriteFile("src/generated.ts", []byte("export const made = 'by the codemod'\n"), 0o644)
}

// checker finds a warning in every line with TODO.
func checker(paths []string) (int, error) {
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		n := 0
		for line := range strings.Lines(string(data)) {
			if n++; strings.Contains(line, "TODO") {
				fmt.Printf("%s:%d: warning: there is something to do\n", path, n)
			}
		}
	}
	return 0, nil
}
