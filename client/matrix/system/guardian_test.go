//go:build unix

package system

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// guardianVariable makes the test program a guardian: it holds a Config, and
// the Host's System and Root.
const guardianVariable = "LINKPERF_TEST_GUARDIAN"

type guarded struct {
	Config
	System, Root string
}

func TestMain(m *testing.M) {
	if text := os.Getenv(guardianVariable); text != "" {
		var g guarded
		if err := json.Unmarshal([]byte(text), &g); err != nil {
			panic(err)
		}
		g.Host = Host{System: g.System, Root: g.Root}
		if _, err := Serve(context.Background(), g.Config, os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// guard starts a guardian process for a played machine with the firewall on.
func guard(t *testing.T) (*played, *Guardian) {
	t.Helper()
	p := play(t, "darwin", map[string]string{"global": "1"})
	text, err := json.Marshal(guarded{p.config, p.config.Host.System, p.root})
	if err != nil {
		t.Fatal(err)
	}
	process := exec.Command(os.Args[0])
	process.Env = append(os.Environ(), guardianVariable+"="+string(text))
	process.Stderr = os.Stderr
	g, err := Start(process, p.config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { process.Process.Kill() })
	if lines, err := g.Prepare(Wanted{Firewall: []string{On, Off}}); err != nil || len(lines) != 1 {
		t.Fatalf("prepared: %q, %v", lines, err)
	}
	return p, g
}

func (p *played) firewall() string {
	b, _ := os.ReadFile(filepath.Join(p.root, "state", "global"))
	return strings.TrimSpace(string(b))
}

func off(t *testing.T, p *played, g *Guardian) {
	t.Helper()
	if err := g.Apply(Values{Firewall: Off}); err != nil || p.firewall() != "0" {
		t.Fatalf("the firewall is %s, %v", p.firewall(), err)
	}
}

func TestGuardian(t *testing.T) {
	p, g := guard(t)
	off(t, p, g)
	if restored, err := g.Close(t.Context()); err != nil || len(restored) != 1 || p.firewall() != "1" {
		t.Errorf("restored %q, %v: %s", restored, err, p.firewall())
	}
}

// TestGuardianAlone ends the pipe as the death of the program does.
func TestGuardianAlone(t *testing.T) {
	p, g := guard(t)
	off(t, p, g)
	g.in.Close()
	if err := g.process.Wait(); err != nil || p.firewall() != "1" {
		t.Errorf("%v: %s", err, p.firewall())
	}
}

func TestGuardianKilled(t *testing.T) {
	p, g := guard(t)
	off(t, p, g)
	g.process.Process.Kill()
	g.process.Wait()
	if err := g.Apply(Values{Firewall: On}); !errors.Is(err, errGone) {
		t.Errorf("asked a guardian that is gone: %v", err)
	}
	if restored, err := g.Close(t.Context()); err != nil || len(restored) != 1 || p.firewall() != "1" {
		t.Errorf("restored %q, %v: %s", restored, err, p.firewall())
	}
}

// TestGuardianKilledInside kills the guardian while a command of it runs: what
// that command does comes before the restoring.
func TestGuardianKilledInside(t *testing.T) {
	p, g := guard(t)
	gate := filepath.Join(p.root, "state", "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	applied := make(chan error, 1)
	go func() { applied <- g.Apply(Values{Firewall: Off}) }()
	asked := until(t.Context(), 10*time.Second, func() bool {
		b, _ := os.ReadFile(filepath.Join(p.root, "calls"))
		return strings.Contains(string(b), "--setglobalstate off")
	})
	if !asked {
		t.Fatal("the firewall was not asked to be off")
	}
	g.process.Process.Kill()
	if err := <-applied; !errors.Is(err, errGone) {
		t.Errorf("asked a guardian that is gone: %v", err)
	}
	if _, _, err := p.config.prepared(t.Context(), Wanted{Firewall: []string{Off}}); err == nil || !strings.Contains(err.Error(), "another plan") {
		t.Errorf("prepared while a command of another runs: %v", err)
	}
	closed := make(chan error, 1)
	go func() {
		_, err := g.Close(t.Context())
		closed <- err
	}()
	if err := os.WriteFile(gate, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	if err := <-closed; err != nil || p.firewall() != "1" {
		t.Errorf("%v: %s", err, p.firewall())
	}
}

func TestOneAtATime(t *testing.T) {
	p, g := guard(t)
	_, _, err := p.config.prepared(t.Context(), Wanted{Firewall: []string{Off}})
	fails(t, err, "another plan is changing this system now")
	_, err = p.config.Restore(t.Context(), time.Millisecond)
	fails(t, err, "another plan is changing this system now")
	if restored, err := g.Close(t.Context()); err != nil || len(restored) != 0 {
		t.Errorf("restored %q, %v", restored, err)
	}
	p.calls("")
}
