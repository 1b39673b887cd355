package system

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func mustRead(t *testing.T, path string) *journal {
	t.Helper()
	j, err := readJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := mustRead(t, path)
	firewall, mtu := key{By: "nft"}, key{"ip", "eth0"}
	for _, k := range []key{firewall, mtu} {
		if err := j.add(k, json.RawMessage(`{"of":"`+k.By+`"}`)); err != nil {
			t.Fatal(err)
		}
	}
	if before, ok := mustRead(t, path).find(mtu); !ok || string(before) != `{"of":"ip"}` {
		t.Errorf("read back %s, %v", before, ok)
	}
	if err := j.restored(2); err != nil {
		t.Fatal(err)
	}
	again := mustRead(t, path)
	if _, ok := again.find(mtu); ok || len(again.entries) != 1 {
		t.Errorf("entries %+v, want the firewall only", again.entries)
	}
	if err := again.close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error("a journal with an entry was removed:", err)
	}
	if err := j.restored(1); err != nil {
		t.Fatal(err)
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Error("a journal without entries is still there:", err)
	}
}

// TestJournalTorn cuts a journal off at every byte, as a power cut may: what
// was on disk before a change is found, what was not is not, and the journal
// can be gone on with.
func TestJournalTorn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := mustRead(t, path)
	for _, device := range []string{"eth0", "eth1"} {
		if err := j.add(key{"ip", device}, json.RawMessage(`{}`)); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.restored(2); err != nil {
		t.Fatal(err)
	}
	j.file.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) + 1 {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		j := mustRead(t, path)
		lines := strings.Count(string(whole[:n]), "\n")
		if want := []int{0, 1, 2, 1}[lines]; len(j.entries) != want {
			t.Fatalf("%d bytes: %d entries, want %d", n, len(j.entries), want)
		}
		if err := j.add(key{"ip", "eth2"}, json.RawMessage(`{}`)); err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		j.file.Close()
		if _, ok := mustRead(t, path).find(key{"ip", "eth2"}); !ok {
			t.Fatalf("%d bytes: the entry added is not there", n)
		}
	}
}

// TestJournalForeign makes sure that no other file is taken for a journal, and
// then cut or removed.
func TestJournalForeign(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, text := range []string{
		"root:x:0:0",
		"root:x:0:0\n",
		"{}\n",
		`{"entry":1,"by":"nft"}` + "\n",
		`{"entry":1,"restored":true}` + "\n",
		`{"entry":1,"by":"nft","before":{}}` + "\n" + `{"entry":1,"by":"nft","before":{}}` + "\n",
		"{\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readJournal(path); err == nil {
			t.Errorf("%q was read as a journal", text)
		}
	}
	if _, err := readJournal(os.DevNull); err == nil {
		t.Error("a device was read as a journal")
	}
}

func FuzzJournal(f *testing.F) {
	f.Add([]byte(`{"entry":1,"time":"2026-01-02T03:04:05Z","by":"ip","device":"eth0","before":{"links":[]}}` + "\n" + `{"entry":1,"restored":true}` + "\n"))
	f.Add([]byte(`{"entry":1,"by":"nft","before":{}}` + "\n" + `{"ent`))
	f.Fuzz(func(t *testing.T, text []byte) {
		j := &journal{}
		if j.parse(text) != nil {
			return
		}
		// What was read can be written and read again.
		var again []byte
		for _, e := range j.entries {
			b, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			again = append(append(again, b...), '\n')
		}
		k := &journal{}
		if err := k.parse(again); err != nil || len(k.entries) != len(j.entries) {
			t.Fatalf("%q: %v, %d entries of %d", again, err, len(k.entries), len(j.entries))
		}
	})
}
