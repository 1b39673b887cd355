package sysinfo

import (
	"regexp"
	"strings"
)

// firewallProfile is one of Windows' three firewall profiles.
type firewallProfile struct {
	Name          string // "domain", "private", "public"; "" if the language is not known
	On            *bool  // nil: the word was not understood
	BlocksInbound *bool  // the policy, which counts only while the profile is on
}

// firewallWords are the words for a profile's state. Those of other rows
// ("Enable", "Activer", "启用") are no answer to it, but "启用" is seen for both.
var firewallWords = map[string]bool{
	"ON": true, "OFF": false, // English, and Japanese and other translations that keep it
	"EIN": true, "AUS": false,
	"ACTIF": true, "INACTIF": false,
	"ACTIVAR": true, "DESACTIVAR": false,
	"打开": true, "启用": true, "关闭": false,
}

// firewallHeadings are words of the headings, for a report of one profile. In
// one of all three they stand in a fixed order.
var firewallHeadings = []struct{ word, profile string }{
	{"domain", "domain"}, {"domän", "domain"}, {"dominio", "domain"}, {"域", "domain"}, {"ドメイン", "domain"},
	{"priva", "private"}, {"privé", "private"}, {"专用", "private"}, {"プライベート", "private"},
	{"public", "public"}, {"públic", "public"}, {"öffentlich", "public"}, {"公用", "public"}, {"パブリック", "public"},
}

var (
	firewallRow    = regexp.MustCompile(`^(\S.*?)\s{2,}(\S.*?)\s*$`)
	firewallPolicy = regexp.MustCompile(`\b(Block|Allow)Inbound(?:Always)?,(?:Block|Allow)Outbound\b`)
)

// parseAdvFirewall reads netsh advfirewall show allprofiles (or currentprofile,
// or only their state). The state is the first row below a profile's heading;
// its word is translated, the policy's is not. A word that is not in the table
// leaves the state unknown.
func parseAdvFirewall(b []byte) ([]firewallProfile, error) {
	var (
		profiles []firewallProfile
		heading  string
		profile  *firewallProfile
	)
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.Trim(line, "-") == "" {
			continue
		}
		row := firewallRow.FindStringSubmatch(line)
		if row == nil {
			if strings.HasSuffix(line, ":") || strings.HasSuffix(line, "：") {
				heading, profile = line, nil
			}
			continue
		}
		if heading != "" && !strings.HasPrefix(row[1], "LogAllowed") {
			profiles = append(profiles, firewallProfile{Name: profileOfHeading(heading)})
			profile = &profiles[len(profiles)-1]
			if on, known := firewallWords[strings.ToUpper(row[2])]; known {
				profile.On = &on
			}
		}
		heading = ""
		if policy := firewallPolicy.FindStringSubmatch(row[2]); policy != nil && profile != nil {
			profile.BlocksInbound = new(policy[1] == "Block")
		}
	}
	if len(profiles) == 0 {
		return nil, notUnderstood("netsh advfirewall: no profile", b)
	}
	if len(profiles) == 3 {
		for i, name := range []string{"domain", "private", "public"} {
			profiles[i].Name = name
		}
	}
	return profiles, nil
}

func profileOfHeading(heading string) string {
	heading = strings.ToLower(heading)
	for _, h := range firewallHeadings {
		if strings.Contains(heading, h.word) {
			return h.profile
		}
	}
	return ""
}
