package test

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// This file has what the modes of the table prepare and check beyond what is
// common to all of them.

// number asks for a number in the client's document.
func number(path string, want float64) func(*testing.T, *pairing) {
	return func(t *testing.T, r *pairing) {
		if got := r.cdoc.num(t, path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
}

func blockSize(want float64) func(*testing.T, *pairing) {
	return number("start.test_start.blksize", want)
}

// window asks for the socket buffers that -w leads to. Linux doubles the value
// that was set.
func window(want float64) func(*testing.T, *pairing) {
	return func(t *testing.T, r *pairing) {
		for _, doc := range []document{r.cdoc, r.sdoc} {
			if got := doc.num(t, "start.sock_bufsize"); got != want {
				t.Errorf("sock_bufsize is %v, want %v", got, want)
			}
		}
		for _, key := range []string{"start.sndbuf_actual", "start.rcvbuf_actual"} {
			if got := r.cdoc.num(t, key); got != want && got != 2*want {
				t.Errorf("%s is %v, want %v or twice that", key, got, want)
			}
		}
	}
}

func congestion(want string) func(*testing.T, *pairing) {
	return func(t *testing.T, r *pairing) {
		for _, key := range []string{"end.sender_tcp_congestion", "end.receiver_tcp_congestion"} {
			if got := r.cdoc.str(key); got != want {
				t.Errorf("%s is %q, want %q", key, got, want)
			}
		}
	}
}

// intervalCount asks for as many intervals as fit into the test, give or take
// one at its end.
func intervalCount(seconds float64) func(*testing.T, *pairing) {
	return func(t *testing.T, r *pairing) {
		want := math.Round(r.mode.seconds / seconds)
		for _, doc := range []document{r.cdoc, r.sdoc} {
			if got := float64(len(doc.objects("intervals"))); math.Abs(got-want) > 1 && !r.mode.busy {
				t.Errorf("%v intervals, want %v", got, want)
			}
		}
	}
}

func oneInterval(t *testing.T, r *pairing) {
	for _, doc := range []document{r.cdoc, r.sdoc} {
		if got := len(doc.objects("intervals")); got != 1 {
			t.Errorf("%d intervals, want 1", got)
		}
	}
}

func localHost(want string) func(*testing.T, *pairing) {
	return func(t *testing.T, r *pairing) {
		if got := r.cdoc.str("start.connected.0.local_host"); got != want {
			t.Errorf("the client's address is %q, want %q", got, want)
		}
	}
}

// freeClientPort gives the data stream a port of its own.
func freeClientPort(t *testing.T, r *pairing) {
	r.mode.client = append(r.mode.client, "-B", "127.0.0.1", "--cport", fmt.Sprint(freePort(t)))
}

func localPort(t *testing.T, r *pairing) {
	want := r.mode.client[len(r.mode.client)-1]
	for _, got := range []any{r.cdoc.get("start.connected.0.local_port"), r.sdoc.get("start.connected.0.remote_port")} {
		if fmt.Sprint(got) != want {
			t.Errorf("the stream's port is %v, want %s", got, want)
		}
	}
}

// fileSize is no multiple of a block, so that the last block is a short one.
const fileSize = 3_000_000

func fileContent() []byte {
	return bytes.Repeat([]byte("0123456789"), fileSize/10)
}

// sendFile gives the client a file to send.
func sendFile(t *testing.T, r *pairing) {
	path := filepath.Join(r.dir, "sent")
	if err := os.WriteFile(path, fileContent(), 0o600); err != nil {
		t.Fatal(err)
	}
	r.mode.client = append(r.mode.client, "-F", path)
}

func fileReported(t *testing.T, r *pairing) {
	if got := r.cdoc.num(t, "end.streams.0.diskfile.sent"); got != fileSize {
		t.Errorf("diskfile.sent is %v, want %v", got, fileSize)
	}
}

// receiveFile gives the client a file to send and the server one to write.
func receiveFile(t *testing.T, r *pairing) {
	sendFile(t, r)
	r.mode.server = append(r.mode.server, "-F", filepath.Join(r.dir, "received"))
}

// fileArrived compares what the server wrote with what the client sent. A
// stock receiver loses what comes after the client's word that it has ended.
func fileArrived(t *testing.T, r *pairing) {
	got, err := os.ReadFile(filepath.Join(r.dir, "received"))
	if err != nil {
		t.Fatal(err)
	}
	sent := fileContent()
	if r.server.ours && !bytes.Equal(got, sent) {
		t.Errorf("received %d bytes, sent %d (equal up to there: %v)", len(got), len(sent), bytes.HasPrefix(sent, got))
	}
	if !bytes.HasPrefix(sent, got) {
		t.Errorf("the %d bytes received are not the beginning of what was sent", len(got))
	}
}

func titled(t *testing.T, r *pairing) {
	for _, doc := range []document{r.cdoc, r.sdoc} {
		if got := doc.str("title"); got != "a title" {
			t.Errorf("title is %q", got)
		}
		if got := doc.str("extra_data"); got != "more" {
			t.Errorf("extra_data is %q", got)
		}
	}
}

// serverText asks for the server's report in the client's document.
func serverText(t *testing.T, r *pairing) {
	text := r.cdoc.str("server_output_text")
	for _, want := range []string{"Accepted connection from ", "receiver"} {
		if !strings.Contains(text, want) {
			t.Errorf("server_output_text lacks %q: %q", want, text)
		}
	}
	if !strings.Contains(r.s.stdout, text[:min(len(text), 40)]) {
		t.Errorf("the server printed something else than it sent:\n%s\n%s", r.s.stdout, text)
	}
}

// serverDocument asks for the server's document in the client's.
func serverDocument(t *testing.T, r *pairing) {
	for _, path := range []string{"start.cookie", "end.sum_received.bytes", "end.sum_received.seconds"} {
		if got, want := r.cdoc.get("server_output_json."+path), r.sdoc.get(path); got == nil || got != want {
			t.Errorf("server_output_json.%s is %v, the server printed %v", path, got, want)
		}
	}
}

// credentials is a user with a key pair, in files as the options want them.
type credentials struct {
	private, public, users string
	name, password         string
}

func newCredentials(t *testing.T, dir string) credentials {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	c := credentials{
		private: filepath.Join(dir, "private.pem"), public: filepath.Join(dir, "public.pem"), users: filepath.Join(dir, "users.csv"),
		name: "mario", password: "rossi",
	}
	hash := sha256.Sum256([]byte("{" + c.name + "}" + c.password))
	for path, content := range map[string][]byte{
		c.private: pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}),
		c.public:  pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}),
		c.users:   fmt.Appendf(nil, "# users\n%s,%x\n", c.name, hash),
	} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func (c credentials) serverArgs() []string {
	return []string{"--rsa-private-key-path", c.private, "--authorized-users-path", c.users}
}

func (c credentials) clientArgs() []string {
	return []string{"--username", c.name, "--rsa-public-key-path", c.public}
}

// authenticate makes the server ask for a password and the client give it. A
// stock peer before 3.17 knows the old padding only.
func authenticate(t *testing.T, r *pairing) {
	c := newCredentials(t, r.dir)
	r.mode.server = append(r.mode.server, c.serverArgs()...)
	r.mode.client = append(r.mode.client, c.clientArgs()...)
	r.client.env = append(r.client.env, "IPERF3_PASSWORD="+c.password)
	oaep := release{3, 17}
	if r.client.release.before(oaep) && !r.server.release.before(oaep) {
		r.mode.server = append(r.mode.server, "--use-pkcs1-padding")
	}
	if r.server.release.before(oaep) && !r.client.release.before(oaep) {
		r.mode.client = append(r.mode.client, "--use-pkcs1-padding")
	}
}
