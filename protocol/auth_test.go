package protocol_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"linkperf/protocol"
)

func authFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/auth/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func keys(t testing.TB) (*rsa.PrivateKey, *rsa.PublicKey) {
	t.Helper()
	private, err := protocol.ParsePrivateKey(authFile(t, "key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	public, err := protocol.ParsePublicKey(authFile(t, "pub.pem"))
	if err != nil {
		t.Fatal(err)
	}
	return private, public
}

func TestKeys(t *testing.T) {
	private, public := keys(t)
	if !private.PublicKey.Equal(public) {
		t.Error("the keys do not belong together")
	}
	if k, err := protocol.ParsePrivateKey(authFile(t, "key-pkcs1.pem")); err != nil || !k.Equal(private) {
		t.Error(err)
	}
	if k, err := protocol.ParsePublicKey(authFile(t, "pub-pkcs1.pem")); err != nil || !k.Equal(public) {
		t.Error(err)
	}
	for _, bad := range []string{"", "x", string(authFile(t, "ed25519.pem")), string(authFile(t, "ed25519-pub.pem")),
		"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"} {
		if _, err := protocol.ParsePublicKey([]byte(bad)); err == nil {
			t.Errorf("public key %q", bad)
		}
		if _, err := protocol.ParsePrivateKey([]byte(bad)); err == nil {
			t.Errorf("private key %q", bad)
		}
	}
}

// Tokens that others made: iperf3 3.12, and openssl as iperf3 from 3.17 on does.
func TestRecordedTokens(t *testing.T) {
	private, _ := keys(t)
	for _, test := range []struct {
		file  string
		pkcs1 bool
		ts    int64
	}{{"token-pkcs1", true, 1796058327}, {"token-oaep", false, 1796058400}} {
		token := string(authFile(t, test.file))
		got, err := protocol.DecryptToken(token, private, test.pkcs1)
		if err != nil || got.User != "alice" || got.Password != "s3cret" || got.Time.Unix() != test.ts {
			t.Errorf("%s: %+v, %v", test.file, got, err)
		}
		if got, err := protocol.DecryptToken(token, private, !test.pkcs1); err == nil {
			t.Errorf("%s with the other padding: %+v", test.file, got)
		}
	}
}

func TestTokens(t *testing.T) {
	private, public := keys(t)
	now := time.Unix(1796058400, 999)
	for _, pkcs1 := range []bool{false, true} {
		token, err := protocol.EncryptToken("bob", "pässword", now, public, pkcs1)
		if err != nil {
			t.Fatal(err)
		}
		got, err := protocol.DecryptToken(token, private, pkcs1)
		if err != nil || got.User != "bob" || got.Password != "pässword" || got.Time.Unix() != now.Unix() {
			t.Errorf("%+v, %v", got, err)
		}
	}
	for name, user := range map[string]string{"empty": "", "white space": "a b", "too long": strings.Repeat("x", 300)} {
		if _, err := protocol.EncryptToken(user, "x", now, public, false); err == nil {
			t.Error(name)
		}
		if _, err := protocol.EncryptToken("x", user, now, public, true); err == nil {
			t.Error(name)
		}
	}
}

// TestTokenCauses checks what whoever runs the server is told.
func TestTokenCauses(t *testing.T) {
	private, public := keys(t)
	other, err := protocol.EncryptToken("a", "b", time.Unix(7, 0), public, true)
	if err != nil {
		t.Fatal(err)
	}
	for token, want := range map[string]string{
		"":     "the client sent no name and password",
		"AAAA": "read the authentication token: the token does not have the size of the key",
		other:  "read the authentication token: it was made for another key or with the other padding: ",
	} {
		if _, err := protocol.DecryptToken(token, private, false); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.8q: %v, want %s", token, err, want)
		}
	}
}

func sealed(t *testing.T, public *rsa.PublicKey, plain string) string {
	t.Helper()
	b, err := rsa.EncryptOAEP(sha1.New(), rand.Reader, public, []byte(plain), nil)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b)
}

