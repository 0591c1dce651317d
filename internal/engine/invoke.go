package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/internal/fault"
)

// exec judges how a tool is invoked, and fills in defaults.
func (v Invoke) exec(at place) (Exec, error) {
	x := Exec{
		Command:     slices.Clone(v.Command),
		Args:        slices.Clone(v.Args),
		FixArgs:     slices.Clone(v.FixArgs),
		Paths:       v.Paths,
		ExitCodes:   ExitCodes{Findings: slices.Sorted(slices.Values(v.ExitCodes.Findings))},
		Diagnostics: v.Diagnostics,
		Network:     v.Network,
		Resources:   v.Resources,
	}
	for _, judge := range []func(place, *Exec) error{v.command, v.paths, v.exitCodes, v.diagnostics, v.deadline, v.network} {
		if err := judge(at, &x); err != nil {
			return Exec{}, err
		}
	}
	return x, nil
}

func (v Invoke) command(at place, _ *Exec) error {
	if len(v.Command) == 0 && at.kind != Run || len(v.Command) > 0 && v.Command[0] == "" {
		return at.refuse(fault.ReasonType, "command is missing, or its program is empty").WithHint("list the program and its arguments")
	}
	if slices.ContainsFunc(slices.Concat(v.Command, v.Args, v.FixArgs), hasNUL) {
		return at.refuse(fault.ReasonType, "an argument holds NUL").WithHint("remove it: no program can be given one")
	}
	return nil
}

func (v Invoke) paths(at place, x *Exec) error {
	switch x.Paths.As {
	case "":
		x.Paths.As = PathsArguments
	case PathsArguments, PathsFile, PathsStdin, PathsNone:
	default:
		return at.oneOf("the way paths are passed", string(x.Paths.As), "Arguments", "File", "Stdin", "None")
	}
	if x.Paths.Separator != "" && x.Paths.As != PathsArguments {
		return at.refuse(fault.ReasonType, "separator is for paths as Arguments only").WithHint("remove it")
	}
	if hasNUL(x.Paths.Separator) {
		return at.refuse(fault.ReasonType, "separator holds NUL").WithHint("remove it: no program can be given one")
	}
	return nil
}

func (v Invoke) exitCodes(at place, x *Exec) error {
	for _, code := range x.ExitCodes.Findings {
		if code < 1 || code > 255 {
			return at.refuse(fault.ReasonType, "exitCodes.findings holds %d", code).WithHint("0 is clean; name codes from 1 to 255")
		}
	}
	return nil
}

func (v Invoke) diagnostics(at place, x *Exec) error {
	d := &x.Diagnostics
	switch d.Stream {
	case "":
		d.Stream = StreamStdout
	case StreamStdout, StreamStderr:
	default:
		return at.oneOf("diagnostics.stream", string(d.Stream), "Stdout", "Stderr")
	}
	switch d.Format {
	case "", FormatESLintJSON, FormatSARIF, FormatGNU, FormatTSC:
		if d.Pattern != "" {
			return at.refuse(fault.ReasonType, "diagnostics.pattern is for the format Pattern only").WithHint("remove it, or set the format to Pattern")
		}
		return nil
	case FormatPattern:
		if _, err := CompilePattern(d.Pattern); err != nil {
			return at.declared("diagnostics.pattern", err)
		}
		return nil
	default:
		return at.oneOf("diagnostics.format", string(d.Format), "ESLintJSON", "SARIF", "GNU", "TSC", "Pattern")
	}
}

func (v Invoke) deadline(at place, x *Exec) error {
	if v.Deadline == nil {
		return nil
	}
	if *v.Deadline <= 0 {
		return at.refuse(fault.ReasonType, "deadline is %s", time.Duration(*v.Deadline)).WithHint("give a positive duration, such as 5m")
	}
	x.Deadline = time.Duration(*v.Deadline)
	return nil
}

func (v Invoke) network(at place, x *Exec) error {
	switch x.Network {
	case "":
		x.Network = NetworkDenied
	case NetworkDenied, NetworkAllowed:
	default:
		return at.oneOf("network", string(x.Network), "Denied", "Allowed")
	}
	return nil
}

func hasNUL(s string) bool { return strings.IndexByte(s, 0) >= 0 }
