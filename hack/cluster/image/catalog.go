package image

import (
	"os/exec"
	"path/filepath"
)

// Names of the images.
const (
	Pause  = "docker.io/fettle/pause:dev"       // holds a Pod's namespaces open
	Fettle = "docker.io/fettle/fettle:dev"      // fettle, fettle-shim, fettle-controller and git
	Node   = "docker.io/fettle/fixers-node:dev" // prettier, eslint, tsc, a shell and the usual small programs
	Go     = "docker.io/fettle/fixers-go:dev"   // gofmt and nothing else
)

// Sources are where the catalogue's files are.
type Sources struct {
	Bin         string // directory with fettle, fettle-shim, fettle-controller and pause, all static
	NodeModules string // an installed hack/npm/node_modules
	Gofmt       string // path of gofmt
}

const systemPath = "/usr/local/bin:/usr/bin:/bin"

// Catalogue returns the images, smallest first.
func Catalogue(s Sources) []Image {
	return []Image{s.pause(), s.golang(), s.fettle(), s.node()}
}

func (s Sources) pause() Image {
	c := NewContent()
	c.Program("/pause", filepath.Join(s.Bin, "pause"))
	return Image{Ref: Pause, Content: c, Entrypoint: []string{"/pause"}, Path: systemPath}
}

func (s Sources) golang() Image {
	c := NewContent()
	c.Program("/usr/local/bin/gofmt", s.Gofmt)
	return Image{Ref: Go, Content: c, Path: systemPath}
}

// fettle has git with what it needs to clone and push over HTTPS and SSH.
func (s Sources) fettle() Image {
	c := NewContent()
	for _, program := range []string{"fettle", "fettle-shim", "fettle-controller"} {
		c.Program("/usr/local/bin/"+program, filepath.Join(s.Bin, program))
	}
	c.host("sh", "git", "ssh")
	const core = "/usr/lib/git-core/"
	c.Link(core+"git", "../../bin/git")
	c.Program(core+"git-remote-http", core+"git-remote-http")
	c.Link(core+"git-remote-https", "git-remote-http")
	for _, service := range []string{"git-upload-pack", "git-receive-pack"} {
		c.Link("/usr/bin/"+service, "git")
	}
	c.Dir("/usr/share/git-core/templates", 0o755)
	c.File("/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/certs/ca-certificates.crt")
	return Image{Ref: Fettle, Content: c, Entrypoint: []string{"/usr/local/bin/fettle"}, Path: systemPath}
}

// node has its modules where Node looks last from any directory, so a project's own
// configuration finds the plugins that it imports.
func (s Sources) node() Image {
	c := NewContent()
	c.host("node", "sh", "env", "cat", "cp", "false", "id", "ls", "mkdir", "mv", "rm", "sleep", "true")
	c.Tree("/node_modules", s.NodeModules, ".installed")
	return Image{Ref: Node, Content: c, Path: "/node_modules/.bin:" + systemPath}
}

// host adds programs of this machine, found in PATH, as /usr/bin/<name>.
func (c *Content) host(programs ...string) {
	for _, program := range programs {
		from, err := exec.LookPath(program)
		if err != nil {
			c.fail(err)
			continue
		}
		c.Program("/usr/bin/"+program, from)
	}
}
