package server_test

import (
	"crypto/rand"
	"crypto/rsa"
	"testing"
	"time"

	"linkperf/client"
	"linkperf/protocol"
	"linkperf/server"
)

func TestAuthentication(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	users := protocol.ParseCredentials([]byte("# who may\nalice,9fb9349969765cb57b343daf1872140068c079c5fdf209f18422b11d5b96fafc\n"))
	b := start(t, &server.Server{
		OneOff: true, PrivateKey: key,
		Credentials: func() (protocol.Credentials, error) { return users, nil },
	})
	login := client.Config{Host: "127.0.0.1", Port: b.port, Blocks: 1, Username: "alice", Password: "s3cret", PublicKey: &key.PublicKey}
	for name, change := range map[string]func(*client.Config){
		"wrong password": func(c *client.Config) { c.Password = "guess" },
		"unknown user":   func(c *client.Config) { c.Username = "bob" },
		"other padding":  func(c *client.Config) { c.PKCS1Padding = true },
		"no login":       func(c *client.Config) { c.Username, c.Password, c.PublicKey = "", "", nil },
	} {
		c := login
		change(&c)
		begin := time.Now()
		_, err := client.Run(t.Context(), c, nil)
		if !isCode(err, protocol.CodeAuthTest) {
			t.Errorf("%s: %v", name, err)
		}
		if d := time.Since(begin); d < 200*time.Millisecond {
			t.Errorf("%s: refused after %v", name, d)
		}
		if o := b.outcome(); !isCode(o.err, protocol.CodeAuthTest) {
			t.Errorf("%s, server: %v", name, o.err)
		}
	}
	if _, err := client.Run(t.Context(), login, nil); err != nil {
		t.Errorf("right password: %v", err)
	}
	if err := <-b.served; err != nil {
		t.Errorf("a refused login ended the server of one test: %v", err)
	}
}
