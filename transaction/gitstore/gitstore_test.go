package gitstore_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fettle-dev/fettle/transaction"
	"github.com/fettle-dev/fettle/transaction/gitstore"
	"github.com/fettle-dev/fettle/transaction/transactiontest"
)

func open(t *testing.T, opts ...gitstore.Option) *gitstore.Store {
	t.Helper()
	root := filepath.Join(t.TempDir(), "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := gitstore.Open(root, transaction.Defaults(), os.Environ(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestBackend(t *testing.T) {
	transactiontest.Run(t, func(t *testing.T) transaction.Backend { return open(t) })
}
