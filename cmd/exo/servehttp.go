package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/exoagent/exoagent/cmd/exo/internal/changespage"
	"github.com/exoagent/exoagent/codemode/mcp"
	"github.com/exoagent/exoagent/codemode/mcp/bearer"
	core "github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/grantfile"
)

// tokenVariable is the variable that has the token of the one principal of -as.
const tokenVariable = "EXO_TOKEN"

// These constants bound connections. mcp.HTTPOptions bounds requests.
const (
	maxConnections = 4096
	headerTime     = 5 * time.Second
	headerBytes    = 16 << 10
	idleTime       = 2 * time.Minute
)

// overHTTP serves and identifies clients as the file declares. If the file declares none, it serves only this machine, with one token for -as.
func (o *serveOptions) overHTTP(f *grantfile.File, to *serveLog) (serving, identifying, error) {
	host, _, err := net.SplitHostPort(o.http)
	if err != nil {
		return nil, nil, cli.Usagef("-http %s: want an address with a port, like 127.0.0.1:8642", o.http)
	}
	ip := net.ParseIP(host)
	local := host == "localhost" || ip != nil && ip.IsLoopback()
	opt := mcp.HTTPOptions{Resource: f.Serve.Resource.Text, Log: to.refused(time.Now)}
	for _, o := range f.Serve.Origins {
		opt.Origins = append(opt.Origins, o.Text)
	}
	identify := func(who mcp.Identity) (grantfile.Principal, error) {
		return f.Identify(who.Issuer, who.Subject, who.Claims)
	}
	said := ""
	switch known := len(f.Serve.Issuers)+len(f.Serve.Tokens) > 0; {
	case !known && !local:
		return nil, nil, cli.Usagef("-http %s: other machines can reach this address: add `issuers` or `tokens` under `serve` in %s, or serve on 127.0.0.1", o.http, f.Name)
	case !local && f.Serve.Resource.Text == "":
		return nil, nil, cli.Usagef("-http %s: other machines can reach this address: add `resource`, the https address that clients use, under `serve` in %s, or serve on 127.0.0.1", o.http, f.Name)
	case known && o.as != "":
		return nil, nil, cli.Usagef("leave out -as: `serve` in %s says who each client is, so -as would be ignored", f.Name)
	case known:
		opt.Verifier, err = verifierOf(f, &opt)
	default:
		var p grantfile.Principal
		if p, err = f.ParseClaims(o.as); err != nil {
			return nil, nil, cli.Usagef("-as: %s", grantfile.Reason(err))
		}
		identify = func(mcp.Identity) (grantfile.Principal, error) { return p, nil }
		token := os.Getenv(tokenVariable)
		if token == "" {
			token = rand.Text() + rand.Text()
			said = "; clients send Authorization: Bearer " + token
		}
		one := &bearer.Tokens{}
		err, opt.Verifier = one.Add(token, mcp.Identity{Issuer: "exo serve", Subject: "-as " + string(p.Name())}), one
	}
	if err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context, _ cli.Stdio, s *mcp.Server) error {
		h, err := s.Handler(opt)
		if err != nil {
			return err
		}
		l, err := net.Listen("tcp", o.http)
		if err != nil {
			return err
		}
		page, err := o.page(f, h, opt.Log)
		if err != nil {
			return errors.Join(err, l.Close())
		}
		to.say("%s is served at http://%s%s%s", f.Name, l.Addr(), h.Path(), said)
		return o.listen(ctx, l, h, page, to)
	}, identify, nil
}

// page puts the page of changes in front of a handler, if changes can wait for a person.
func (o *serveOptions) page(f *grantfile.File, h *mcp.Handler, log func(string)) (http.Handler, error) {
	kept := o.tools.stores.Pending
	switch {
	case kept == nil:
		return h, nil
	case h.Path() == grantfile.PagePath:
		return nil, fmt.Errorf("`resource` under `serve` has the path %s, where exo serves the page of changes: write another path, like /mcp", h.Path())
	}
	return changespage.New(changespage.Options{File: f, Sets: kept.Keeper, Store: kept.Store, Key: kept.Key, Apply: o.tools.apply, Next: h, Log: log})
}

