package git

import (
	"slices"
	"strings"
)

// identity are the variables of Git that reach it: who authors and commits (§ 12.2).
var identity = []string{
	"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE",
	"GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE",
}

// Environ returns the environment of a call of git: the inherited one without Git's
// variables but those of identity, and without configuration, prompts, pagers,
// replaced objects and transports.
func Environ(inherited []string) []string {
	env := make([]string, 0, len(inherited)+12)
	for _, kv := range inherited {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "GIT_") && !slices.Contains(identity, name) || name == "LC_ALL" || name == "LANGUAGE" {
			continue
		}
		env = append(env, kv)
	}
	return append(env,
		"LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_ASKPASS=false",
		"GIT_PAGER=cat",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=none",
		"GIT_PROTOCOL_FROM_USER=0",
	)
}

// settings come before every command. They win over whatever a repository says.
var settings = []string{
	"--no-pager",
	"-c", "core.hooksPath=/dev/null",
	"-c", "core.fsmonitor=false",
	"-c", "core.attributesFile=/dev/null",
	"-c", "core.excludesFile=/dev/null",
	"-c", "core.fsync=loose-object,pack,pack-metadata,reference",
	"-c", "core.fsyncMethod=batch",
	"-c", "core.logAllRefUpdates=false",
	"-c", "core.multiPackIndex=true",
	"-c", "gc.auto=0",
	"-c", "maintenance.auto=false",
	"-c", "protocol.allow=never",
	"-c", "protocol.ext.allow=never",
	"-c", "safe.directory=*",
	"-c", "submodule.recurse=false",
}

// lookup returns the value of a variable of an environment.
func lookup(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}
