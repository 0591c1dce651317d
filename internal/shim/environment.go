package shim

import (
	"strings"

	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// defaultPath is PATH where neither the request nor the container names one.
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// environment returns the tool's whole environment: nothing of ours but PATH, so that a
// tool does the same on every machine; private places for what it writes on the side;
// and last what the request names, each key once.
func environment(r *wire.Request, path string) []string {
	if path == "" {
		path = defaultPath
	}
	pairs := []string{
		"PATH=" + path,
		"LANG=C.UTF-8",
		"LC_ALL=C.UTF-8",
		"TZ=UTC",
		"NO_COLOR=1",

		"HOME=" + r.Home,
		"TMPDIR=" + r.Tmp,
		"XDG_CACHE_HOME=" + r.Cache,
		"XDG_CONFIG_HOME=" + r.Home + "/.config",
		"XDG_DATA_HOME=" + r.Home + "/.local/share",
		"XDG_STATE_HOME=" + r.Home + "/.local/state",

		// Caches that don't ask XDG_CACHE_HOME, or would land in the tree.
		"GOCACHE=" + r.Cache + "/go-build",
		"GOMODCACHE=" + r.Cache + "/go-mod",
		"npm_config_cache=" + r.Cache + "/npm",
		"YARN_CACHE_FOLDER=" + r.Cache + "/yarn",
		"PIP_CACHE_DIR=" + r.Cache + "/pip",
		"PYTHONPYCACHEPREFIX=" + r.Cache + "/python",
		"RUFF_CACHE_DIR=" + r.Cache + "/ruff",
		"MYPY_CACHE_DIR=" + r.Cache + "/mypy",

		// No configuration from elsewhere, no download, no question, no news.
		"GOENV=off",
		"GOTOOLCHAIN=local",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_TERMINAL_PROMPT=0",
		"npm_config_update_notifier=false",
		"NO_UPDATE_NOTIFIER=1",
	}
	pairs = append(pairs, r.Env...)
	if r.Marker != "" {
		pairs = append(pairs, wire.MarkerEnv+"="+r.Marker)
	}
	return lastOfEach(pairs)
}

// lastOfEach keeps the last pair of each key, at the place of the first.
func lastOfEach(pairs []string) []string {
	at := make(map[string]int, len(pairs))
	kept := pairs[:0:0]
	for _, kv := range pairs {
		key, _, _ := strings.Cut(kv, "=")
		if i, ok := at[key]; ok {
			kept[i] = kv
			continue
		}
		at[key] = len(kept)
		kept = append(kept, kv)
	}
	return kept
}

// value returns the value of key in pairs, "" if it isn't there.
func value(pairs []string, key string) string {
	for i := len(pairs) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(pairs[i], key+"="); ok {
			return v
		}
	}
	return ""
}
