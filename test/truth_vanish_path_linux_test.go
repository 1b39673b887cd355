package test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// This file has the parts of row 1 that need a network between client and
// server.

// cutCable takes the client's link down and kills the client, so that no word
// of it reaches the server.
func cutCable(t *testing.T) func(*testing.T) {
	left, right := newPair(t, 1500)
	var servers []*server
	var names []string
	var clients []*process
	cases := []string{"-b 5M", "-b 1M -R", "-u -R"}
	if everything() {
		cases = append(cases, "-u", "-b 1M --bidir", "-u --bidir")
	}
	for _, server := range tried(t) {
		for _, client := range anybody(t) {
			for _, args := range cases {
				s := listenOpenly(t, right.runs(server))
				servers = append(servers, s)
				names = append(names, client.name+"/"+args)
				clients = append(clients, startClientTo(t, right.v4, s, left.runs(client), strings.Fields(args)...))
			}
		}
	}
	left.sh(t, "ip link set eth0 down")
	var all []*vanishing
	for i, c := range clients {
		c.cmd.Process.Kill()
		all = append(all, vanished(names[i], servers[i], noSign+"|Connection timed out", vanishLimit))
	}
	return checkAll(all, servesOn(right, linkperf(t)))
}

// natRules make a host forget connections over which nothing has come or gone
// for a while, as a NAT does: what belongs to none that it knows is dropped.
func natRules(idle time.Duration) string {
	return fmt.Sprintf(`nft -f - <<-'END'
		table inet nat {
			set known { type inet_service; flags dynamic,timeout; timeout %ds; }
			chain out {
				type filter hook output priority 0;
				oifname != "eth0" accept
				tcp flags & (syn|ack) == syn update @known { tcp sport } accept
				tcp sport @known update @known { tcp sport } accept
				meta l4proto tcp drop
			}
			chain in {
				type filter hook input priority 0;
				iifname != "eth0" accept
				tcp dport @known update @known { tcp dport } accept
				meta l4proto tcp drop
			}
		}
	END`, int(idle.Seconds()))
}

func needNFT(t *testing.T) {
	t.Helper()
	_, err := exec.LookPath("nft")
	need(t, err == nil, "needs nft, from the package nftables")
}

// idleInNAT has a NAT in between that forgets connections sooner than the
// control connection has something to say. Keepalive of either side reminds it.
func idleInNAT(t *testing.T) func(*testing.T) {
	needNFT(t)
	left, right := newPair(t, 1500)
	left.sh(t, natRules(6*time.Second))
	var all []running
	ours, stocks := linkperf(t), stockPeers(t)
	pairs := [][2]peer{{ours, ours}}
	for _, stock := range stocks {
		pairs = append(pairs, [2]peer{ours, stock}, [2]peer{stock, ours})
	}
	if stockOnTrial() {
		pairs = [][2]peer{{stocks[0], stocks[0]}}
	}
	for _, p := range pairs {
		s := startServer(t, right.runs(p[1]), "-1")
		c := begin(t, left.runs(p[0]).command(t.Context(), "-c", right.v4, "-p", s.portArg(), "-t", "9", "-b", "1M"))
		all = append(all, running{p[0].name + "->" + p[1].name, c, s.process})
	}
	return checkRunning(all)
}

// forgetInNAT lets the NAT forget the control connection all the same, while
// data flow on.
func forgetInNAT(t *testing.T) func(*testing.T) {
	needNFT(t)
	left, right := newPair(t, 1500)
	left.sh(t, natRules(time.Hour))
	var all []*vanishing
	for _, server := range tried(t) {
		for _, client := range anybody(t) {
			for _, args := range []string{"-b 5M", "-b 5M -R"} {
				s := listenOpenly(t, right.runs(server))
				startClientTo(t, right.v4, s, left.runs(client), strings.Fields(args)...)
				accepted := awaitOutput(t, s.process, `Accepted connection from \S+, port (\d+)`)
				left.sh(t, "nft delete element inet nat known { "+accepted[1]+" }")
				all = append(all, vanished(client.name+"/"+args, s, "Connection timed out", vanishLimit))
			}
		}
	}
	return checkAll(all, servesOn(right, linkperf(t)))
}
