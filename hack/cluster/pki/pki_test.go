package pki

import (
	"crypto/tls"
	"crypto/x509"
	"net/netip"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/fettle-dev/fettle/hack/cluster/settings"
)

var (
	cluster = settings.Settings{Name: "test", Network: netip.MustParsePrefix("10.7.0.0/16"), Dir: "/nowhere"}
	now     = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
)

func written(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "pki")
	if err := Write(cluster, dir, now); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestEachServerCertificateIsValidForItsNamesAndAddresses(t *testing.T) {
	dir := written(t)
	roots := authority(t, dir)
	for _, tt := range []struct {
		file  string
		hosts []string
	}{
		{"apiserver", []string{"10.7.0.2", "10.7.64.1", "127.0.0.1", "localhost", "kubernetes.default.svc"}},
		{"kubelet", []string{"10.7.0.2", "test"}},
	} {
		pair, err := tls.LoadX509KeyPair(filepath.Join(dir, tt.file+".crt"), filepath.Join(dir, tt.file+".key"))
		if err != nil {
			t.Fatalf("%s: %v", tt.file, err)
		}
		for _, host := range tt.hosts {
			_, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: host, CurrentTime: now})
			if err != nil {
				t.Errorf("%s for %s: %v", tt.file, host, err)
			}
		}
		if err := pair.Leaf.VerifyHostname("elsewhere"); err == nil {
			t.Errorf("%s: got a certificate for any name, want its own only", tt.file)
		}
	}
}

func TestAKubeconfigSaysWhoItsBearerIs(t *testing.T) {
	dir := written(t)
	roots := authority(t, dir)
	for _, tt := range []struct {
		file, wantUser string
		wantGroups     []string
	}{
		{"admin", "admin", []string{"system:masters"}},
		{"node", "system:node:test", []string{"system:nodes"}},
		{"scheduler", "system:kube-scheduler", nil},
	} {
		config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(dir, tt.file+".kubeconfig"))
		if err != nil {
			t.Fatalf("%s: %v", tt.file, err)
		}
		if want := "https://10.7.0.2:6443"; config.Host != want {
			t.Errorf("%s: got server %s, want %s", tt.file, config.Host, want)
		}
		pair, err := tls.X509KeyPair(config.CertData, config.KeyData)
		if err != nil {
			t.Fatalf("%s: %v", tt.file, err)
		}
		usage := []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: usage, CurrentTime: now}); err != nil {
			t.Errorf("%s: %v", tt.file, err)
		}
		subject := pair.Leaf.Subject
		if subject.CommonName != tt.wantUser || !slices.Equal(subject.Organization, tt.wantGroups) {
			t.Errorf("%s: got %s %v, want %s %v", tt.file, subject.CommonName, subject.Organization, tt.wantUser, tt.wantGroups)
		}
	}
}

func authority(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "ca.crt"), filepath.Join(dir, "ca.key"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(pair.Leaf)
	return pool
}
