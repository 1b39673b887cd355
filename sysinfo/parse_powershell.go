package sysinfo

import (
	"strconv"
	"strings"
)

// parseFormatList reads what PowerShell prints with Format-List: blocks of
// "Name : Value", an object each. Names of properties are not translated.
func parseFormatList(b []byte) ([]map[string]string, error) {
	var objects []map[string]string
	var object map[string]string
	last := ""
	for line := range strings.Lines(strings.TrimPrefix(string(b), "\ufeff")) {
		line = strings.TrimRight(line, "\r\n ")
		if line == "" {
			object = nil
			continue
		}
		if strings.HasPrefix(line, " ") { // the rest of a long value
			if object != nil && last != "" {
				object[last] += strings.TrimSpace(line)
			}
			continue
		}
		name, value, found := strings.Cut(line, ":")
		if !found {
			continue
		}
		if object == nil {
			object = make(map[string]string)
			objects = append(objects, object)
		}
		last = strings.TrimSpace(name)
		object[last] = strings.TrimSpace(value)
	}
	if len(objects) == 0 {
		return nil, notUnderstood("Format-List: no object", b)
	}
	return objects, nil
}

// connectionProfile is one network of Get-NetConnectionProfile.
type connectionProfile struct {
	InterfaceIndex int
	Alias          string
	Category       string // "public", "private", "domain"; "" unknown
}

// connectionProfiles picks the networks out of Format-List objects.
func connectionProfiles(objects []map[string]string) []connectionProfile {
	var profiles []connectionProfile
	for _, o := range objects {
		category, found := o["NetworkCategory"]
		if !found {
			continue
		}
		p := connectionProfile{Alias: o["InterfaceAlias"]}
		p.InterfaceIndex, _ = strconv.Atoi(o["InterfaceIndex"])
		switch category {
		case "Public", "0":
			p.Category = "public"
		case "Private", "1":
			p.Category = "private"
		case "DomainAuthenticated", "2":
			p.Category = "domain"
		}
		profiles = append(profiles, p)
	}
	return profiles
}

// networkAdapter is one adapter of Get-NetAdapter, by the properties that the
// IP Helper does not have.
type networkAdapter struct {
	InterfaceIndex int
	Description    string
	FullDuplex     *bool // nil: not told
	DriverVersion  string
	Speed          int64 // bits per second; 0 unknown
}

// networkAdapters picks the adapters out of Format-List objects.
func networkAdapters(objects []map[string]string) []networkAdapter {
	var adapters []networkAdapter
	for _, o := range objects {
		description, found := o["InterfaceDescription"]
		if !found {
			continue
		}
		a := networkAdapter{Description: description, DriverVersion: o["DriverVersion"]}
		a.InterfaceIndex, _ = strconv.Atoi(o["InterfaceIndex"])
		switch o["FullDuplex"] {
		case "True":
			a.FullDuplex = new(true)
		case "False":
			a.FullDuplex = new(false)
		}
		if a.DriverVersion == "" { // "Driver Date 2016-08-28 Version 5.25 NDIS 6.60"
			words := strings.Fields(o["DriverInformation"])
			for i := range words[:max(len(words)-1, 0)] {
				if words[i] == "Version" {
					a.DriverVersion = words[i+1]
				}
			}
		}
		if gigabit, found := o["LinkSpeed(Gbps)"]; found {
			a.Speed, _ = parseBitRate(gigabit + " Gbps")
		}
		adapters = append(adapters, a)
	}
	return adapters
}

// securityProduct is one product that is registered with Windows Security.
type securityProduct struct {
	Name string
	On   *bool // nil: not understood
}

// securityProducts picks the products out of Format-List objects of the classes
// FirewallProduct and AntiVirusProduct. The format of productState is not
// documented; in every published example the middle byte is 10 or 11
// hexadecimal for on, 00 or 01 for off.
func securityProducts(objects []map[string]string) []securityProduct {
	var products []securityProduct
	for _, o := range objects {
		state, found := o["productState"]
		if !found || o["displayName"] == "" {
			continue
		}
		p := securityProduct{Name: o["displayName"]}
		if n, err := strconv.ParseUint(state, 10, 32); err == nil {
			switch n >> 8 & 0xff {
			case 0x10, 0x11:
				p.On = new(true)
			case 0x00, 0x01:
				p.On = new(false)
			}
		}
		products = append(products, p)
	}
	return products
}
