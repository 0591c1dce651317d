// Package pki makes the keys, certificates and kubeconfigs of a test cluster: one authority
// for everything, valid for a year, and gone with the cluster.
//
// It writes into the directory it is given and reads nothing.
package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// Pair is a certificate or public key and its private key, both as PEM.
type Pair struct{ Public, Private []byte }

// Subject is who a certificate speaks for.
type Subject struct {
	Name      string   // common name: the user that the API server sees
	Groups    []string // organisations: the groups that it sees
	Hosts     []string // DNS names of a server
	Addresses []net.IP // addresses of a server
}

// Authority signs certificates.
type Authority struct {
	cert *x509.Certificate
	key  crypto.Signer
	pair Pair
	now  time.Time
}

// NewAuthority makes an authority whose certificates are valid from an hour before now.
func NewAuthority(name string, now time.Time) (*Authority, error) {
	template := &x509.Certificate{
		Subject:  pkix.Name{CommonName: name},
		IsCA:     true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	a := &Authority{now: now}
	var err error
	a.cert, a.key, a.pair, err = a.sign(template)
	if err != nil {
		return nil, fmt.Errorf("authority %s: %w", name, err)
	}
	return a, nil
}

// Pair returns the authority's own certificate and key.
func (a *Authority) Pair() Pair { return a.pair }

// Issue makes a key and signs a certificate for client and server use.
func (a *Authority) Issue(s Subject) (Pair, error) {
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: s.Name, Organization: s.Groups},
		DNSNames:    s.Hosts,
		IPAddresses: s.Addresses,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	_, _, pair, err := a.sign(template)
	if err != nil {
		return Pair{}, fmt.Errorf("certificate of %s: %w", s.Name, err)
	}
	return pair, nil
}

// NewKey makes a key pair without a certificate, as it signs ServiceAccount tokens.
func NewKey() (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return Pair{}, err
	}
	private, err := encodeKey(key)
	return Pair{Public: encode("PUBLIC KEY", public), Private: private}, err
}

// sign makes a key and signs the template for it; with the same key when a has none yet.
func (a *Authority) sign(template *x509.Certificate) (*x509.Certificate, crypto.Signer, Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, Pair{}, err
	}
	template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, nil, Pair{}, err
	}
	template.NotBefore, template.NotAfter = a.now.Add(-time.Hour), a.now.AddDate(1, 0, 0)
	template.BasicConstraintsValid = true
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		return nil, nil, Pair{}, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, nil, Pair{}, err
	}
	private, err := encodeKey(key)
	return cert, key, Pair{Public: encode("CERTIFICATE", der), Private: private}, err
}

func encodeKey(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return encode("EC PRIVATE KEY", der), nil
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