// verifierOf makes a verifier for the issuers and tokens of the file. It adds the issuers and their scopes to opt, since clients may know them.
func verifierOf(f *grantfile.File, opt *mcp.HTTPOptions) (bearer.Verifier, error) {
	var all []bearer.Verifier
	for _, i := range f.Serve.Issuers {
		var scopes []string
		for _, s := range i.Scopes {
			if scopes = append(scopes, s.Text); !slices.Contains(opt.Scopes, s.Text) {
				opt.Scopes = append(opt.Scopes, s.Text)
			}
		}
		j, err := bearer.NewJWT(bearer.Options{Issuer: i.Text, Audience: f.Serve.Resource.Text, Keys: i.KeySet(), Scopes: scopes})
		if err != nil {
			return nil, err
		}
		opt.Issuers = append(opt.Issuers, i.Text)
		all = append(all, j)
	}
	fixed := &bearer.Tokens{}
	for _, t := range f.Serve.Tokens {
		text, err := t.Read(nil)
		if err == nil {
			err = fixed.Add(text, mcp.Identity{Issuer: grantfile.TokenIssuer, Subject: t.Text})
		}
		if err != nil {
			return nil, err
		}
	}
	return bearer.First(append(all, fixed)...), nil
}

// listen serves until the context ends. Programs that still run then have the time o.drain to finish.
func (o *serveOptions) listen(ctx context.Context, l net.Listener, h *mcp.Handler, all http.Handler, to *serveLog) error {
	srv := &http.Server{Handler: all, ReadHeaderTimeout: headerTime, MaxHeaderBytes: headerBytes, IdleTimeout: idleTime, ErrorLog: log.New(to, "", 0), BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) }}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(&limitedListener{Listener: l, places: make(chan struct{}, maxConnections)}) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	h.Drain()
	to.say("stopping: new requests are served for %s more, and then running programs have %s to end", o.notice, o.drain)
	select { // requests are still served for this time, since a proxy reads /healthz only now and then
	case err := <-ended:
		return err
	case <-time.After(o.notice):
	}
	late, stop := context.WithTimeout(context.WithoutCancel(ctx), o.drain)
	defer stop()
	if err := srv.Shutdown(late); err != nil {
		to.say("programs that still ran were stopped")
		srv.Close() // Close also ends the contexts of the requests
	}
	<-ended
	return nil
}

// limitedListener accepts a limited number of connections at a time.
type limitedListener struct {
	net.Listener
	places chan struct{}
}

func (l *limitedListener) Accept() (net.Conn, error) {
	l.places <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &limitedConn{Conn: c, leave: sync.OnceFunc(func() { <-l.places })}, nil
}

type limitedConn struct {
	net.Conn
	leave func()
}

func (c *limitedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// Write implements io.Writer, for the messages of net/http.
func (l *serveLog) Write(p []byte) (int, error) {
	l.say("%s", strings.TrimSpace(string(p)))
	return len(p), nil
}

// refused returns a function that logs why a request is refused.
func (l *serveLog) refused(now func() time.Time) func(string) {
	due := seldom(now)
	return func(reason string) {
		if kind, _, _ := strings.Cut(reason, ":"); due(kind) {
			l.say("refused: %s", reason)
		}
	}
}

// unshown returns a function that logs why a program ended, without values. Clients don't see this log. Many errors of one kind can't displace those of
// another.
func (l *serveLog) unshown(now func() time.Time) func(mcp.Identity, core.RunID, error) {
	due, log := seldom(now), slog.New(slog.NewTextHandler(l, nil))
	return func(who mcp.Identity, run core.RunID, err error) {
		if due(fail.KindOf(err).String()) {
			log.Error("a program ended with an error that its client can't read", "run", run, "client", strings.TrimSpace(who.Issuer+" "+who.Subject), "reason", fail.Reason(err))
		}
	}
}

// exports returns a function that logs why telemetry was not exported.
func (l *serveLog) exports(now func() time.Time) func(error) {
	due := seldom(now)
	return func(err error) {
		if due("") {
			l.say("telemetry: %v", err)
		}
	}
}

// seldom returns a function that admits at most one text of a kind per second, so that a client can't fill the disk with errors.
func seldom(now func() time.Time) func(kind string) bool {
	var mu sync.Mutex
	last := map[string]time.Time{}
	return func(kind string) bool {
		mu.Lock()
		defer mu.Unlock()
		at := now()
		due := at.Sub(last[kind]) >= time.Second
		if due {
			last[kind] = at
		}
		return due
	}
}
