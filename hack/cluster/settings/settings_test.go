package settings

import (
	"net/netip"
	"strings"
	"testing"
)

func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(k string) string { return m[k] }
}

func TestUnsetVariablesHaveDefaults(t *testing.T) {
	s, err := FromEnv(env())
	if err != nil {
		t.Fatal(err)
	}
	want := Settings{Name: "fettle", Network: netip.MustParsePrefix("10.99.0.0/16"), Dir: "/var/lib/fettle-cluster/fettle"}
	if s != want {
		t.Errorf("got %+v, want %+v", s, want)
	}
}

func TestEnvGivesTheSameSettingsAgain(t *testing.T) {
	s, err := FromEnv(env(NameVariable, "two", NetworkVariable, "10.98.0.0/16", DirVariable, "/tmp/two"))
	if err != nil {
		t.Fatal(err)
	}
	var pairs []string
	for _, v := range s.Env() {
		name, value, _ := strings.Cut(v, "=")
		pairs = append(pairs, name, value)
	}
	again, err := FromEnv(env(pairs...))
	if err != nil || again != s {
		t.Errorf("got %+v, %v, want %+v", again, err, s)
	}
}

func TestBadSettingsAreRefused(t *testing.T) {
	for _, tt := range []struct{ name, variable, value string }{
		{"a name that doesn't fit into a link name", NameVariable, "abcdefghijklm"},
		{"a name with a slash", NameVariable, "a/b"},
		{"a name that begins with a digit", NameVariable, "1a"},
		{"a name that ends with a dash", NameVariable, "a-"},
		{"an upper-case name", NameVariable, "Node"},
		{"no network", NetworkVariable, "ten"},
		{"a network that is too small", NetworkVariable, "10.99.0.0/24"},
		{"a network with host bits", NetworkVariable, "10.99.1.0/16"},
		{"an IPv6 network", NetworkVariable, "fd00::/16"},
		{"a relative directory", DirVariable, "state"},
		{"the root directory", DirVariable, "/tmp/.."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := FromEnv(env(tt.variable, tt.value))
			if err == nil {
				t.Fatalf("got %+v, want an error", s)
			}
			if !strings.Contains(err.Error(), tt.variable) {
				t.Errorf("got %q, want the variable's name in it", err)
			}
		})
	}
}

func TestSubnetsLieInTheNetworkAndDontOverlap(t *testing.T) {
	s, err := FromEnv(env(NetworkVariable, "10.7.0.0/16"))
	if err != nil {
		t.Fatal(err)
	}
	link := netip.PrefixFrom(s.HostIP(), LinkBits).Masked()
	subnets := []netip.Prefix{link, s.Services(), s.Pods()}
	for i, a := range subnets {
		if !s.Network.Contains(a.Addr()) || a != a.Masked() {
			t.Errorf("subnet %v: want one inside %v without host bits", a, s.Network)
		}
		for _, b := range subnets[i+1:] {
			if a.Overlaps(b) {
				t.Errorf("%v overlaps %v", a, b)
			}
		}
	}
	for _, tt := range []struct {
		address netip.Addr
		in      netip.Prefix
	}{
		{s.NodeIP(), link}, {s.APIService(), s.Services()}, {s.DNS(), s.Services()}, {s.NodePods().Addr(), s.Pods()},
	} {
		if !tt.in.Contains(tt.address) {
			t.Errorf("%v: want it in %v", tt.address, tt.in)
		}
	}
}

func TestALinkNameFitsTheKernel(t *testing.T) {
	s, err := FromEnv(env(NameVariable, strings.Repeat("a", 12)))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(s.Link()); n > 15 {
		t.Errorf("got %d bytes, want at most 15", n)
	}
}
