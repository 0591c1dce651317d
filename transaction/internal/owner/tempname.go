package owner

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"syscall"
)

// errNoProcess is what reading of a process that has just ended may answer.
const errNoProcess = syscall.ESRCH

// TempPrefix returns what the names of an owner's temp files begin with (§ 14.5).
func (o Owner) TempPrefix() string {
	return fmt.Sprintf("fettle-%s-%s-%d-%d-", hash(o.Name), hash(o.Host), o.PID, o.StartTime)
}

// TempName returns a new name for a temp file.
func (o Owner) TempName() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return o.TempPrefix() + hex.EncodeToString(b[:])
}

var tempName = regexp.MustCompile(`^fettle-([0-9a-f]{16})-([0-9a-f]{16})-([0-9]+)-([0-9]+)-[0-9a-zA-Z]+$`)

// IsTempOfDead reports whether name is that of a temp file whose owner is dead, seen
// from self; an owner of another host only if it was named dead. The start of the kernel
// isn't in the name: a process of an earlier one is dead if none has its number and
// start now.
func (p Proc) IsTempOfDead(name string, self Owner, named []string) (bool, error) {
	m := tempName.FindStringSubmatch(name)
	if m == nil {
		return false, nil
	}
	if m[2] != hash(self.Host) {
		return slices.ContainsFunc(named, func(n string) bool { return hash(n) == m[1] }), nil
	}
	pid, errPID := strconv.Atoi(m[3])
	started, errStart := strconv.ParseUint(m[4], 10, 64)
	if errPID != nil || errStart != nil {
		return false, nil //nolint:nilerr // a name that isn't of this form is nobody's of ours
	}
	start, alive, err := p.startTime(pid)
	return err == nil && (!alive || start != started), err
}
