package workspace

import (
	"slices"
	"testing"
)

func TestAtDiskFollowsFilesThatSwapTheirDiskPaths(t *testing.T) {
	w := New(0)
	w.Put("a", File{Origin: "b", Disk: "b"})
	w.Put("b", File{Origin: "a", Disk: "a"})
	for disk, want := range map[string]string{"a": "b", "b": "a"} {
		if got, ok := w.AtDisk(disk); !ok || got != want {
			t.Errorf("AtDisk(%s) = %s, %v, want %s", disk, got, ok, want)
		}
	}
	w.Put("a", File{Origin: "b", Disk: "a"}) // as the write step books it
	w.Put("b", File{Origin: "a", Disk: "b"})
	for _, disk := range []string{"a", "b"} {
		if got, ok := w.AtDisk(disk); !ok || got != disk {
			t.Errorf("after the write AtDisk(%s) = %s, %v, want itself", disk, got, ok)
		}
	}
	w.Drop("a")
	if got, ok := w.AtDisk("a"); ok {
		t.Errorf("AtDisk of a dropped file = %s, want none", got)
	}
}

func TestOursAreFilesUnreadableAndPendingDeletions(t *testing.T) {
	w := New(0)
	w.Put("moved", File{Disk: "at"})
	w.Put("new", File{})
	w.PutUnreadable("bad", Unreadable{Disk: "bad"})
	w.PutPending("gone", PendingDeletion{LastPath: "gone"})
	for disk, want := range map[string]bool{
		"at": true, "bad": true, "gone": true, "moved": false, "new": false, "other": false,
	} {
		if got := w.Ours(disk); got != want {
			t.Errorf("Ours(%s) = %v, want %v", disk, got, want)
		}
	}
}

func TestAChangeOfACloneLeavesItsOriginAlone(t *testing.T) {
	w := New(0)
	w.Put("a", File{Origin: "a", Disk: "a", MIME: "text/plain"})
	c := w.Clone()
	c.Put("a", File{Origin: "a", Disk: "z"})
	c.Put("b", File{})
	c.PutPending("p", PendingDeletion{})
	w.Put("c", File{Origin: "c", Disk: "c"})
	if f, _ := w.File("a"); f.Disk != "a" || f.MIME != "text/plain" {
		t.Errorf("the origin's file became %+v", f)
	}
	if got, want := w.Paths(), []string{"a", "c"}; !slices.Equal(got, want) {
		t.Errorf("the origin holds %v, want %v", got, want)
	}
	if got, want := c.Paths(), []string{"a", "b"}; !slices.Equal(got, want) {
		t.Errorf("the clone holds %v, want %v", got, want)
	}
	if w.Ours("z") || w.Ours("p") {
		t.Error("the clone's disk paths became the origin's")
	}
}
