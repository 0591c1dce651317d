package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fettle-dev/fettle/hack/cluster/settings"
)

func TestOnlyTheStateOfAClusterIsRemoved(t *testing.T) {
	for _, tt := range []struct {
		name     string
		make     []string
		wantGone bool
		wantErr  bool
	}{
		{"a cluster's state", []string{"pki", "log"}, true, false},
		{"an empty directory", nil, true, false},
		{"somebody's home", []string{"Documents"}, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := settings.Settings{Dir: filepath.Join(t.TempDir(), "state")}
			for _, dir := range append(tt.make, "") {
				if err := os.MkdirAll(s.Path(dir), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			err := removeState(s)
			_, statErr := os.Stat(s.Dir)
			if (err != nil) != tt.wantErr || os.IsNotExist(statErr) != tt.wantGone {
				t.Errorf("got error %v, gone %v; want error %v, gone %v", err, os.IsNotExist(statErr), tt.wantErr, tt.wantGone)
			}
		})
	}
	if err := removeState(settings.Settings{Dir: filepath.Join(t.TempDir(), "none")}); err != nil {
		t.Errorf("no state: got %v, want nil", err)
	}
}
