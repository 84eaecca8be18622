// Package services reads the services of a grant file: MCP servers, HTTP APIs, folders, mails, chats and webhooks. It makes the objects that programs
// call.
package services

// This file reads the services of a grant file.

import (
	"cmp"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/grantfile/strict"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Service is a server or a folder, and what programs may ask of it. A program finds it under its name, like a grant.
type Service struct {
	strict.Name
	Doc string

	MCP     strict.Name // the address of an MCP server; a service has exactly one of MCP, Command, API, Files, Mail, Chat and Webhook
	Command []string    // the program of an MCP server, with its arguments
	API     strict.Name // the address of an HTTP API
	OpenAPI string      // the file of the API's document

	Mail    strict.Name // the address of a mail server
	Chat    strict.Name // the product of a chat, one of notify.Products
	Webhook strict.Name // an address that receives signed events
	From    string      // the address from which mails are sent
	To      []Recipient
	Files   strict.Name   // a folder; Read and Write are the globs of its files
	Journal strict.Secret // the place of unfinished writes; its Kind is folder, env or file
	Undo    time.Duration // how long the text before a write is kept; 0 keeps none
	Trusted bool          // no outsider writes the files

	Secrets  []Secret
	Networks []netip.Prefix // the networks in which the address may be; nil for the public internet

	Env         []string // variables of Command, as NAME=value
	Dir         string
	Read, Write []string
	Network     bool
	Memory      int

	Reads     []Call // calls that happen at once
	Acts      []Call // calls that happen after the program has ended without an error
	Immediate []Call // calls that happen at once and can't be taken back
	Approve   []strict.Name

	Label  []strict.Name // the label of the service's answers
	Admits []strict.Name // labels of values that may be sent to the service
	Pin    strict.Name
	Answer int           // the most bytes of an answer; 0 for the default
	Time   time.Duration // the longest time of a call; 0 for the default

	dir string // the folder of the grant file
}

// Call is a method for programs. The server knows it by the name Of.
type Call struct {
	strict.Name
	Of string
}

// String returns the call as a person reads it.
func (c Call) String() string {
	if c.Text == c.Of {
		return c.Text
	}
	return c.Text + ": " + c.Of
}

// Secret is a header of requests to the service, or a variable of its process. The file has only the place of its text.
type Secret struct {
	strict.Name
	From    strict.Secret
	Command []string // a program that prints the text, in place of From
	Prefix  string   // a text that is sent before the secret

	// If OAuth is set, the secret's text belongs to Client. The server at OAuth's address issues access tokens for it, and only they are sent.
	OAuth    strict.Name
	Client   string
	Scopes   []string
	Networks []netip.Prefix // the networks in which OAuth's address may be; nil for the public internet
}

// Read reads the services of a file.
func Read(r *strict.Reader, n *yaml.Node) (out []Service) {
	for _, e := range r.Entries(n, "services") {
		s := Service{Name: e.Named(), dir: r.Dir}
		if err := exoeval.CheckName(e.Name); err != nil {
			r.At(s.Pos, "%s", strings.TrimPrefix(err.Error(), "exoeval: "))
		}
		r.Fields(e, "the service "+e.Name, s.keys(r))
		if len(r.List) == 0 {
			s.check(r)
		}
		out = append(out, s)
	}
	return out
}

// words reads a program and its arguments.
func words(r *strict.Reader, e strict.Entry) (out []string) {
	if e.Value.Kind != yaml.SequenceNode || len(e.Value.Content) == 0 {
		r.At(strict.PosOf(e.Value), "%s: want a list of the program's absolute path and its arguments, like [/usr/bin/node, server.js], not %s", e.Name, strict.KindOf(e.Value))
		return nil
	}
	for _, c := range e.Value.Content {
		out = append(out, r.Text(c, e.Name))
	}
	if len(r.List) == 0 && !filepath.IsAbs(out[0]) {
		r.At(strict.PosOf(e.Value), "%s: want the absolute path of the program, not `%s`: exo does not search PATH, and `which %[2]s` prints the path", e.Name, out[0])
	}
	return out
}

func variables(r *strict.Reader, n *yaml.Node) (out []string) {
	for _, e := range r.Entries(n, "env") {
		if !variable().MatchString(e.Name) {
			r.At(e.Pos(), "env: `%s` can't be the name of a variable: want letters, digits and _, and no digit first", e.Name)
		}
		out = append(out, e.Name+"="+r.Text(e.Value, "env."+e.Name))
	}
	return out
}

func networks(r *strict.Reader, e strict.Entry) (out []netip.Prefix) {
	for _, n := range r.Names(e.Value, e.Name) {
		p, err := netip.ParsePrefix(n.Text)
		if err != nil || p != p.Masked() {
			r.At(n.Pos, "networks: want a network like 10.1.0.0/16, or 10.1.2.3/32 for one address, not `%s`", n.Text)
		}
		out = append(out, p)
	}
	return out
}

// calls reads a list of names, or a map from programs' names to the server's names.
func calls(r *strict.Reader, e strict.Entry) (out []Call) {
	if e.Value.Kind != yaml.MappingNode {
		for _, n := range r.Names(e.Value, e.Name) {
			out = append(out, Call{n, n.Text})
		}
		return out
	}
	for _, c := range r.Entries(e.Value, e.Name) {
		out = append(out, Call{c.Named(), r.Text(c.Value, e.Name+"."+c.Name)})
	}
	return out
}

func secrets(r *strict.Reader, n *yaml.Node) (out []Secret) {
	for _, e := range r.Entries(n, "secrets") {
		s := Secret{Name: e.Named()}
		r.Short(e, "the secret "+e.Name, s.keys(r))
		switch {
		case len(r.List) > 0: // a value that could not be read looks like a missing one
		case s.OAuth.Text == "" && (s.Client != "" || s.Scopes != nil || s.Networks != nil):
			r.At(s.Pos, "the secret %s: `client`, `scopes` and `networks` are only for a secret with `oauth`: add `oauth: https://HOST/PATH`, the address that issues tokens, or leave them out", e.Name)
		case s.OAuth.Text != "" && s.Client == "":
			r.At(s.Pos, "the secret %s: `oauth` needs `client`: add `client: ID`, with the ID that the server of the tokens knows", e.Name)
		case s.OAuth.Text != "" && s.Prefix != "":
			r.At(s.Pos, "the secret %s: leave `prefix` out: exo itself sends a token of `oauth` after \"Bearer \"", e.Name)
		case (s.From.Kind == "") == (s.Command == nil):
			r.At(s.Pos, "the secret %s: say where its text is, by one of `from: env:NAME`, `from: file:PATH` and `command: [PROGRAM, ARGUMENT]`, a program that prints it", e.Name)
		}
		out = append(out, s)
	}
	return out
}

// check finds contradictions in the declaration of a service. Open finds what the server lacks.
func (s *Service) check(r *strict.Reader) {
	bad := func(format string, args ...any) { r.At(s.Pos, "the service "+s.Text+": "+format, args...) }
	kinds, address := 0, cmp.Or(s.API, s.MCP)
	for _, is := range []bool{s.MCP.Text != "", s.Command != nil, s.API.Text != "", s.Files.Text != "", s.Mail.Text != "", s.Chat.Text != "", s.Webhook.Text != ""} {
		if is {
			kinds++
		}
	}
	if s.Sink() && kinds == 1 {
		s.checkSink(r)
	}
	if s.Files.Text != "" && kinds == 1 {
		s.checkFiles(r)
	}
	process := s.Env != nil || s.Dir != "" || s.Read != nil || s.Write != nil || s.Network || s.Memory > 0
	all := slices.Concat(s.Reads, s.Acts, s.Immediate)
	switch {
	case kinds != 1:
		bad("want exactly one of `mcp` (the address of an MCP server), `command` (the program of an MCP server), `api` (the address of an HTTP API), `files` (a folder), `mail`, `chat` and `webhook`")
	case !s.Sink() && (s.From != "" || s.To != nil):
		bad("`from` and `to` are only for a service with `mail`: leave them out")
	case s.Files.Text != "":
	case s.Journal.Kind != "" || s.Undo > 0 || s.Trusted:
		bad("`journal`, `undo` and `trusted` are only for a service with `files`: leave them out")
	case process && s.Command == nil:
		bad("`env`, `dir`, `network` and `memory` are only for a service with `command`, and `read` and `write` also for one with `files`: leave them out")
	case s.Networks != nil && s.Command != nil:
		bad("`networks` is not for a service with `command`: write `network: true` if the program needs the network")
	case s.API.Text != "" && s.OpenAPI == "":
		bad("`api` needs `openapi: FILE`, the API's OpenAPI document")
	case s.API.Text == "" && s.OpenAPI != "":
		bad("`openapi` is only for a service with `api`: leave `openapi` out, or add `api: https://HOST/PATH`")
	case address.Text != "" && strings.HasPrefix(address.Text, "http://") && s.Networks == nil:
		r.At(address.Pos, "requests by http can be read on their way: write https, or, for a server in a private network, add `networks`, like `networks: [10.1.0.0/16]`")
	case address.Text != "" && !s.reachable(address.Text):
		r.At(address.Pos, "want an address like https://api.example.com/v1, without a user, a query (?) and a fragment (#)")
	}
	if address.Text != "" && len(r.List) == 0 {
		if _, err := s.transport(address.Text); err != nil {
			r.At(address.Pos, "%s", strings.TrimPrefix(err.Error(), "web: "))
		}
	}
	for i, c := range all {
		if slices.ContainsFunc(all[:i], func(o Call) bool { return o.Text == c.Text || o.Of == c.Of }) {
			r.At(c.Pos, "`%s` is listed twice among `reads`, `acts` and `immediate`: remove one of the two", c.Text)
		}
		if s.API.Text == "" && c.Text != c.Of {
			r.At(c.Pos, "programs call an MCP server's tools by the server's own names: write a list, like [%s], in place of the map", c.Of)
		}
	}
	for _, n := range s.Approve {
		if !slices.ContainsFunc(s.Acts, func(c Call) bool { return c.Text == n.Text }) {
			r.At(n.Pos, "approve: want calls of `acts`, not `%s`: other calls happen at once, before a person could agree", n.Text)
		}
	}
	s.checkSecrets(r)
	if !('a' <= s.Text[0] && s.Text[0] <= 'z' || 'A' <= s.Text[0] && s.Text[0] <= 'Z') {
		bad("write a name that begins with a letter from a to z")
	}
}

// checkSecrets refuses secrets that a process can't have.
func (s *Service) checkSecrets(r *strict.Reader) {
	for _, x := range s.Secrets {
		switch {
		case s.Command != nil && x.OAuth.Text != "":
			r.At(x.Pos, "the secret %s: leave `oauth` out, which is only for a service with `mcp` or `api`: here the secret is a variable of a process", x.Text)
		case s.Command != nil && x.Prefix != "":
			r.At(x.Pos, "the secret %s: leave `prefix` out, which is only for a service with `mcp` or `api`: here the secret is a variable of a process", x.Text)
		case s.Command != nil && !variable().MatchString(x.Text):
			r.At(x.Pos, "the secret `%s` is a variable of a process: want a name of letters, digits and _, and no digit first", x.Text)
		case slices.ContainsFunc(s.Env, func(e string) bool { return strings.HasPrefix(e, x.Text+"=") }):
			r.At(x.Pos, "the secret `%s` is in `env`, too: remove one of the two", x.Text)
		}
	}
}

var variable = scalar.Pattern("^[A-Za-z_][A-Za-z0-9_]*$")

// CheckLabels compares the labels of a service with each other. Each tag must have the spelling that shows package value its kind.
func (s *Service) CheckLabels(r *strict.Reader) {
	for _, l := range s.Label {
		if !value.OfIntegrity(l.Text) && !slices.Contains(strict.Texts(s.Admits), l.Text) {
			r.At(l.Pos, "label: write `admits: [%s]` at the service as well: otherwise a program that has read an answer could not call the service again", l.Text)
		}
	}
	if s.Files.Text == "" || len(s.Read) == 0 || len(s.Write) == 0 {
		return
	}
	for _, l := range s.Admits {
		switch {
		case !value.OfIntegrity(l.Text) && !slices.Contains(strict.Texts(s.Label), l.Text):
			r.At(l.Pos, "admits: write `label: [%s]` at the service as well: otherwise programs could write such texts to files, and read them again without the label", l.Text)
		case value.OfIntegrity(l.Text) && s.Trusted:
			r.At(l.Pos, "admits: take `%s` or `trusted` out: the tag marks what outsiders write, and files with `trusted` are read as if no outsider wrote them", l.Text)
		}
	}
}

// reachable reports whether a server could have this address. Its host need not exist.
func (s *Service) reachable(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && !strings.HasPrefix(u.Port(), "0") && u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == "" && (u.Scheme == "https" || u.Scheme == "http" && s.Networks != nil)
}

// Acting reports whether programs may change something through the service.
func (s *Service) Acting() bool { return len(s.Acts)+len(s.Immediate) > 0 }
