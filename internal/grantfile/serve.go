package grantfile

import (
	"encoding/json"
	"net"
	"net/url"
	"path/filepath"

	"go.yaml.in/yaml/v4"

	"github.com/exoagent/exoagent/exo/fail"
)

// Serve declares how HTTP clients are identified. The zero Serve identifies no one.
type Serve struct {
	Resource Name // the server's address for clients, and the audience of tokens
	Issuers  []Issuer
	Tokens   []Token
	Origins  []Name // origins of web pages that may send requests
}

// Issuer is an authorization server. Its tokens are accepted.
type Issuer struct {
	Name   // the value of iss in the issuer's tokens
	Keys   Name
	Scopes []Name
	Claims []ClaimFrom
	dir    string // the folder of the file
}

// KeySet returns the address of the public keys. A relative path begins at the folder of the file.
func (i Issuer) KeySet() string {
	u, err := url.Parse(i.Keys.Text)
	if err != nil || u.Scheme != "file" || u.Opaque == "" {
		return i.Keys.Text
	}
	path := beside(i.dir, u.Opaque)
	if filepath.IsAbs(path) {
		return (&url.URL{Scheme: "file", Path: path}).String()
	}
	return "file:" + path
}

// ClaimFrom is the name that a principal's claim has in an issuer's tokens. A claim without a ClaimFrom has the same name there.
type ClaimFrom struct {
	Name
	From string
}

// Token is a random text that identifies a principal.
type Token struct {
	Name
	Secret Secret

	claims []tokenClaim
	bound  Principal
}

type tokenClaim struct {
	Name
	value any
}

// TokenIssuer is the issuer of identities that come from the file's tokens. It is no URL, so no issuer in a file can have this name.
const TokenIssuer = "grant file"

// These are the walls around programs' processes that a file can require.
const (
	WallKernel    = ""          // the default: the kernel refuses what a program could do to the machine
	WallContainer = "container" // exo runs in a container with nothing else in it
	WallNone      = "none"      // there is no wall, and the file accepts the risk
)

func (f *File) serve(r *reader, e entry) {
	s := &f.Serve
	r.Fields(e, "serve", s.keys(r))
	if s.Resource.Text != "" && !isAddress(s.Resource.Text) {
		r.At(s.Resource.Pos, "resource: want the https address at which clients reach exo serve, like https://shop.example.com/mcp; http is only for this machine")
	}
	if len(s.Issuers) > 0 && s.Resource.Text == "" {
		r.At(posOf(e.Value), "serve: `issuers` need `resource` too: the address at which clients reach exo serve, which their tokens have as `aud`, like https://shop.example.com/mcp")
	}
	for _, o := range s.Origins {
		if u, err := url.Parse(o.Text); err != nil || !isAddress(o.Text) || u.Path != "" {
			r.At(o.Pos, "origins: want scheme and host of a web page, without a path or a / at the end, like https://app.example.com, not `%s`", o.Text)
		}
	}
}

