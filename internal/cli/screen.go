package cli

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Escape sequences for a terminal.
const (
	red   = "\x1b[31m"
	green = "\x1b[32m"
	faint = "\x1b[2m"
	plain = "\x1b[0m"
	erase = "\r\x1b[K" // the line that the cursor is in
)

var osRandom io.Reader = rand.Reader

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// colors says whether colours are wanted where there is a terminal: see no-color.org.
func (c *app) colors() bool { return c.Getenv("NO_COLOR") == "" && c.Getenv("TERM") != "dumb" }

// format is the value of -o.
type format string

const (
	formatText format = "text"
	formatJSON format = "json"
	formatYAML format = "yaml"
)

// addFormat gives a command the flag -o.
func addFormat(cmd *cobra.Command, f *format) {
	*f = formatText
	cmd.Flags().VarP(f, "output", "o", "what standard output gets: text, json or yaml")
}

// String implements pflag.Value.
func (f *format) String() string { return string(*f) }

// Type implements pflag.Value.
func (f *format) Type() string { return "format" }

// Set implements pflag.Value.
func (f *format) Set(value string) error {
	switch v := format(value); v {
	case formatText, formatJSON, formatYAML:
		*f = v
		return nil
	default:
		return fmt.Errorf("there is no format %q: give text, json or yaml", value)
	}
}

// print writes a value to standard output, by its JSON form.
func (c *app) print(value any, f format) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if f == formatYAML {
		if data, err = yamlOf(data); err != nil {
			return err
		}
	}
	_, err = c.Stdout.Write(data)
	return err
}

// printDiff writes a unified diff to standard output: as it is into a file or pipe, so
// that others can apply it; on a terminal so that no content can steer that.
func (c *app) printDiff(diff string) error {
	if !c.Terminal.Out {
		_, err := io.WriteString(c.Stdout, diff)
		return err
	}
	var out bytes.Buffer
	for line := range strings.Lines(diff) {
		out.WriteString(c.colored(strings.TrimSuffix(line, "\n")))
		out.WriteByte('\n')
	}
	_, err := c.Stdout.Write(out.Bytes())
	return err
}

func (c *app) colored(line string) string {
	color := ""
	switch {
	case !c.colors():
	case strings.HasPrefix(line, "+"):
		color = green
	case strings.HasPrefix(line, "-"):
		color = red
	case strings.HasPrefix(line, "@@"):
		color = faint
	}
	line = safe(line)
	if color == "" {
		return line
	}
	return color + line + plain
}

// safe returns text with what could steer a terminal made visible. Line feeds and tabs
// stay.
func safe(text string) string {
	steers := func(r rune) bool {
		return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	if !strings.ContainsFunc(text, steers) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if steers(r) {
			quoted := fmt.Sprintf("%+q", string(r))
			b.WriteString(quoted[1 : len(quoted)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
