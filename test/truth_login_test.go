package test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// Row 5: whoever may not log in learns nothing but that, and the client names
// the likely causes.
var _ = promise(
	truth{row: 5, name: "alike", run: testLoginFailuresAlike},
	truth{row: 5, name: "causes", run: testLoginCauses},
)

// publicKey reads the key that clients use.
func (c credentials) publicKey(t *testing.T) *rsa.PublicKey {
	t.Helper()
	text, err := os.ReadFile(c.public)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(text)
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return key.(*rsa.PublicKey)
}

// loginToken is what a client sends to log in, of any text.
func loginToken(t *testing.T, key *rsa.PublicKey, plain string, pkcs1 bool) string {
	t.Helper()
	var sealed []byte
	var err error
	if pkcs1 {
		//lint:ignore SA1019 it is the padding of clients before 3.17
		sealed, err = rsa.EncryptPKCS1v15(rand.Reader, key, []byte(plain))
	} else {
		sealed, err = rsa.EncryptOAEP(sha1.New(), rand.Reader, key, []byte(plain), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(sealed)
}

// login is the text of a token.
func login(name, password string, at time.Time) string {
	return fmt.Sprintf("user: %s\npwd:  %s\nts:   %d", name, password, at.Unix())
}

// withToken are parameters that carry a token.
func withToken(params, token string) string {
	return strings.Replace(params, "{", `{"authtoken":"`+token+`",`, 1)
}

// wrongTokens are those that a server must refuse; the short form of the tests
// has the more different ones.
func wrongTokens(t *testing.T, c credentials) map[string]string {
	key, now := c.publicKey(t), time.Now()
	tokens := map[string]string{
		"one =":              "=",
		"no ciphertext":      base64.StdEncoding.EncodeToString(slices.Repeat([]byte{0xff}, key.Size())),
		"as long as allowed": loginToken(t, key, strings.Repeat("u", key.Size()-2*sha1.Size-2), false),
		"other padding":      loginToken(t, key, login(c.name, c.password, now), true),
		"wrong password":     loginToken(t, key, login(c.name, "guess", now), false),
		"unknown user":       loginToken(t, key, login("luigi", c.password, now), false),
		"clock behind":       loginToken(t, key, login(c.name, c.password, now.Add(-time.Minute)), false),
	}
	if !everything() {
		return tokens
	}
	for name, token := range map[string]string{
		"none":              "",
		"no Base64":         "!!!! not base64 !!!!",
		"short":             base64.StdEncoding.EncodeToString([]byte("short")),
		"zeros":             base64.StdEncoding.EncodeToString(make([]byte, key.Size())),
		"longer than a key": base64.StdEncoding.EncodeToString(slices.Repeat([]byte{1}, 2*key.Size())),
		"no fields":         loginToken(t, key, "hello", false),
		"no time":           loginToken(t, key, "user: mario\npwd:  rossi\nts:   soon", false),
		"empty":             loginToken(t, key, "", false),
		"clock ahead":       loginToken(t, key, login(c.name, c.password, now.Add(time.Minute)), false),
	} {
		tokens[name] = token
	}
	return tokens
}

// testLoginFailuresAlike compares the bytes that answer each wrong token, and
// the time that they take.
func testLoginFailuresAlike(t *testing.T) {
	for _, server := range tried(t) {
		t.Run(server.name, func(t *testing.T) {
			cred := newCredentials(t, t.TempDir())
			// A refused login does not use up the server's one test.
			s := startServer(t, server, append(cred.serverArgs(), "-1")...)
			shortest, longest := time.Hour, time.Duration(0)
			for name, token := range wrongTokens(t, cred) {
				params := withToken(plainParams, token)
				if token == "" {
					params = plainParams
				}
				best := time.Hour
				for range 2 {
					h := connectByHand(t, s.port)
					h.say(h.cookie).expect(stateParamExchange)
					begin := time.Now()
					code, rest := h.frame(params).refusal()
					if h.err != nil || code != errorAuthentication || rest != "\x00\x00\x00\x00" {
						t.Errorf("%s: answered with error %d and %q: %v", name, code, rest, h.err)
						break
					}
					best = min(best, time.Since(begin))
				}
				shortest, longest = min(shortest, best), max(longest, best)
			}
			t.Logf("answers take %v to %v", shortest, longest)
			if shortest < 200*time.Millisecond || longest-shortest > 200*time.Millisecond {
				t.Errorf("answers take %v to %v, which tells the reasons apart", shortest, longest)
			}
			good := loginToken(t, cred.publicKey(t), login(cred.name, cred.password, time.Now()), false)
			h := connectByHand(t, s.port)
			h.untilRunning(t, withToken(plainParams, good))
			if h.finish(); h.err != nil {
				t.Errorf("the right token: %v", h.err)
			}
			o := s.within(t, 10*time.Second)
			for _, reason := range []string{"unknown user or wrong password", "the client's clock differs by", "read the authentication token"} {
				if !strings.Contains(o.stderr, reason) {
					t.Errorf("the server keeps %q to itself: %v", reason, o)
				}
			}
		})
	}
}

// testLoginCauses asks the client for more than "control socket has closed".
func testLoginCauses(t *testing.T) {
	cred := newCredentials(t, t.TempDir())
	for _, client := range tried(t) {
		for _, server := range anybody(t) {
			t.Run(client.name+"->"+server.name, func(t *testing.T) {
				s := startServer(t, server, cred.serverArgs()...)
				client.env = []string{"IPERF3_PASSWORD=wrong"}
				for _, more := range [][]string{nil, {"-J"}} {
					o := s.client(t, client, append(cred.clientArgs(), more...)...)
					text := o.stderr + o.stdout
					for _, cause := range []string{"name or password", "clocks", "padding", "3.17"} {
						if o.code != 1 || !strings.Contains(text, cause) {
							t.Fatalf("the client does not name %q: %v", cause, o)
						}
					}
				}
			})
		}
	}
}
