package reread

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sample() *Snapshot {
	return &Snapshot{
		Started: 1_700_000_000_123_456_789,
		Files:   []string{"a", "a\nb", "a/b/c.ts", "a/b/d.ts", "\xff\xfe"},
		Dirs:    []string{".", "a", "a/b"},
		Stamps:  []DirStamp{{1, 2, -3, 4}, {1, 1 << 63, 5, 6}, {}},
		TooDeep: "x/\xffy",
	}
}

func TestASnapshotSurvivesEncodingWhateverItsNames(t *testing.T) {
	for name, want := range map[string]*Snapshot{"full": sample(), "empty": {}} {
		data, err := want.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var got Snapshot
		if err := got.UnmarshalBinary(data); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := got.MarshalBinary()
		if err != nil || !bytes.Equal(again, data) {
			t.Errorf("%s: encoded again it differs (%v)", name, err)
		}
		if diff := cmp.Diff(want.Files, got.Files); name == "full" && diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
	}
}

func TestACutOrForeignSnapshotIsRefused(t *testing.T) {
	data, err := sample().MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		if err := new(Snapshot).UnmarshalBinary(data[:i]); err == nil {
			t.Errorf("the first %d of %d bytes were accepted", i, len(data))
		}
	}
	if err := new(Snapshot).UnmarshalBinary(append(data, 0)); err == nil {
		t.Error("a byte too many was accepted")
	}
	unsorted := sample()
	unsorted.Files[0], unsorted.Files[1] = unsorted.Files[1], unsorted.Files[0]
	data, err = unsorted.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if err := new(Snapshot).UnmarshalBinary(data); err == nil {
		t.Error("unsorted names were accepted")
	}
	unsorted.Stamps = nil
	if _, err := unsorted.MarshalBinary(); err == nil {
		t.Error("a snapshot without stamps was encoded")
	}
}

func FuzzSnapshot(f *testing.F) {
	data, err := sample().MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte{snapshotVersion})
	f.Add([]byte{snapshotVersion, 0, 1, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Snapshot
		if s.UnmarshalBinary(data) != nil {
			return
		}
		again, err := s.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var second Snapshot
		if err := second.UnmarshalBinary(again); err != nil {
			t.Fatalf("what was decoded can't be decoded again: %v", err)
		}
		if diff := cmp.Diff(s, second); diff != "" {
			t.Errorf("decoded again (-first +second):\n%s", diff)
		}
	})
}
