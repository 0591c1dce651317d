package apiservertest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// credentials are the files by which server and clients know each other.
type credentials struct {
	certFile, keyFile string // the server's certificate, which is its own authority
	tokenFile         string // the administrator's token
	signingKeyFile    string // signs ServiceAccount tokens

	authority []byte // what a client trusts
	token     string // what an administrator shows
}

// newCredentials makes keys of a few hours: whoever has them reaches nothing but the test's
// own server.
func newCredentials(dir string) (*credentials, error) {
	c := &credentials{
		certFile:       filepath.Join(dir, "server.crt"),
		keyFile:        filepath.Join(dir, "server.key"),
		tokenFile:      filepath.Join(dir, "tokens.csv"),
		signingKeyFile: filepath.Join(dir, "tokens.key"),
		token:          rand.Text(),
	}
	key, err := writeKey(c.keyFile)
	if err != nil {
		return nil, err
	}
	if _, err := writeKey(c.signingKeyFile); err != nil {
		return nil, err
	}
	c.authority, err = certificate(key)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(c.certFile, c.authority, 0o600); err != nil {
		return nil, err
	}
	tokens := fmt.Sprintf("%s,admin,admin,system:masters\n", c.token)
	return c, os.WriteFile(c.tokenFile, []byte(tokens), 0o600)
}

func writeKey(file string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600)
}

func certificate(key *ecdsa.PrivateKey) ([]byte, error) {
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "apiservertest"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(24 * time.Hour),
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), nil
}
