package pki

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/fettle-dev/fettle/hack/cluster/settings"
)

// client is a user of the API server and the name of its kubeconfig.
type client struct {
	file    string
	subject Subject
}

func clients(s settings.Settings) []client {
	return []client{
		{"admin", Subject{Name: "admin", Groups: []string{"system:masters"}}},
		{"provisioner", Subject{Name: "local-provisioner", Groups: []string{"system:masters"}}},
		{"controller-manager", Subject{Name: "system:kube-controller-manager"}},
		{"scheduler", Subject{Name: "system:kube-scheduler"}},
		{"proxy", Subject{Name: "system:kube-proxy"}},
		{"node", Subject{Name: "system:node:" + s.Name, Groups: []string{"system:nodes"}}},
	}
}

// Write makes everything anew in dir, which it creates:
//
//	ca.crt ca.key                     the authority
//	sa.pub sa.key                     signs ServiceAccount tokens
//	apiserver, kubelet                .crt and .key of the two servers
//	apiserver-kubelet, front-proxy    .crt and .key of the API server as a client
//	<client>.kubeconfig               admin, provisioner, controller-manager, scheduler, proxy, node
func Write(s settings.Settings, dir string, now time.Time) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	authority, err := NewAuthority("fettle-cluster-"+s.Name, now)
	if err != nil {
		return err
	}
	if err := writePair(dir, "ca", ".crt", authority.Pair()); err != nil {
		return err
	}
	tokens, err := NewKey()
	if err != nil {
		return err
	}
	if err := writePair(dir, "sa", ".pub", tokens); err != nil {
		return err
	}
	addresses := []net.IP{s.NodeIP().AsSlice(), s.APIService().AsSlice(), net.IPv4(127, 0, 0, 1)}
	service := "kubernetes.default.svc"
	for file, subject := range map[string]Subject{
		"apiserver": {Name: "kube-apiserver", Addresses: addresses,
			Hosts: []string{"kubernetes", "kubernetes.default", service, service + ".cluster.local", "localhost"}},
		"kubelet":           {Name: s.Name, Addresses: addresses, Hosts: []string{s.Name, "localhost"}},
		"front-proxy":       {Name: "front-proxy-client"},
		"apiserver-kubelet": {Name: "apiserver-kubelet", Groups: []string{"system:masters"}},
	} {
		pair, err := authority.Issue(subject)
		if err != nil {
			return err
		}
		if err := writePair(dir, file, ".crt", pair); err != nil {
			return err
		}
	}
	for _, c := range clients(s) {
		pair, err := authority.Issue(c.subject)
		if err != nil {
			return err
		}
		config := kubeconfig(s, authority.Pair().Public, c.file, pair)
		if err := clientcmd.WriteToFile(config, filepath.Join(dir, c.file+".kubeconfig")); err != nil {
			return fmt.Errorf("kubeconfig of %s: %w", c.file, err)
		}
	}
	return nil
}

func writePair(dir, name, publicSuffix string, pair Pair) error {
	if err := os.WriteFile(filepath.Join(dir, name+publicSuffix), pair.Public, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name+".key"), pair.Private, 0o600)
}

// kubeconfig holds its certificates, so that the file can be copied elsewhere.
func kubeconfig(s settings.Settings, authority []byte, user string, pair Pair) clientcmdapi.Config {
	cluster := "fettle-cluster-" + s.Name
	return clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{cluster: {Server: s.Server(), CertificateAuthorityData: authority}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{user: {ClientCertificateData: pair.Public, ClientKeyData: pair.Private}},
		Contexts:       map[string]*clientcmdapi.Context{cluster: {Cluster: cluster, AuthInfo: user}},
		CurrentContext: cluster,
	}
}