// isAddress reports whether a text is an HTTPS address, or an HTTP address of this machine. On the way to another machine, HTTP would reveal a
// token.
func isAddress(s string) bool {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

func (r *reader) issuers(n *yaml.Node) (out []Issuer) {
	for _, e := range r.Entries(n, "issuers") {
		i := Issuer{Name: e.Named(), dir: r.Dir}
		if !isAddress(e.Name) {
			r.At(e.Pos(), "issuers: want an issuer's https address as its tokens have it in `iss`, like https://login.example.com/, not `%s`", e.Name)
		}
		r.Fields(e, "the issuer "+e.Name, i.keys(r))
		if u, err := url.Parse(i.Keys.Text); i.Keys.Text != "" && (err != nil || u.Scheme != "file" && (u.Scheme != "https" || !isAddress(i.Keys.Text))) {
			r.At(i.Keys.Pos, "keys: say where the issuer's public keys (a JWK set) are, as https://HOST/PATH or file:PATH")
		}
		out = append(out, i)
	}
	return out
}

func (r *reader) tokens(n *yaml.Node) (out []Token) {
	for _, e := range r.Entries(n, "tokens") {
		t := Token{Name: e.Named()}
		r.Fields(e, "the token "+e.Name, t.keys(r))
		out = append(out, t)
	}
	return out
}

// valueOf returns a value for Bind. Bind reports a wrong value.
func valueOf(n *yaml.Node) any {
	switch {
	case n.Kind == yaml.SequenceNode:
		list := []any{}
		for _, c := range n.Content {
			list = append(list, valueOf(c))
		}
		return list
	case n.Kind != yaml.ScalarNode:
		return nil
	case n.Tag == "!!int":
		return json.Number(n.Value)
	case n.Tag == "!!bool":
		return n.Value == "true"
	case n.Tag == "!!str":
		return n.Value
	}
	return nil
}

// checkServe compares the claims of clients with the file's claims.
func (f *File) checkServe(r *reader) {
	known := func(n Name) bool {
		if f.claim(n.Text) == nil {
			r.At(n.Pos, "claims: `principal` has no claim `%s`: add it there with its type%s", n.Text, or(n.Text, f.claimNames()))
			return false
		}
		return true
	}
	for _, i := range f.Serve.Issuers {
		for _, c := range i.Claims {
			known(c.Name)
		}
	}
	for i := range f.Serve.Tokens {
		t := &f.Serve.Tokens[i]
		claims, ok := map[string]any{}, true
		for _, c := range t.claims {
			ok = known(c.Name) && ok
			claims[c.Text] = c.value
		}
		if !ok {
			continue
		}
		var err error
		if t.bound, err = f.Bind(claims); err != nil {
			r.At(t.Pos, "the token %s: under `claims`, %s", t.Text, Reason(err))
		}
	}
}

// Identify returns the principal of a client that an issuer has identified. The issuer is one of the file, with the claims of its token, or
// TokenIssuer with a token's name. Identify refuses any other issuer.
func (f *File) Identify(issuer, subject string, claims map[string]any) (Principal, error) {
	if issuer == TokenIssuer {
		for _, t := range f.Serve.Tokens {
			if t.Text == subject {
				return t.bound.of(issuer, subject), nil
			}
		}
		return Principal{}, fail.Errorf(fail.Denied, "", "`tokens` under `serve` of the file has no %.100q, so the client is refused", subject)
	}
	for _, i := range f.Serve.Issuers {
		if i.Text != issuer {
			continue
		}
		from := map[string]string{}
		for _, c := range i.Claims {
			from[c.Text] = c.From
		}
		given := map[string]any{}
		for _, c := range f.Claims {
			name := c.Text
			if other, ok := from[name]; ok {
				name = other
			}
			if v, ok := claims[name]; ok {
				given[c.Text] = v
			}
		}
		p, err := f.Bind(given)
		if err != nil {
			return Principal{}, err
		}
		return p.of(issuer, subject), nil
	}
	return Principal{}, fail.Errorf(fail.Denied, "", "`issuers` under `serve` of the file has no %.100q, so its users are refused", issuer)
}

// Read returns the text of the token. The function env looks up variables; nil means os.Getenv.
func (t Token) Read(env func(string) string) (string, error) {
	return t.Secret.Text(env, "the text of the token "+t.Text)
}

// lines adds lines about clients to Lines.
func (s Serve) lines(add func(of, what, format string, args ...any)) {
	if s.Resource.Text != "" && len(s.Issuers) == 0 {
		add("serve", "resource", "%s", s.Resource.Text)
	}
	for _, i := range s.Issuers {
		of := "issuer " + i.Text
		add(of, "tokens", "for %s, signed by %s", s.Resource.Text, i.Keys.Text)
		for _, c := range i.Scopes {
			add(of, "scope "+c.Text, "")
		}
		for _, c := range i.Claims {
			add(of, "claim "+c.Text, "%s", c.From)
		}
	}
	for _, t := range s.Tokens {
		add("token "+t.Text, "", "%s, for %s", t.Secret, t.bound.name)
	}
	for _, o := range s.Origins {
		add("serve", "origin "+o.Text, "")
	}
}
