package sysinfo

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
)

// portableTable is the sources that every system has.
var portableTable = table{
	sources: []source{
		{name: "program", stage: ofHost, fields: []string{"tool", "host.program_arch", "host.name"}},
		{name: "interfaces", stage: ofHost, fields: []string{"interfaces"}},
		{name: "connection", stage: ofPath, fields: []string{
			"path.transport", "path.local_address", "path.remote_address", "path.family", "path.link_local"}},
		{name: "firewall layers", stage: derived, fields: []string{"firewall.state"}},
		{name: "interface counters against the test's bytes", stage: during, fields: []string{"path.confirmed"}},
		{name: "what the connection shows", stage: during, fields: []string{"peer"}},
	},
}

var portableCollectors = map[string]collector{
	"program":    collectProgram,
	"interfaces": collectInterfaces,
	"connection": collectConnection,
}

func collectProgram(_ context.Context, p *probe, r *Record) error {
	if p.Tool != "" {
		r.Tool.Name = &p.Tool
	}
	if p.Version != "" {
		r.Tool.Version = &p.Version
	}
	r.Tool.GoVersion = new(runtime.Version())
	r.Host.ProgramArch = new(runtime.GOARCH)
	r.unknown("tool", because(NotAttempted, "the caller gave none"))
	if info, ok := debug.ReadBuildInfo(); ok {
		r.Tool.RaceDetector = new(false)
		for _, s := range info.Settings {
			if s.Key == "-race" {
				r.Tool.RaceDetector = new(s.Value == "true")
			}
		}
	}
	if !p.HostName {
		r.unknown("host.name", because(NotAttempted, "only on request"))
		return nil
	}
	name, err := os.Hostname()
	if err != nil {
		r.unknown("host.name", err)
		return nil
	}
	r.Host.Name = new(Printable(name))
	return nil
}

func collectInterfaces(ctx context.Context, p *probe, r *Record) (err error) {
	r.Interfaces, err = listInterfaces(ctx, p)
	return err
}

// collectConnection takes what the addresses of the first data connection
// say by themselves.
func collectConnection(_ context.Context, p *probe, r *Record) error {
	c := p.conns[0]
	local, remote := c.Local.Addr().Unmap(), c.Remote.Addr().Unmap()
	if !local.IsValid() || !remote.IsValid() {
		return because(NotFound, "the connection has no addresses")
	}
	r.Path.Transport = new(c.Transport)
	r.Path.LocalAddress, r.Path.RemoteAddress = new(local.String()), new(remote.String())
	r.Path.Family = new(int64(6))
	if remote.Is4() {
		r.Path.Family = new(int64(4))
	}
	r.Path.LinkLocal = new(local.IsLinkLocalUnicast() && remote.IsLinkLocalUnicast())
	return nil
}
