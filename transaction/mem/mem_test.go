package mem_test

import (
	"testing"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/transaction"
	"github.com/fettle-dev/fettle/transaction/mem"
	"github.com/fettle-dev/fettle/transaction/transactiontest"
)

func TestBackend(t *testing.T) {
	transactiontest.Run(t, func(*testing.T) transaction.Backend { return mem.New(nil) })
}

func TestARepeatedRequestIsAnsweredAsTheFirstTime(t *testing.T) {
	b := mem.New(map[string][]byte{"a": []byte("1\n")})
	req := transaction.CommitRequest{TransactionID: "t", Changes: []transaction.Change{{Path: "n", Content: []byte("n\n"), ExpectedVersion: transaction.VersionAbsent}}}
	for range 2 {
		if r, err := b.Commit(t.Context(), req); err != nil || r.Status != blocks.StatusCommitted || r.Commit != "r1" {
			t.Errorf("got %+v, %v", r, err)
		}
	}
	req.Changes[0].Content = []byte("other\n")
	if r, err := b.Commit(t.Context(), req); err == nil {
		t.Errorf("another request under the id: got %+v, want an error", r)
	}
}