// Servers scan the text with any white space, and need all three fields.
func TestTokenText(t *testing.T) {
	private, public := keys(t)
	for plain, ok := range map[string]bool{
		"user: a\npwd:  b\nts:   7":               true,
		"user:a pwd:b ts:7":                       true,
		"\n user:\t\na  pwd:  b \n ts:   7\n\x00": true,
		"user: a\npwd:  b\nts:   -7":              true,
		"user: a\npwd:  b\nts:   x":               false,
		"user: a\npwd:  b\nts:   7 8":             false,
		"user: a\npwd:  b\nts:":                   false,
		"user: a\npwd:  b":                        false,
		"user: a b\npwd:  b\nts:   7":             false,
		"pwd: b\nuser: a\nts: 7":                  false,
		"":                                        false,
		strings.Repeat("x", 214):                  false, // all that fits the key
	} {
		got, err := protocol.DecryptToken(sealed(t, public, plain), private, false)
		if (err == nil) != ok || ok && (got.User != "a" || got.Password != "b") {
			t.Errorf("%.40q: %+v, %v", plain, got, err)
		}
	}
}

func TestCredentials(t *testing.T) {
	users := protocol.ParseCredentials(append(authFile(t, "credentials.csv"),
		"nobody\r\n#bob,5\nbob,9FB9349969765CB57B343DAF1872140068C079C5FDF209F18422B11D5B96FAFC\r\nempty,\n"...))
	if len(users) != 3 || len(users["alice"]) != 2 {
		t.Errorf("got %v", users)
	}
	// The second of alice's lines matches, as on a stock server.
	if !users.Check("alice", "s3cret") {
		t.Error("alice is refused")
	}
	for _, bad := range [][2]string{{"alice", "secret"}, {"bob", "s3cret"}, {"Alice", "s3cret"}, {"empty", ""}, {"", ""}, {"x", "s3cret"}} {
		if users.Check(bad[0], bad[1]) {
			t.Errorf("%v is let in", bad)
		}
	}
	if protocol.Credentials(nil).Check("alice", "s3cret") {
		t.Error("no users, and alice is let in")
	}
}

func TestAuthenticate(t *testing.T) {
	private, public := keys(t)
	users := protocol.ParseCredentials(authFile(t, "credentials.csv"))
	now := time.Unix(1796058400, 5e8)
	token := func(user, password string, age time.Duration) string {
		s, err := protocol.EncryptToken(user, password, now.Add(-age), public, false)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for name, good := range map[string]string{
		"fresh":          token("alice", "s3cret", 0),
		"10 s old":       token("alice", "s3cret", 10*time.Second),
		"10 s in future": token("alice", "s3cret", -10*time.Second),
	} {
		if err := protocol.Authenticate(good, private, users, now, protocol.DefaultSkew, false); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, bad := range map[string]string{
		"11 s old":       token("alice", "s3cret", 11*time.Second),
		"11 s in future": token("alice", "s3cret", -11*time.Second),
		"ages ago":       sealed(t, public, "user: alice\npwd: s3cret\nts: -9223372036854775808"),
		"in ages":        sealed(t, public, "user: alice\npwd: s3cret\nts: 9223372036854775807"),
		"wrong password": token("alice", "guess", 0),
		"unknown user":   token("mallory", "s3cret", 0),
		"none":           "",
		"padding only":   "=",
		"not base64":     "?!",
		"short":          "AAAA",
		"size of key":    base64.StdEncoding.EncodeToString(make([]byte, 256)),
		"over modulus":   base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\xff", 256))),
		"too long":       base64.StdEncoding.EncodeToString(make([]byte, 30000)),
		"no fields":      sealed(t, public, "hello"),
	} {
		for _, pkcs1 := range []bool{false, true} {
			err := protocol.Authenticate(bad, private, users, now, protocol.DefaultSkew, pkcs1)
			if !errors.Is(err, protocol.NewError(protocol.CodeAuthTest, nil)) || err.Error() != "test authorization failed" {
				t.Errorf("%s: got %v", name, err)
			}
		}
	}
}
