package sysinfo

import (
	"encoding/json"
)

// applicationFirewall is the state of the macOS application firewall. A nil
// field was not told.
type applicationFirewall struct {
	On          *bool
	BlockAll    *bool // refuses all incoming connections
	Stealth     *bool
	AllowSigned *bool // built-in signed software is allowed without asking
	Rules       *int  // applications with an entry of their own
}

// parseFirewallReport reads system_profiler -json SPFirewallDataType.
func parseFirewallReport(b []byte) (applicationFirewall, error) {
	var report struct {
		Settings []profilerItem `json:"SPFirewallDataType"`
	}
	if err := json.Unmarshal(b, &report); err != nil {
		return applicationFirewall{}, because(ParseError, "SPFirewallDataType: %v", err)
	}
	if len(report.Settings) == 0 {
		return applicationFirewall{}, because(ParseError, "SPFirewallDataType: no settings")
	}
	var f applicationFirewall
	s := report.Settings[0]
	switch state := s.text("spfirewall_globalstate"); state {
	case "spfirewall_globalstate_allow_all", "spfirewall_globalstate_off":
		f.On, f.BlockAll = new(false), new(false)
	case "spfirewall_globalstate_limit_connections":
		f.On, f.BlockAll = new(true), new(false)
	case "spfirewall_globalstate_block_all":
		f.On, f.BlockAll = new(true), new(true)
	default:
		return f, notUnderstood("SPFirewallDataType: unknown state", []byte(state))
	}
	switch s.text("spfirewall_stealthenabled") {
	case "Yes":
		f.Stealth = new(true)
	case "No":
		f.Stealth = new(false)
	}
	f.Rules = new(len(s.item("spfirewall_applications")))
	return f, nil
}
