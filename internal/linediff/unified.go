package linediff

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/internal/text"
)

// Side is one side of a file's difference. The zero value is a file that isn't there.
type Side struct {
	Path string
	Mode uint32 // permission bits
	Data []byte
}

// context is how many equal lines a hunk shows around its changes.
const context = 3

// AppendUnified appends to out the unified diff from before to after, with the headers
// of git for new, deleted and renamed files, and returns it. git can apply it to the
// bytes of before, unless they or those of after aren't UTF-8: UTF-16 is shown decoded,
// which a line ahead of the headers says, and what is no text is only said to differ.
// Equal sides append nothing.
func AppendUnified(out []byte, before, after Side) []byte {
	if before.Path == after.Path && executable(before) == executable(after) && bytes.Equal(before.Data, after.Data) {
		return out
	}
	oldPath, newPath := before.Path, after.Path
	if oldPath == "" {
		oldPath = newPath
	}
	if newPath == "" {
		newPath = oldPath
	}
	oldText, oldNote, okOld := shown(before)
	newText, newNote, okNew := shown(after)
	out = append(out, oldNote...)
	if newNote != oldNote {
		out = append(out, newNote...)
	}
	out = fmt.Appendf(out, "diff --git %s %s\n", quote("a/"+oldPath), quote("b/"+newPath))
	out = appendHeaders(out, before, after)
	if bytes.Equal(oldText, newText) && oldNote == newNote {
		return out
	}
	if !okOld || !okNew {
		return fmt.Appendf(out, "Binary files %s and %s differ\n", name("a/", before.Path), name("b/", after.Path))
	}
	out = fmt.Appendf(out, "--- %s%s\n", name("a/", before.Path), tab(before.Path))
	out = fmt.Appendf(out, "+++ %s%s\n", name("b/", after.Path), tab(after.Path))
	return appendHunks(out, gitLines(oldText), gitLines(newText))
}

func appendHeaders(out []byte, before, after Side) []byte {
	switch {
	case before.Path == "":
		return fmt.Appendf(out, "new file mode %s\n", gitMode(after))
	case after.Path == "":
		return fmt.Appendf(out, "deleted file mode %s\n", gitMode(before))
	}
	if executable(before) != executable(after) {
		out = fmt.Appendf(out, "old mode %s\nnew mode %s\n", gitMode(before), gitMode(after))
	}
	if before.Path != after.Path {
		out = fmt.Appendf(out, "rename from %s\nrename to %s\n", quote(before.Path), quote(after.Path))
	}
	return out
}

func executable(s Side) bool { return s.Mode&0o100 != 0 }

// gitMode is the mode as git records it: it knows executable files and others.
func gitMode(s Side) string {
	if executable(s) {
		return "100755"
	}
	return "100644"
}

// shown is what a diff shows of a file, and a note if that isn't its bytes.
func shown(s Side) (data []byte, note string, ok bool) {
	decoded, form, ok := text.Decode(s.Data)
	if !ok {
		return s.Data, "", false
	}
	if form.Encoding == text.UTF8 {
		return s.Data, "", true
	}
	note = fmt.Sprintf("# %s is %s; its text is shown in UTF-8\n", quote(s.Path), strings.ToUpper(string(form.Encoding)))
	return []byte(decoded), note, true
}

func appendHunks(out []byte, a, b [][]byte) []byte {
	changes := script(a, b)
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].a-(changes[n-1].a+changes[n-1].lenA) <= 2*context {
			n++
		}
		out = appendHunk(out, a, b, changes[:n])
		changes = changes[n:]
	}
	return out
}

func appendHunk(out []byte, a, b [][]byte, changes []change) []byte {
	first, last := changes[0], changes[len(changes)-1]
	lead := min(context, first.a)
	endA := min(last.a+last.lenA+context, len(a))
	startA, startB := first.a-lead, first.b-lead
	endB := last.b + last.lenB + endA - (last.a + last.lenA)
	out = append(out, "@@ -"...)
	out = appendRange(out, startA, endA-startA)
	out = append(out, " +"...)
	out = appendRange(out, startB, endB-startB)
	out = append(out, " @@\n"...)

	at := startA
	for _, c := range changes {
		out = appendLines(out, ' ', a[at:c.a])
		out = appendLines(out, '-', a[c.a:c.a+c.lenA])
		out = appendLines(out, '+', b[c.b:c.b+c.lenB])
		at = c.a + c.lenA
	}
	return appendLines(out, ' ', a[at:endA])
}

// appendRange writes a range of lines as unified diffs have it: an empty one names the
// line before it.
func appendRange(out []byte, start, length int) []byte {
	if length > 0 {
		start++
	}
	out = strconv.AppendInt(out, int64(start), 10)
	if length != 1 {
		out = append(out, ',')
		out = strconv.AppendInt(out, int64(length), 10)
	}
	return out
}

func appendLines(out []byte, sign byte, list [][]byte) []byte {
	for _, line := range list {
		out = append(out, sign)
		out = append(out, line...)
		if line[len(line)-1] != '\n' {
			out = append(out, "\n\\ No newline at end of file\n"...)
		}
	}
	return out
}
