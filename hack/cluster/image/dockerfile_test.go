package image

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// What runs in the test cluster has to be what others build.
func TestTheDockerfileRunsAsThisPackagesImageDoes(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	argument := func(instruction string) string {
		found := regexp.MustCompile(`(?m)^`+instruction+` (.*)$`).FindAllSubmatch(text, -1)
		if len(found) != 1 {
			t.Fatalf("%s: got %d, want one", instruction, len(found))
		}
		return string(found[0][1])
	}
	if got := argument("USER"); got != User {
		t.Errorf("user: got %s, want %s", got, User)
	}
	var entrypoint []string
	if err := json.Unmarshal([]byte(argument("ENTRYPOINT")), &entrypoint); err != nil {
		t.Fatal(err)
	}
	if want := (Sources{}).fettle().Entrypoint; !slices.Equal(entrypoint, want) {
		t.Errorf("entrypoint: got %q, want %q", entrypoint, want)
	}
}
