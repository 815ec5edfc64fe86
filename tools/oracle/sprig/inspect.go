package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"fmt"
	"math/big"
	"strings"
)

// inspect describes a certificate, byte forms included where they are not random, and checks that its key fits and
// that the authority's certificate (its own where empty) has signed it.
func inspect(certPEM, keyPEM, authorityPEM string) (string, error) {
	block, rest := pem.Decode([]byte(certPEM))
	if block == nil || len(rest) > 0 || string(pem.EncodeToMemory(block)) != certPEM {
		return "", fmt.Errorf("not exactly one block in %q", certPEM)
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return "", err
	}
	authority := cert
	if authorityPEM != "" {
		block, _ := pem.Decode([]byte(authorityPEM))
		if authority, err = x509.ParseCertificate(block.Bytes); err != nil {
			return "", err
		}
	}
	if err := authority.CheckSignature(cert.SignatureAlgorithm, cert.RawTBSCertificate, cert.Signature); err != nil {
		return "", err
	}
	key, err := parseKey(keyPEM)
	if err != nil {
		return "", err
	}
	public := key.(crypto.Signer).Public().(interface{ Equal(crypto.PublicKey) bool })
	var out strings.Builder
	fmt.Fprintf(&out, "version %d, %s, issuer %x, subject %x, valid for %s, usage %b %v, constraints %t %t, ",
		cert.Version, cert.SignatureAlgorithm, cert.RawIssuer, cert.RawSubject, cert.NotAfter.Sub(cert.NotBefore),
		cert.KeyUsage, cert.ExtKeyUsage, cert.BasicConstraintsValid, cert.IsCA)
	fmt.Fprintf(&out, "names %v %v, key fits %t, issuer's id %t, own id %d, serial %t",
		cert.DNSNames, cert.IPAddresses, public.Equal(cert.PublicKey),
		string(cert.AuthorityKeyId) == string(authority.SubjectKeyId), len(cert.SubjectKeyId),
		cert.SerialNumber.Sign() >= 0 && cert.SerialNumber.BitLen() <= 128)
	for _, extension := range cert.Extensions {
		fmt.Fprintf(&out, ", %s %t", extension.Id, extension.Critical)
		if !extension.Id.Equal(asn1.ObjectIdentifier{2, 5, 29, 14}) && !extension.Id.Equal(asn1.ObjectIdentifier{2, 5, 29, 35}) {
			fmt.Fprintf(&out, " %x", extension.Value)
		}
	}
	return out.String(), nil
}

func parseKey(text string) (crypto.PrivateKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, fmt.Errorf("no PEM in %q", text)
	}
	switch block.Type {
	case "RSA PRIVATE KEY":
		return x509.ParsePKCS1PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		return x509.ParseECPrivateKey(block.Bytes)
	}
	return x509.ParsePKCS8PrivateKey(block.Bytes)
}

// inspectKey describes a private key and tells whether Go would have written it the same.
func inspectKey(text string) (string, error) {
	block, rest := pem.Decode([]byte(text))
	if block == nil || len(rest) > 0 {
		return "", fmt.Errorf("not exactly one block in %q", text)
	}
	if block.Type == "DSA PRIVATE KEY" {
		return inspectDSA(block.Bytes)
	}
	key, err := parseKey(text)
	if err != nil {
		return "", err
	}
	var der []byte
	kind := ""
	switch k := key.(type) {
	case *rsa.PrivateKey:
		kind, der = fmt.Sprintf("RSA %d, e %d, valid: %v", k.N.BitLen(), k.E, k.Validate()), x509.MarshalPKCS1PrivateKey(k)
	case *ecdsa.PrivateKey:
		kind = "ECDSA " + k.Curve.Params().Name
		der, err = x509.MarshalECPrivateKey(k)
	case ed25519.PrivateKey:
		kind = "Ed25519"
		der, err = x509.MarshalPKCS8PrivateKey(k)
	}
	same := string(pem.EncodeToMemory(&pem.Block{Type: block.Type, Bytes: der})) == text
	return fmt.Sprintf("%s: %s, same %t", block.Type, kind, same), err
}

func inspectDSA(der []byte) (string, error) {
	var key struct {
		Version       int
		P, Q, G, Y, X *big.Int
	}
	rest, err := asn1.Unmarshal(der, &key)
	if err != nil || len(rest) > 0 {
		return "", fmt.Errorf("DSA key: %v", err)
	}
	one := big.NewInt(1)
	less := new(big.Int).Sub(key.P, one)
	divides := new(big.Int).Mod(less, key.Q).Sign() == 0
	order := new(big.Int).Exp(key.G, key.Q, key.P).Cmp(one) == 0 && key.G.Cmp(one) > 0
	public := new(big.Int).Exp(key.G, key.X, key.P).Cmp(key.Y) == 0
	primes := key.P.ProbablyPrime(20) && key.Q.ProbablyPrime(20)
	encoded, _ := asn1.Marshal(key)
	return fmt.Sprintf("DSA %d %d %d, primes %t, group %t %t, public %t, same %t", key.Version, key.P.BitLen(),
		key.Q.BitLen(), primes, divides, order, public, string(encoded) == string(der)), nil
}
