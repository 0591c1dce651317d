package node

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/hack/cluster/settings"
)

// Connect makes the link between the host and the node whose first process is pid, unless
// they are linked, and routes services and Pods over it. The node gets no default route: nothing in
// it can leave the machine.
func Connect(s settings.Settings, pid int) error {
	routes, err := Routes()
	if err != nil {
		return err
	}
	// The route is made last, so where it is, all is.
	if slices.Contains(routes, Route{Destination: s.Network.String(), Device: s.Link()}) {
		return nil
	}
	if err := Disconnect(s); err != nil {
		return err
	}
	if err := refuseOverlap(s, routes); err != nil {
		return err
	}
	node := strconv.Itoa(pid)
	inNode := []string{"--target=" + node, "--net", "--", "ip"}
	for _, command := range [][]string{
		{"ip", "link", "add", s.Link(), "type", "veth", "peer", "name", "eth0", "netns", node},
		append([]string{"nsenter"}, append(inNode, "address", "add", withBits(s.NodeIP()), "dev", "eth0")...),
		append([]string{"nsenter"}, append(inNode, "link", "set", "eth0", "up")...),
		// Pods on the node's network dial a service before its address is translated.
		append([]string{"nsenter"}, append(inNode, "route", "add", s.Services().String(), "dev", "eth0", "src", s.NodeIP().String())...),
		{"ip", "address", "add", withBits(s.HostIP()), "dev", s.Link()},
		{"ip", "link", "set", s.Link(), "up"},
		{"ip", "route", "add", s.Network.String(), "via", s.NodeIP().String()},
	} {
		if err := run(command...); err != nil {
			return err
		}
	}
	return nil
}

func withBits(a netip.Addr) string { return netip.PrefixFrom(a, settings.LinkBits).String() }

// Disconnect removes the link, and the route with it. It may be gone with the node already.
func Disconnect(s settings.Settings) error {
	err := run("ip", "link", "delete", s.Link())
	if err != nil && !LinkExists(s) {
		return nil
	}
	return err
}

// LinkExists says whether the host's end of the link is there.
func LinkExists(s settings.Settings) bool {
	_, err := net.InterfaceByName(s.Link())
	return err == nil
}

// Route is an entry of the main routing table.
type Route struct {
	Destination string `json:"dst"` // an address, a subnet or "default"
	Device      string `json:"dev"`
}

// Routes returns the main routing table.
func Routes() ([]Route, error) {
	out, err := exec.Command("ip", "-4", "-json", "route", "show").Output()
	if err != nil {
		return nil, fmt.Errorf("routes: %w", err)
	}
	var routes []Route
	if err := json.Unmarshal(out, &routes); err != nil {
		return nil, fmt.Errorf("routes: %w", err)
	}
	return routes, nil
}

// Overlapping returns the routes that lead into the network or to a part of it.
func Overlapping(routes []Route, network netip.Prefix) []Route {
	var found []Route
	for _, r := range routes {
		to, err := netip.ParsePrefix(r.Destination)
		if err != nil {
			address, err := netip.ParseAddr(r.Destination)
			if err != nil {
				continue // the default route
			}
			to = netip.PrefixFrom(address, address.BitLen())
		}
		if to.Overlaps(network) {
			found = append(found, r)
		}
	}
	return found
}

// refuseOverlap refuses a network that something else uses.
func refuseOverlap(s settings.Settings, routes []Route) error {
	for _, taken := range Overlapping(routes, s.Network) {
		if taken.Device != s.Link() {
			return fmt.Errorf("network %s: the route to %s over %s overlaps it; set %s to another /16",
				s.Network, taken.Destination, taken.Device, settings.NetworkVariable)
		}
	}
	return nil
}

func run(command ...string) error {
	out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("%s: %s", strings.Join(command, " "), strings.TrimSpace(string(out)))
	}
	return err
}
