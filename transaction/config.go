package transaction

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/transaction/internal/store"
)

// Config holds the keys of § 25 but those of a managed backend. Start from Defaults.
type Config struct {
	blocks.Config

	Enabled      bool     `json:"enabled"`                // false: messages are not looked at
	Root         string   `json:"root,omitempty"`         // of sessions without a directory; $WS and $FETTLE_ROOT are expanded
	RootAliases  []string `json:"rootAliases,omitempty"`  // further absolute spellings of the default root
	CanonicalRef string   `json:"canonicalRef,omitempty"` // what a store publishes on

	MaxCasRetries int `json:"maxCasRetries,omitempty"` // swaps of the canonical ref tried in all
	TempFileKeep  int `json:"tempFileKeep,omitempty"`  // temp files of dead processes kept
}

// Defaults returns the configuration of a deployment that sets nothing.
func Defaults() Config {
	return Config{
		Config: blocks.Defaults(), Enabled: true, Root: "$WS", CanonicalRef: "refs/heads/agent-canonical",
		MaxCasRetries: 8, TempFileKeep: 16,
	}
}

// Check reports the first value that breaks a rule of § 25, naming key, value and rule.
func (c Config) Check() error {
	if err := c.Config.Check(); err != nil {
		return err
	}
	if !strings.HasPrefix(c.CanonicalRef, "refs/") || strings.HasPrefix(c.CanonicalRef, "refs/fettle/") || !isRefName(c.CanonicalRef) {
		return fmt.Errorf("canonicalRef: %q: must be the name of a ref that begins with refs/, not with refs/fettle/", c.CanonicalRef)
	}
	if c.MaxCasRetries <= 0 {
		return fmt.Errorf("maxCasRetries: %d: must be a positive integer", c.MaxCasRetries)
	}
	if c.TempFileKeep <= 0 {
		return fmt.Errorf("tempFileKeep: %d: must be a positive integer", c.TempFileKeep)
	}
	for _, alias := range c.RootAliases {
		if !strings.HasPrefix(alias, "/") {
			return fmt.Errorf("rootAliases: %q: must be absolute", alias)
		}
	}
	return nil
}

// isRefName applies the rules that git has for names of refs.
func isRefName(name string) bool {
	if strings.ContainsAny(name, " ~^:?*[\\\x7f") || strings.Contains(name, "..") || strings.Contains(name, "@{") || strings.HasSuffix(name, ".") {
		return false
	}
	for segment := range strings.SplitSeq(name, "/") {
		if segment == "" || strings.HasPrefix(segment, ".") || strings.HasSuffix(segment, ".lock") {
			return false
		}
	}
	return strings.IndexFunc(name, func(r rune) bool { return r < ' ' }) < 0
}

// errNotAbsolute says that a default root is a relative path.
var errNotAbsolute = errors.New("must be an absolute path")

// defaultRoot returns the root of a session that no resolver claims (§ 20.1).
func (s *Service) defaultRoot(sess Session) (string, error) {
	root := sess.Dir
	if root == "" {
		root = s.configuredRoot()
	}
	if root == "" {
		dir, err := os.Getwd()
		if err != nil {
			return "", fmt.Errorf("root: %w", err)
		}
		root = dir
	}
	if !filepath.IsAbs(root) {
		return "", fmt.Errorf("root: %q: %w", root, errNotAbsolute)
	}
	return root, nil
}

// configuredRoot returns the configured root with variables expanded; FETTLE_ROOT
// replaces it.
func (s *Service) configuredRoot() string {
	if root := store.Getenv(s.env, "FETTLE_ROOT"); root != "" {
		return root
	}
	return os.Expand(s.cfg.Root, func(name string) string {
		if name == "WS" || name == "FETTLE_ROOT" {
			return store.Getenv(s.env, name)
		}
		return "$" + name
	})
}

// linkFree returns an existing directory without links in its path.
func linkFree(dir string) (string, error) {
	free, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("root %q: %w", dir, err)
	}
	return filepath.Clean(free), nil
}
