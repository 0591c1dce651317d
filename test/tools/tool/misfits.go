package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// misfits are tools that do what no tool should, by the first argument of misfit. Their
// paths are relative to the root.
var misfits = map[string]func(args []string) error{
	"append":     appendLine,
	"disguise":   disguise,
	"touch":      touch,
	"hold":       hold,
	"await":      await,
	"flood":      flood,
	"daemon":     daemon,
	"daemon-two": daemonTwo,
	"write":      write,
	"clear":      clearAll,
	"chmod":      chmod,
	"become":     become,
	"replace":    replaceBy,
	"count":      count,
	"fail":       fail,
	"do":         do,
}

func misfit(args []string) (int, error) {
	if len(args) == 0 || misfits[args[0]] == nil {
		return 0, fmt.Errorf("there is no misfit %q", args)
	}
	return 0, misfits[args[0]](args[1:])
}

// appendLine appends a line to each path.
func appendLine(paths []string) error {
	for _, path := range paths {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteString("appended\n")
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// disguise changes one byte of each path and puts the time of modification back.
func disguise(paths []string) error {
	for _, path := range paths {
		err := keepingTimes(path, func() error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte("X"), 0)
			return errors.Join(err, f.Close())
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func keepingTimes(path string, change func() error) error {
	var before unix.Stat_t
	if err := unix.Stat(path, &before); err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	return unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{before.Atim, before.Mtim}, 0)
}

// touch gives each path new times, writes the same bytes, and replaces every other one by
// a copy.
func touch(paths []string) error {
	for i, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		target := path
		if i%2 == 1 {
			target = path + ".copy"
		}
		if err := os.WriteFile(target, data, info.Mode().Perm()); err != nil {
			return err
		}
		if err := errors.Join(os.Chmod(target, info.Mode().Perm()), os.Rename(target, path)); err != nil {
			return err
		}
	}
	return nil
}

// hold appends to the paths after the first argument, opens that FIFO and never ends. It
// ends neither by SIGTERM nor by SIGINT if the first argument starts with "deaf:".
func hold(args []string) error {
	fifo, deaf := strings.CutPrefix(args[0], "deaf:")
	if deaf {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	}
	if err := appendLine(args[1:]); err != nil {
		return err
	}
	if err := open(fifo, "holding"); err != nil {
		return err
	}
	return waitForEver()
}

// await appends to the paths after the first two arguments, opens the FIFO args[0] if
// somebody reads it, and waits until somebody opens the FIFO args[1] for writing.
func await(args []string) error {
	if err := appendLine(args[2:]); err != nil {
		return err
	}
	fd, err := syscall.Open(args[0], syscall.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err == nil {
		_, err = syscall.Write(fd, []byte("awaiting\n"))
	}
	if err != nil && !errors.Is(err, syscall.ENXIO) {
		return err
	}
	_, err = os.ReadFile(args[1])
	return err
}

// open opens a FIFO, which stays open while the process lives, and says so there.
func open(fifo, word string) error {
	fd, err := syscall.Open(fifo, syscall.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = syscall.Write(fd, []byte(word+"\n"))
	return err
}

func waitForEver() error {
	var read [1]byte
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		return err
	}
	_, err := syscall.Read(fds[0], read[:]) // nobody will write
	return err
}

// flood prints as many bytes as its argument says on either stream.
func flood(args []string) error {
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	line := bytes.Repeat([]byte("all work and no play\n"), 3000)
	for printed := 0; printed < n; printed += len(line) {
		if _, err := os.Stdout.Write(line); err != nil {
			return err
		}
		if _, err := os.Stderr.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// daemon leaves a process two forks and a session away, which holds the FIFO args[0] and
// waits for the end of the FIFO args[1] to write the file args[2].
func daemon(args []string) error {
	ready, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd := exec.Command(os.Args[0], append([]string{"daemon-two"}, args...)...)
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Run(); err != nil {
		return err
	}
	theirs.Close()
	_, err = ready.Read(make([]byte, 1))
	return err
}

func daemonTwo(args []string) error {
	if len(args) == 3 {
		cmd := exec.Command(os.Args[0], append([]string{"daemon-two", "stay"}, args...)...)
		cmd.ExtraFiles = []*os.File{os.NewFile(3, "ready")}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		return cmd.Start()
	}
	if err := open(args[1], "daemon"); err != nil {
		return err
	}
	if _, err := os.NewFile(3, "ready").WriteString("!"); err != nil {
		return err
	}
	// It opens once somebody else opens it for writing: after the run.
	if _, err := os.ReadFile(args[2]); err != nil {
		return err
	}
	return os.WriteFile(args[3], []byte("too late\n"), 0o644)
}

// write writes the text args[0] to the paths after it, and makes what is missing.
func write(args []string) error {
	for _, path := range args[1:] {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(args[0]), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// clearAll removes everything below a directory, and itself.
func clearAll(args []string) error { return os.RemoveAll(args[0]) }

// chmod sets the mode args[0] of the paths after it.
func chmod(args []string) error {
	mode, err := strconv.ParseUint(args[0], 8, 32)
	if err != nil {
		return err
	}
	for _, path := range args[1:] {
		if err := os.Chmod(path, os.FileMode(mode)); err != nil {
			return err
		}
	}
	return nil
}

// become turns the paths after the first argument into what that says: a link to
// TARGET (link:TARGET), a FIFO (fifo), a directory (directory) or nothing (nothing).
func become(args []string) error {
	what, target, _ := strings.Cut(args[0], ":")
	for _, path := range args[1:] {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
		var err error
		switch what {
		case "link":
			err = os.Symlink(target, path)
		case "fifo":
			err = syscall.Mkfifo(path, 0o644)
		case "directory":
			err = os.Mkdir(path, 0o755)
		case "nothing":
		default:
			err = fmt.Errorf("nothing becomes %q", what)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// replaceBy replaces the text args[0] by args[1] in the paths after them.
func replaceBy(args []string) error {
	for _, path := range args[2:] {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, bytes.ReplaceAll(data, []byte(args[0]), []byte(args[1])), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// count looks at each path and prints how many there are.
func count(paths []string) error {
	for _, path := range paths {
		if _, err := os.Lstat(path); err != nil {
			return err
		}
	}
	fmt.Println(len(paths))
	return nil
}

// fail prints a line and fails.
func fail(args []string) error { return errors.New(strings.Join(args, " ")) }

// do prints its paths, then does what the JSON list args[0] says, in order.
func do(args []string) error {
	for _, path := range args[1:] {
		fmt.Println(path)
	}
	var list []struct{ Do, Path, To, Text string }
	if err := json.Unmarshal([]byte(args[0]), &list); err != nil {
		return err
	}
	for _, a := range list {
		var err error
		switch a.Do {
		case "rewrite":
			err = os.WriteFile(a.Path, []byte(a.Text), 0)
		case "replace":
			err = replaceFile(a.Path, a.Text)
		case "create":
			err = write([]string{a.Text, a.Path})
		case "remove":
			err = os.Remove(a.Path)
		case "rename":
			err = errors.Join(os.MkdirAll(filepath.Dir(a.To), 0o755), os.Rename(a.Path, a.To))
		case "chmod":
			err = chmod([]string{a.Text, a.Path})
		default:
			err = fmt.Errorf("nobody can %q", a.Do)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// replaceFile puts a new file in the place of one, with its mode.
func replaceFile(path, text string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	fresh := path + ".fresh"
	return errors.Join(os.WriteFile(fresh, []byte(text), 0o600), os.Chmod(fresh, info.Mode().Perm()), os.Rename(fresh, path))
}
