package strictfs

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestNowIsTheTimeThatANewChangeWouldGetAndLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	now, err := r.Now()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	id, err := r.Stat("a")
	if err != nil {
		t.Fatal(err)
	}
	if d := time.Duration(id.Ctime - now); d < -20*time.Millisecond || d > time.Minute {
		t.Errorf("a file made right after is stamped %s later than now", d)
	}
	if err := os.Remove(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	again, err := r.Now()
	if err != nil {
		t.Fatal(err)
	}
	if again < now {
		t.Errorf("now went back from %d to %d", now, again)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 0 {
		t.Errorf("left in the directory: %v", entries)
	}
}
