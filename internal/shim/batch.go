package shim

import (
	"strings"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// batchBytes is how much of the argument space paths may take. It is far below what
// Linux gives by default (2 MiB), so that the same paths make the same batches on every
// machine whatever its environment.
const batchBytes = 1 << 20

// maxString is the longest argument that execve takes, with its NUL: MAX_ARG_STRLEN.
const maxString = 128 << 10

// argMargin is room for what the kernel adds: the name of the program, that of its
// interpreter and its argument, the auxiliary vector.
const argMargin = 16 << 10

// argumentSpace returns how many bytes the kernel gives to arguments and environment
// together: a quarter of the stack's limit, at most 6 MiB, at least 128 KiB.
func argumentSpace() int {
	var stack unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_STACK, &stack); err != nil {
		return maxString
	}
	return int(max(128<<10, min(stack.Cur/4, 6<<20)))
}

// footprint is what a string takes of the argument space: itself, its NUL, its pointer.
func footprint(s string) int { return len(s) + 1 + 8 }

func footprints(list []string) int {
	n := 0
	for _, s := range list {
		n += footprint(s)
	}
	return n
}

// batches splits paths into runs of the tool, in order, each within space along with
// fixed arguments and environment. There is always one, of no paths if there are none.
// A failure's cause is TooLong: an argument that no batch can hold.
func batches(fixed, env, paths []string, space int) ([][]string, *wire.Failure) {
	for _, list := range [][]string{fixed, env, paths} {
		for _, s := range list {
			if len(s) >= maxString {
				return nil, tooLong(s)
			}
		}
	}
	room := min(batchBytes, space-argMargin-footprints(fixed)-footprints(env))
	if room < 0 {
		return nil, tooLong(strings.Join(fixed, " "))
	}
	var all [][]string
	start, used := 0, 0
	for i, p := range paths {
		need := footprint(p)
		if need > room {
			return nil, tooLong(p)
		}
		if used+need > room {
			all = append(all, paths[start:i])
			start, used = i, 0
		}
		used += need
	}
	return append(all, paths[start:]), nil
}

func tooLong(s string) *wire.Failure {
	const shown = 80
	if len(s) > shown {
		s = strings.ToValidUTF8(s[:shown], "") + "…"
	}
	return &wire.Failure{Cause: wire.TooLong, Errno: "E2BIG", Message: "an argument exceeds what the system allows: " + s}
}

// arguments returns how paths stand in a command line. One that would read as an option
// gets "./" in front where no separator ends the options.
func arguments(paths []string, separator string) []string {
	if separator != "" {
		return paths
	}
	list := make([]string, len(paths))
	for i, p := range paths {
		if strings.HasPrefix(p, "-") {
			p = "./" + p
		}
		list[i] = p
	}
	return list
}
