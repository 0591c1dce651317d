package transaction_test

import (
	"os"
	"testing"

	"github.com/fettle-dev/fettle/internal/killtest"
)

func TestMain(m *testing.M) {
	killtest.Launch() // if this is a process that is to be killed
	os.Exit(m.Run())
}
