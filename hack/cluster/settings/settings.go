// Package settings says what a test cluster is called, which addresses it takes and where
// its state lies. Everything else is derived from these three, so that two clusters that
// differ in all three never meet.
//
// It refuses names and networks that would not work as link, cgroup and node names or as
// subnets. It touches nothing.
package settings

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"regexp"
)

// Names of the environment variables that [FromEnv] reads and [Settings.Env] writes.
const (
	NameVariable    = "FETTLE_CLUSTER_NAME"
	NetworkVariable = "FETTLE_CLUSTER_NETWORK"
	DirVariable     = "FETTLE_CLUSTER_DIR"
)

// Base is the directory that holds the state of every cluster whose directory isn't given.
// Not below /run: images and volumes would take memory there, and be cut off by its size.
const Base = "/var/lib/fettle-cluster"

// Settings are the three choices that a cluster is made from.
type Settings struct {
	Name    string       // node name, and part of link and cgroup names: at most 12 of a-z, 0-9 and -
	Network netip.Prefix // an IPv4 /16 that nobody else uses: link, services and Pods are cut from it
	Dir     string       // absolute path of the state: keys, logs, sockets, images, volumes
}

// A link name has at most 15 bytes, three of which are ours.
var nameRule = regexp.MustCompile(`^[a-z]([a-z0-9-]{0,10}[a-z0-9])?$`)

// FromEnv reads the settings from environment variables; unset ones have defaults.
func FromEnv(getenv func(string) string) (Settings, error) {
	or := func(variable, fallback string) string {
		if v := getenv(variable); v != "" {
			return v
		}
		return fallback
	}
	s := Settings{Name: or(NameVariable, "fettle")}
	if !nameRule.MatchString(s.Name) {
		return Settings{}, fmt.Errorf("%s %q: want at most 12 of a-z, 0-9 and '-', beginning with a letter", NameVariable, s.Name)
	}
	network := or(NetworkVariable, "10.99.0.0/16")
	var err error
	s.Network, err = netip.ParsePrefix(network)
	if err != nil || !s.Network.Addr().Is4() || s.Network.Bits() != 16 || s.Network != s.Network.Masked() {
		return Settings{}, fmt.Errorf("%s %q: want an IPv4 /16 such as 10.99.0.0/16", NetworkVariable, network)
	}
	s.Dir = filepath.Clean(or(DirVariable, filepath.Join(Base, s.Name)))
	if !filepath.IsAbs(s.Dir) || s.Dir == "/" {
		return Settings{}, fmt.Errorf("%s %q: want an absolute path of a directory that may be removed", DirVariable, s.Dir)
	}
	return s, nil
}

// Env returns the variables from which [FromEnv] makes the same settings.
func (s Settings) Env() []string {
	return []string{
		NameVariable + "=" + s.Name,
		NetworkVariable + "=" + s.Network.String(),
		DirVariable + "=" + s.Dir,
	}
}

// Path returns the path of something in the state directory.
func (s Settings) Path(elements ...string) string {
	return filepath.Join(append([]string{s.Dir}, elements...)...)
}

// Link is the host's end of the veth pair.
func (s Settings) Link() string { return "fc-" + s.Name }

// Cgroup is the node's group in every hierarchy, relative to its root.
func (s Settings) Cgroup() string { return "fettle-cluster-" + s.Name }

// Kubeconfig is the file with which an administrator reaches the cluster.
func (s Settings) Kubeconfig() string { return s.Path("pki", "admin.kubeconfig") }

// ContainerdSocket is where containerd listens, in the node and on the host.
func (s Settings) ContainerdSocket() string { return s.Path("containerd.sock") }

// ControlSocket is where the node's first process takes orders.
func (s Settings) ControlSocket() string { return s.Path("control.sock") }

// Volumes is the directory below which the default StorageClass makes its volumes.
func (s Settings) Volumes() string { return s.Path("volumes") }

// HostIP is the host's address on the link: Pods reach a program of the host there.
func (s Settings) HostIP() netip.Addr { return s.address(0, 1) }

// NodeIP is the node's address: API server and kubelet listen there.
func (s Settings) NodeIP() netip.Addr { return s.address(0, 2) }

// LinkBits is the prefix length of the link's subnet, which holds two addresses.
const LinkBits = 30

// Services is the subnet of cluster IPs.
func (s Settings) Services() netip.Prefix { return netip.PrefixFrom(s.address(64, 0), 18) }

// APIService is the cluster IP of the service kubernetes.default.
func (s Settings) APIService() netip.Addr { return s.address(64, 1) }

// DNS is the cluster IP that Pods have as name server. Nothing answers there.
func (s Settings) DNS() netip.Addr { return s.address(64, 10) }

// Pods is the subnet of all Pods of the cluster.
func (s Settings) Pods() netip.Prefix { return netip.PrefixFrom(s.address(128, 0), 17) }

// NodePods is the subnet of the Pods of the only node.
func (s Settings) NodePods() netip.Prefix { return netip.PrefixFrom(s.address(128, 0), 24) }

// Server is the URL of the API server.
func (s Settings) Server() string { return "https://" + netip.AddrPortFrom(s.NodeIP(), 6443).String() }

func (s Settings) address(third, fourth byte) netip.Addr {
	a := s.Network.Addr().As4()
	return netip.AddrFrom4([4]byte{a[0], a[1], third, fourth})
}
