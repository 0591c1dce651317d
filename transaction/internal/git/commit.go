package git

import (
	"bytes"
	"fmt"
	"strings"
)

// CommitInfo is what a commit says.
type CommitInfo struct {
	Tree      ID
	Parent    ID     // the first; "" for a root
	Author    string // as Identity renders it
	Committer string
	Message   string
}

// Format returns the commit as an object.
func (c CommitInfo) Format() Object {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", c.Tree)
	if c.Parent != "" {
		fmt.Fprintf(&b, "parent %s\n", c.Parent)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", c.Author, c.Committer, c.Message)
	return Object{Commit, b.Bytes()}
}

// parseCommit reads the bytes of a commit object.
func parseCommit(data []byte) (CommitInfo, error) {
	head, message, _ := strings.Cut(string(data), "\n\n")
	c := CommitInfo{Message: message}
	for line := range strings.SplitSeq(head, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			c.Tree = ID(value)
		case "parent":
			if c.Parent == "" {
				c.Parent = ID(value)
			}
		case "author":
			c.Author = value
		case "committer":
			c.Committer = value
		}
	}
	if !c.Tree.Valid() {
		return CommitInfo{}, fmt.Errorf("the commit object names no tree")
	}
	return c, nil
}

// ReadCommit reads the commit that an ID or a ref names. Without it, or if it is no
// commit, the error says so; it wraps ErrMissing in the first case.
func (r *Repo) ReadCommit(name string) (ID, CommitInfo, error) {
	id, o, err := r.Read(name)
	if err != nil {
		return "", CommitInfo{}, err
	}
	if o.Kind != Commit {
		return "", CommitInfo{}, fmt.Errorf("read %s: is a %s, not a commit", name, o.Kind)
	}
	c, err := parseCommit(o.Data)
	if err != nil {
		return "", CommitInfo{}, fmt.Errorf("read %s: %w", name, err)
	}
	return id, c, nil
}

// Subject returns the first line of the message.
func (c CommitInfo) Subject() string {
	subject, _, _ := strings.Cut(c.Message, "\n")
	return subject
}

// Trailer is a line "key: value" at the end of a message.
type Trailer struct{ Key, Value string }

// Trailers returns the trailers of the message: its last paragraph, if every line of
// it is one and it isn't the first paragraph.
func (c CommitInfo) Trailers() []Trailer {
	body := strings.TrimRight(c.Message, "\n")
	i := strings.LastIndex(body, "\n\n")
	if i < 0 {
		return nil
	}
	var out []Trailer
	for line := range strings.SplitSeq(body[i+2:], "\n") {
		key, value, ok := strings.Cut(line, ": ")
		if !ok || key == "" || strings.ContainsAny(key, " \t") {
			return nil
		}
		out = append(out, Trailer{key, value})
	}
	return out
}

// Trailer returns the value of a trailer, "" if there is none.
func (c CommitInfo) Trailer(key string) string {
	for _, t := range c.Trailers() {
		if t.Key == key {
			return t.Value
		}
	}
	return ""
}

// Message renders a subject and trailers. Values are made one line first.
func Message(subject string, trailers ...Trailer) string {
	var b strings.Builder
	b.WriteString(oneLine(subject) + "\n")
	for i, t := range trailers {
		if i == 0 {
			b.WriteByte('\n')
		}
		b.WriteString(t.Key + ": " + oneLine(t.Value) + "\n")
	}
	return b.String()
}

// oneLine replaces control characters and bytes that aren't UTF-8 by U+FFFD.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
