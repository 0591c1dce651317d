package blocks

import "testing"

func TestConfigViolationsNameKeyValueAndRule(t *testing.T) {
	if err := Defaults().Check(); err != nil {
		t.Errorf("defaults: %v", err)
	}
	for want, change := range map[string]func(*Config){
		`editFormat: "x": must be git_diff, replace or none`:         func(c *Config) { c.EditFormat = "x" },
		`newline: "LF": must be preserve, lf or crlf`:                func(c *Config) { c.Newline = "LF" },
		"maxEditDrift: -1: must not be negative":                     func(c *Config) { c.MaxEditDrift = -1 },
		"maxFileSize: 0: must be a positive integer":                 func(c *Config) { c.MaxFileSize = 0 },
		"maxTotalSize: -5: must be a positive integer":               func(c *Config) { c.MaxTotalSize = -5 },
		"maxFilesPerMessage: 0: must be a positive integer":          func(c *Config) { c.MaxFilesPerMessage = 0 },
		"diffLineLimit: 0: must be a positive integer":               func(c *Config) { c.DiffLineLimit = 0 },
		"maxEchoBytes: -1: must be a positive integer":               func(c *Config) { c.MaxEchoBytes = -1 },
		"maxTotalSize: 9: must be at least maxFileSize, which is 10": func(c *Config) { c.MaxFileSize, c.MaxTotalSize = 10, 9 },
		`prompt: " \n": must not be blank`:                           func(c *Config) { c.Prompt = " \n" },
	} {
		c := Defaults()
		change(&c)
		if err := c.Check(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	c := Defaults()
	c.MaxEditDrift = 0
	if err := c.Check(); err != nil {
		t.Errorf("no drift: %v", err)
	}
}
