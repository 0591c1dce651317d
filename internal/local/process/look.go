package process

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/shim"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// shimName is the program that runs the tools.
const shimName = "fettle-shim"

// FindShim returns the absolute path of fettle-shim: explicit, if it isn't "", and
// nothing else; or beside executable, the running fettle; or in path, a PATH.
func FindShim(explicit, executable, path string) (string, error) {
	const hint = "build it with `make build` and keep it beside fettle, or name it with --shim"
	if explicit != "" {
		full, err := filepath.Abs(explicit)
		if err != nil {
			return "", fmt.Errorf("find %s: %w", shimName, err)
		}
		if _, f := shim.LookUp(full, "/", nil, ""); f != nil {
			return "", fault.New(fault.StepFailed, fault.ReasonEngineError, "", "the shim that runs the tools: %s", f.Message).WithHint(hint)
		}
		return full, nil
	}
	var beside []string
	if executable != "" {
		beside = []string{filepath.Dir(executable)}
	}
	full, f := shim.LookUp(shimName, "/", beside, path)
	if f != nil {
		return "", fault.New(fault.StepFailed, fault.ReasonEngineError, "", "%s, which runs the tools, is neither beside fettle nor in PATH", shimName).WithHint(hint)
	}
	return full, nil
}

// Look finds the program of an engine's command as a run would: absolute, or below the
// root if it has a slash; else in the project's own node_modules/.bin, then in PATH. A
// program that can't be run is StepFailed engine-error with a hint.
//
// Links are followed there: package managers make them, node_modules itself is often
// one, and a repository that may hold a link may as well hold the program.
func (d *Driver) Look(engine string, command []string) (string, error) {
	program, err := d.look(engine, command)
	if err != nil {
		return "", err
	}
	return program, nil
}

func (d *Driver) look(engine string, command []string) (string, *fault.Error) {
	if len(command) == 0 {
		return "", d.cannotRun(engine, &wire.Failure{Cause: wire.NotFound, Message: "no command was given"})
	}
	full, f := shim.LookUp(command[0], d.options.Root, d.search(), d.options.Path)
	if f != nil {
		return "", d.cannotRun(engine, f)
	}
	return full, nil
}

func (d *Driver) search() []string {
	return []string{filepath.Join(d.options.Root, "node_modules", ".bin")}
}

// cannotRun explains a failure to execute a tool.
func (d *Driver) cannotRun(engine string, f *wire.Failure) *fault.Error {
	e := fault.New(fault.StepFailed, fault.ReasonEngineError, "", "%s", f.Message)
	e.Engine = engine
	switch f.Cause {
	case wire.NotFound:
		if f.Program == "" {
			return e.WithHint("give the engine a command")
		}
		if strings.Contains(f.Program, "/") {
			return e.WithHint("a command with a slash is a file: absolute, or below the root")
		}
		e.Message = fmt.Sprintf("%s is not installed: it is neither in the project's node_modules/.bin nor in PATH", f.Program)
		return e.WithHint("install %s so that PATH has it, or into the project with its package manager", f.Program)
	case wire.NoInterpreter:
		return e.WithHint("install the interpreter, or the tool itself anew")
	case wire.NotExecutable, wire.IsDirectory, wire.BadFormat:
		return e.WithHint("name a program that this machine can execute")
	case wire.TooLong:
		return e.WithHint("let the engine take its paths by File or Stdin")
	default:
		return e.WithHint("see that fettle may use its state directory and the root")
	}
}
