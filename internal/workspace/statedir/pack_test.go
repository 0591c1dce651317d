package statedir

import (
	"bytes"
	"crypto/rand"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/fault"
)

func newPack(t testing.TB) (*Pack, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), packName)
	p, err := CreatePack(path, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p, path
}

func put(t testing.TB, p *Pack, b []byte) content.Ref {
	t.Helper()
	r, err := p.Put(b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func wantContent(t testing.TB, p *Pack, r content.Ref, want []byte) {
	t.Helper()
	got, err := p.Get(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("content at %d: got %d bytes, want %d other ones", r.Off, len(got), len(want))
	}
}

func TestPackGivesBackWhatWasPutWhateverItsSize(t *testing.T) {
	p, path := newPack(t)
	rnd := mathrand.New(mathrand.NewPCG(1, 2))
	var refs []content.Ref
	var want [][]byte
	for _, n := range []int{0, 1, 100, packChunk - 200, 99, 1, packChunk, packChunk + 1, 5, 3 * packChunk, 0, 17} {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		refs, want = append(refs, put(t, p, b)), append(want, b)
		for i, r := range refs {
			wantContent(t, p, r, want[i])
		}
	}
	mark, err := p.Sync()
	if err != nil {
		t.Fatal(err)
	}
	again, err := OpenPack(path, mark)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	for i, r := range refs {
		wantContent(t, again, r, want[i])
	}
}

func TestPackReadsIntoTheBufferGivenIfItFits(t *testing.T) {
	p, _ := newPack(t)
	r := put(t, p, []byte("hello"))
	buf := make([]byte, 0, 5)
	got, err := p.Get(r, buf)
	if err != nil || string(got) != "hello" || &got[0] != &buf[:1][0] {
		t.Errorf("Get = %q, %v, want hello in the buffer", got, err)
	}
}

func TestPackCutsWhatAKilledProcessLeftBehindTheMark(t *testing.T) {
	p, path := newPack(t)
	first := put(t, p, []byte("counts"))
	mark, err := p.Sync()
	if err != nil {
		t.Fatal(err)
	}
	put(t, p, []byte("doesn't"))
	if _, err := p.Sync(); err != nil {
		t.Fatal(err)
	}
	again, err := OpenPack(path, mark)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	second := put(t, again, []byte("new"))
	wantContent(t, again, first, []byte("counts"))
	wantContent(t, again, second, []byte("new"))
	if _, err := again.Sync(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(data[packHeader:]), "countsnew"; got != want {
		t.Errorf("the file holds %q, want %q", got, want)
	}
}

func TestPackRefusesRefsOutsideIt(t *testing.T) {
	p, _ := newPack(t)
	r := put(t, p, []byte("hello"))
	for _, bad := range []content.Ref{
		{Off: r.Off, Len: 6}, {Off: r.Off + 5, Len: 1}, {Off: 0, Len: 5}, {Off: -1, Len: 3},
		{Off: r.Off, Len: -1}, {Off: r.Off, Len: 1<<63 - 1}, {Off: 1<<63 - 1, Len: 1<<63 - 1},
	} {
		if b, err := p.Get(bad, nil); err == nil {
			t.Errorf("Get(%+v) = %d bytes, want an error", bad, len(b))
		}
	}
}

func TestPackThatIsNotTheMarkedOneIsRefused(t *testing.T) {
	p, path := newPack(t)
	put(t, p, []byte("hello"))
	mark, err := p.Sync()
	if err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		data []byte
		mark Mark
		want string
	}{
		{"empty file", nil, mark, "isn't a pack of this version"},
		{"another version", append([]byte("fettle-pack 2\n"), good[14:]...), mark, "isn't a pack of this version"},
		{"another run's pack", good, Mark{Length: mark.Length}, "another state"},
		{"cut file", good[:len(good)-1], mark, "is cut"},
		{"a mark inside the header", good, Mark{ID: mark.ID, Length: 3}, "is cut"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.WriteFile(path, tt.data, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := OpenPack(path, tt.mark)
			if !fault.Is(err, fault.StepFailed, fault.ReasonState) || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want a refusal that says %q", err, tt.want)
			}
			if fault.As(err).Hint == "" {
				t.Error("the refusal doesn't say what to do")
			}
		})
	}
}

func TestPackOfAFullDiskKeepsWhatItHad(t *testing.T) {
	p, _ := newPack(t)
	r := put(t, p, []byte("hello"))
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	good := p.file
	p.file = full
	if _, err := p.Sync(); err == nil {
		t.Fatal("Sync to a full disk succeeded")
	}
	if _, err := p.Put(make([]byte, packChunk)); err == nil {
		t.Fatal("Put of more than the buffer to a full disk succeeded")
	}
	p.file = good
	full.Close()
	wantContent(t, p, r, []byte("hello"))
	second := put(t, p, []byte("more"))
	if _, err := p.Sync(); err != nil {
		t.Fatal(err)
	}
	wantContent(t, p, r, []byte("hello"))
	wantContent(t, p, second, []byte("more"))
}

func TestPackServesManyAtOnce(t *testing.T) {
	p, _ := newPack(t)
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			rnd := mathrand.New(mathrand.NewPCG(uint64(g), 3))
			var refs []content.Ref
			var want [][]byte
			for range 300 {
				b := bytes.Repeat([]byte{byte(rnd.Uint32())}, rnd.IntN(20_000))
				r, err := p.Put(b)
				if err != nil {
					t.Error(err)
					return
				}
				refs, want = append(refs, r), append(want, b)
				i := rnd.IntN(len(refs))
				if got, err := p.Get(refs[i], nil); err != nil || !bytes.Equal(got, want[i]) {
					t.Errorf("goroutine %d: content %d differs (%v)", g, i, err)
					return
				}
			}
		})
	}
	group.Wait()
}
