package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAuthentication logs in with both paddings, and fails in each way.
func TestAuthentication(t *testing.T) {
	dir := vectorFiles(t)
	file := func(name string) string { return filepath.Join(dir, name) }
	hash := fmt.Sprintf("# users\nmario,%x\n", sha256.Sum256([]byte("{mario}rossi")))
	if err := os.WriteFile(file("users.csv"), []byte(hash), 0o600); err != nil {
		t.Fatal(err)
	}
	keys := []string{"--rsa-private-key-path", file("priv.pem"), "--authorized-users-path", file("users.csv")}
	login := []string{"--username", "mario", "--rsa-public-key-path", file("pub.pem")}
	pkcs1 := []string{"--use-pkcs1-padding"}
	for _, tc := range []struct {
		name           string
		server, client []string
		password       string
		status         int
	}{
		{"oaep", nil, login, "rossi", 0},
		{"pkcs1", pkcs1, append(pkcs1, login...), "rossi", 0},
		{"wrong password", nil, login, "verdi", 1},
		{"wrong user", nil, []string{"--username", "luigi", "--rsa-public-key-path", file("pub.pem")}, "rossi", 1},
		{"server pkcs1, client oaep", pkcs1, login, "rossi", 1},
		{"no login", nil, nil, "", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			server, port := serve(t, append(keys, tc.server...)...)
			cmd := program(t, append([]string{"-c", "127.0.0.1", "-p", port, "-n", "128K"}, tc.client...)...)
			cmd.Env = append(cmd.Env, "IPERF3_PASSWORD="+tc.password)
			got := finish(t, cmd)
			if got.status != tc.status {
				t.Errorf("%+v", got)
			}
			if tc.status == 0 {
				server.stdout.await(t, `receiver`)
				return
			}
			if !strings.Contains(got.stderr, "iperf3: error - test authorization failed") {
				t.Errorf("client: %s", got.stderr)
			}
			server.stderr.await(t, `iperf3: error - test authorization failed`)
			if tc.client == nil {
				server.stderr.await(t, `(?m)^iperf3: the client sent no name and password$`)
			}
			server.stdout.await(t, `test #2`)
		})
	}
}
