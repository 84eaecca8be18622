package grantfile

// This part of the package opens the services that a grant file declares, and reports what is wrong with them. Package services reads the
// declarations and makes the services.

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile/services"
)

// openServices makes the objects of the services and starts their processes. It does so for all at the same time, because a server that does not
// answer costs half a minute. Before a person has reviewed the file, it starts no program and sends no secret.
func (d *Declared) openServices(ctx context.Context, opt *Options, p *problems) {
	d.services = map[string]services.Opened{}
	if !d.File.Reviewed {
		return
	}
	if d.File.Sends() {
		var err error
		if d.box, err = d.File.openBox(ctx, opt.Env, d.Kept); err != nil {
			p.At(d.File.Approvals.Pos, "%s", Reason(err))
			return
		}
	}
	made, failed := make([]services.Opened, len(d.File.Services)), make([]error, len(d.File.Services))
	var all sync.WaitGroup
	for i := range d.File.Services {
		all.Go(func() { made[i], failed[i] = d.File.Services[i].Open(ctx, opt.Env, d.outbox()) })
	}
	all.Wait()
	for i, s := range d.File.Services {
		if failed[i] == nil {
			d.services[s.Text] = made[i]
			continue
		}
		at := s.Pos
		if _, pin := errors.AsType[*services.PinError](failed[i]); pin && s.Pin.Text != "" {
			at = s.Pin.Pos
		}
		p.At(at, "the service %s: %s", s.Text, Reason(failed[i]))
	}
}

// serviceFindings warns of services that were not started, and of processes that lack a wall on this system. It refuses names that conflict.
func (d *Declared) serviceFindings() (out []Finding) {
	if len(d.File.Services) == 0 {
		return nil
	}
	say := func(at Pos, warning bool, problem, fix string) {
		out = append(out, Finding{d.File.at(at), exosql.Finding{Kind: "services", Warning: warning, Problem: problem, Fix: fix}})
	}
	if !d.File.Reviewed {
		say(d.File.Services[0].Pos, true, "the services were not started, since they start programs and send secrets, and the file is not reviewed", "to read what `exo show` and `exo services` print, and then to write `reviewed: true`")
	} else if _, err := d.flows(); err != nil {
		say(d.File.Services[0].Pos, false, "no program can have these grants and services together: "+Reason(err), "another name for one of them")
	}
	for _, s := range d.File.Services {
		if missing := d.services[s.Text].Missing; len(missing) > 0 {
			say(s.Pos, true, "the process of the service "+s.Text+" runs without these walls, which this system lacks: "+strings.Join(missing, ", "), "")
		}
	}
	return out
}

// ServiceObjects returns the objects of the services, by the names under which programs find them.
func (d *Declared) ServiceObjects() map[string]exo.Object {
	out := map[string]exo.Object{}
	for name, s := range d.services {
		out[name] = s.Object
	}
	return out
}
