package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/gate"
	"github.com/fettle-dev/fettle/internal/report"
)

// prompt decides about gates: by the digests that were given, else by asking whoever
// sits at the terminal, else not at all.
type prompt struct {
	*app
	flags  runFlags
	screen *progress
	lines  chan string // of standard input; nil until somebody is asked
	unused []string    // digests that were given and that no gate of this process had
}

func (c *app) newGate(f runFlags, screen *progress) *prompt {
	return &prompt{app: c, flags: f, screen: screen, unused: slices.Clone(f.approvals)}
}

// Decide implements runtime.Gate.
func (p *prompt) Decide(ctx context.Context, payload gate.Payload, digest string) ([]gate.Decision, error) {
	if slices.Contains(p.flags.approvals, digest) {
		p.unused = slices.DeleteFunc(p.unused, func(given string) bool { return given == digest })
		return []gate.Decision{{Digest: digest, Approved: true, By: p.who()}}, nil
	}
	text, err := readable(payload)
	if err != nil {
		return nil, err
	}
	p.screen.clear()
	fmt.Fprintf(p.Stderr, "Gate: %s\n%s  digest: %s\n", title(payload), text, digest)
	if !p.Terminal.In || !p.Terminal.Err || slices.Contains(p.flags.files, "-") {
		return nil, nil
	}
	return p.ask(ctx, digest)
}

// ask puts the question until there is an answer. Whoever gives none may do so later.
func (p *prompt) ask(ctx context.Context, digest string) ([]gate.Decision, error) {
	for {
		fmt.Fprint(p.Stderr, "Approve? [y]es, [n]o, [l]ater: ")
		answer, ok := p.line(ctx)
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "y", "yes":
			return []gate.Decision{{Digest: digest, Approved: true, By: p.who()}}, nil
		case "n", "no":
			fmt.Fprint(p.Stderr, "Why not? (may be empty): ")
			note, _ := p.line(ctx)
			return []gate.Decision{{Digest: digest, By: p.who(), Note: strings.TrimSpace(note)}}, nil
		case "l", "later":
			return nil, nil
		}
		if !ok {
			fmt.Fprintln(p.Stderr)
			return nil, ctx.Err()
		}
	}
}

// line reads a line of standard input; it isn't ok at its end, or when ctx ends.
func (p *prompt) line(ctx context.Context) (text string, ok bool) {
	if p.lines == nil {
		p.lines = make(chan string)
		go func() {
			defer close(p.lines)
			for in := bufio.NewScanner(p.Stdin); in.Scan(); {
				p.lines <- in.Text()
			}
		}()
	}
	select {
	case text, ok = <-p.lines:
		return text, ok
	case <-ctx.Done():
		return "", false
	}
}

// who decides, for the report.
func (p *prompt) who() string {
	return cmp.Or(p.Getenv("USER"), p.Getenv("LOGNAME"), "whoever ran fettle")
}

// explain says how to go on with a run that waits.
func (p *prompt) explain(w report.Waiting) {
	if len(p.unused) > 0 {
		fmt.Fprintln(p.Stderr, "The approval that was given is void: it is about another state than the present one.")
	}
	what := "before the acquisition"
	if w.Step >= 0 {
		what = fmt.Sprintf("before step %d, %s", w.Step+1, report.Printable(w.Name))
	}
	fmt.Fprintf(p.Stderr, "The run waits for an approval %s.\n  digest: %s\n  to approve and go on: %s\n", what, w.Digest, p.flags.again(w.Digest))
}

// title says which step a payload is about.
func title(payload gate.Payload) string {
	if payload.Index == gate.Acquire {
		return "acquire the files of the workspace"
	}
	return fmt.Sprintf("step %d, %s", payload.Index+1, report.Printable(payload.Step))
}

// readable renders the whole of a payload, by its JSON form, absent lists as empty ones.
// YAML quotes what could steer a terminal.
func readable(payload gate.Payload) (string, error) {
	if payload.Targets == nil {
		payload.Targets = []string{}
	}
	if payload.Engines == nil {
		payload.Engines = []gate.Engine{}
	}
	data, err := json.Marshal(payload)
	if err != nil {
		return "", err
	}
	if data, err = yamlOf(data); err != nil {
		return "", err
	}
	var b strings.Builder
	for line := range strings.Lines(string(data)) {
		b.WriteString("  " + line)
	}
	return safe(b.String()), nil
}
