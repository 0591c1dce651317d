package git

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Role is whom an identity is for.
type Role string

// The roles of a commit.
const (
	Author    Role = "AUTHOR"
	Committer Role = "COMMITTER"
)

// Identity returns who commits, as a commit says it: from the environment, otherwise
// fettle <fettle@localhost> (§ 12.5).
func (r *Repo) Identity(ctx context.Context, role Role, now time.Time) (string, error) {
	prefix := "GIT_" + string(role)
	name := clean(r.Getenv(prefix + "_NAME"))
	email := clean(r.Getenv(prefix + "_EMAIL"))
	if r.Getenv(prefix+"_DATE") != "" {
		return r.datedIdentity(ctx, role, name, email)
	}
	return FormatIdentity(name, email, now), nil
}

// FormatIdentity renders a name, an address and a time. Empty ones are fettle's.
func FormatIdentity(name, email string, now time.Time) string {
	if name == "" {
		name = "fettle"
	}
	if email == "" {
		email = "fettle@localhost"
	}
	return fmt.Sprintf("%s <%s> %d %s", name, email, now.Unix(), now.Format("-0700"))
}

// datedIdentity has git read a date, of which it knows many forms.
func (r *Repo) datedIdentity(ctx context.Context, role Role, name, email string) (string, error) {
	c := call{dir: r.dir, env: append(r.env[:len(r.env):len(r.env)],
		"GIT_"+string(role)+"_NAME="+either(name, "fettle"), "GIT_"+string(role)+"_EMAIL="+either(email, "fettle@localhost")),
		args: []string{"var", "GIT_" + string(role) + "_IDENT"}}
	out, err := runGit(ctx, c)
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// clean takes out of a name what can't stand in a commit.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '<' || r == '>' || r < ' ' || r == 0x7F {
			return -1
		}
		return r
	}, s)
	return strings.Trim(s, " .,:;\"\\'")
}

func either(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}
