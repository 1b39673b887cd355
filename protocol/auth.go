package protocol

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// DefaultSkew is how far a token's time may lie from the server's, either way.
const DefaultSkew = 10 * time.Second

// tokenSpace is what separates words for the C library.
const tokenSpace = " \t\n\v\f\r"

// A Token is what a client proves its identity with.
type Token struct {
	User, Password string
	// Time is the client's clock when it made the token, in whole seconds.
	Time time.Time
}

// EncryptToken returns the value of Params.AuthToken. The padding is OAEP, or
// PKCS #1 v1.5 for servers before 3.17 and those told to use it; the server has
// to use the same. It fails when a name or password is empty or has white space
// in it, which servers cannot read, or is too long for the key.
func EncryptToken(user, password string, now time.Time, pub *rsa.PublicKey, pkcs1 bool) (string, error) {
	for what, text := range map[string]string{"user name": user, "password": password} {
		if text == "" || strings.ContainsAny(text, tokenSpace) {
			return "", fmt.Errorf("make an authentication token: the %s is empty or contains white space", what)
		}
	}
	// Two and three blanks, no line feed at the end: as iperf3 writes it.
	plain := []byte(fmt.Sprintf("user: %s\npwd:  %s\nts:   %d", user, password, now.Unix()))
	var sealed []byte
	var err error
	if pkcs1 {
		//lint:ignore SA1019 it is the padding of servers before 3.17
		sealed, err = rsa.EncryptPKCS1v15(rand.Reader, pub, plain)
	} else {
		sealed, err = rsa.EncryptOAEP(sha1.New(), rand.Reader, pub, plain, nil)
	}
	if err != nil {
		return "", fmt.Errorf("make an authentication token: %w", err)
	}
	return base64.StdEncoding.EncodeToString(sealed), nil
}

// errNoToken is for the server's eyes, as the other causes are.
var errNoToken = errors.New("the client sent no name and password")

// DecryptToken reads a token. Its error tells people why it failed and must not
// reach the peer, for whom Authenticate makes all failures alike.
func DecryptToken(token string, priv *rsa.PrivateKey, pkcs1 bool) (Token, error) {
	sealed, err := base64.StdEncoding.DecodeString(token)
	if err != nil || len(sealed) != priv.Size() {
		// Decrypt something of the right size all the same, so that the time
		// taken does not depend on what was wrong.
		sealed = make([]byte, priv.Size())
		sealed[len(sealed)-1] = 2
		if err == nil {
			err = errors.New("the token does not have the size of the key")
		}
	}
	var plain []byte
	var decryptErr error
	if pkcs1 {
		//lint:ignore SA1019 it is the padding of clients before 3.17
		plain, decryptErr = rsa.DecryptPKCS1v15(nil, priv, sealed)
	} else {
		plain, decryptErr = rsa.DecryptOAEP(sha1.New(), nil, priv, sealed, nil)
	}
	if err == nil && decryptErr != nil {
		err = fmt.Errorf("it was made for another key or with the other padding: %w", decryptErr)
	}
	if err != nil {
		plain = []byte("user: -\npwd:  -\nts:   0")
	}
	t, parseErr := parseToken(string(plain))
	if err == nil {
		err = parseErr
	}
	switch {
	case token == "":
		return Token{}, errNoToken
	case err != nil:
		return Token{}, fmt.Errorf("read the authentication token: %w", err)
	}
	return t, nil
}

// parseToken reads the decrypted text with any white space around its values, as
// servers do.
func parseToken(plain string) (Token, error) {
	rest := strings.TrimRight(plain, tokenSpace+"\x00")
	user, ok1 := cutField(&rest, "user:")
	password, ok2 := cutField(&rest, "pwd:")
	stamp, ok3 := cutField(&rest, "ts:")
	if !ok1 || !ok2 || !ok3 || rest != "" {
		return Token{}, errors.New("it does not have the three fields user, pwd and ts")
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return Token{}, fmt.Errorf("its time: %w", err)
	}
	return Token{User: user, Password: password, Time: time.Unix(seconds, 0)}, nil
}

// cutField takes a label and the word that follows it from the start of rest.
func cutField(rest *string, label string) (string, bool) {
	after, ok := strings.CutPrefix(strings.TrimLeft(*rest, tokenSpace), label)
	word := strings.TrimLeft(after, tokenSpace)
	if i := strings.IndexAny(word, tokenSpace); i >= 0 {
		word, *rest = word[:i], word[i:]
	} else {
		*rest = ""
	}
	return word, ok && word != ""
}

// ParsePublicKey reads an RSA public key in PEM: SubjectPublicKeyInfo, as
// openssl writes it, or PKCS #1.
func ParsePublicKey(data []byte) (*rsa.PublicKey, error) {
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, errors.New("read the RSA public key: it is not in PEM")
	}
	if key, err := x509.ParsePKCS1PublicKey(block.Bytes); err == nil {
		return key, nil
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("read the RSA public key: %w", err)
	}
	public, ok := key.(*rsa.PublicKey)
	if !ok {
		return nil, fmt.Errorf("read the RSA public key: it is a %T", key)
	}
	return public, nil
}

// ParsePrivateKey reads an RSA private key in PEM, without a passphrase: PKCS #8
// or PKCS #1.
func ParsePrivateKey(data []byte) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, errors.New("read the RSA private key: it is not in PEM")
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("read the RSA private key: %w", err)
	}
	private, ok := key.(*rsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("read the RSA private key: it is a %T", key)
	}
	return private, nil
}

// Credentials are the users a server knows, each with the lower-case
// hexadecimal SHA-256 of "{name}password", of which a user can have several.
type Credentials map[string][]string

// ParseCredentials reads a credentials file: a line "name,hash" for each
// password. Lines without a comma and those that start with "#" are skipped.
func ParseCredentials(data []byte) Credentials {
	users := Credentials{}
	for line := range strings.SplitSeq(string(data), "\n") {
		name, hash, ok := strings.Cut(strings.TrimRight(line, "\r"), ",")
		if ok && !strings.HasPrefix(name, "#") {
			users[name] = append(users[name], hash)
		}
	}
	return users
}

// Check reports whether the user is known and the password right. It takes the
// same work for unknown users.
func (c Credentials) Check(user, password string) bool {
	digest := sha256.Sum256([]byte("{" + user + "}" + password))
	got := hex.EncodeToString(digest[:])
	hashes, known := c[user]
	if !known {
		hashes = []string{strings.Repeat("0", len(got))}
	}
	right := 0
	for _, want := range hashes {
		right |= subtle.ConstantTimeCompare([]byte(got), []byte(want))
	}
	return right == 1 && known
}

// Authenticate checks a client's token at the server's time now; skew is how far
// the token's time may lie from it, either way. Every failure is CodeAuthTest
// with the same text and takes the same work, so that a peer learns nothing from
// it; the cause that is wrapped is for the server's own eyes.
func Authenticate(token string, priv *rsa.PrivateKey, users Credentials, now time.Time, skew time.Duration, pkcs1 bool) error {
	t, err := DecryptToken(token, priv, pkcs1)
	// Whole seconds, as the token has them.
	age := now.Truncate(time.Second).Sub(t.Time)
	known := users.Check(t.User, t.Password)
	switch {
	case err != nil:
		return NewError(CodeAuthTest, err)
	case age.Abs() > skew:
		return NewError(CodeAuthTest, fmt.Errorf("the client's clock differs by %v", age))
	case !known:
		return NewError(CodeAuthTest, errors.New("unknown user or wrong password"))
	}
	return nil
}
