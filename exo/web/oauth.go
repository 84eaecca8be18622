package web

// This file has secrets that an authorization server issues: access tokens for a client that acts for itself.

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// OAuth is a client of an authorization server (RFC 6749, section 4.4: client credentials). No user is asked for consent, so the tokens have the
// client's rights, whatever program uses them.
type OAuth struct {
	TokenURL string // the address of the token endpoint, https://HOST/PATH; http:// with loopback Networks
	Client   string // the client's ID
	Secret   Secret // the client's secret
	Scopes   []string
	Resource string         // the address of the server that accepts the tokens (RFC 8707), which MCP servers require; "": none is named
	Networks []netip.Prefix // loopback and private networks of the token endpoint; nil: the public internet
	Roots    *x509.CertPool // the authorities that sign the endpoint's certificate; nil: the system's

	// Lookup finds the addresses of a name; nil: net.DefaultResolver.
	Lookup func(ctx context.Context, name string) ([]netip.Addr, error)
}

// FromOAuth returns the Secret for the access token that an authorization server issues to a client. The token is kept in memory until shortly
// before it expires, or until the server that accepts it answers 401. Requests for the token go through a
// [Transport] that reaches only the token endpoint.
func FromOAuth(c OAuth) (Secret, error) {
	u, err := url.Parse(c.TokenURL)
	clear := err == nil && u.Scheme == "http" && onMachine(c.Networks) // the request has the client's secret, so http is allowed only on this machine
	if err != nil || u.Scheme != "https" && !clear || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Path == "" {
		return Secret{}, fmt.Errorf("web: the token endpoint %.200q: want an address like https://login.example.com/token, without a user and parameters; http:// is allowed only with Networks of loopback addresses", c.TokenURL)
	}
	if c.Client == "" || c.Secret.read == nil {
		return Secret{}, errors.New("web: an OAuth client needs an ID and a secret: set Client and Secret")
	}
	h := Host{Name: u.Hostname(), Plain: clear, Networks: c.Networks, Allow: []string{"POST " + u.EscapedPath()}, Headers: []string{"Authorization"}}
	if u.Port() != "" {
		if h.Port, err = strconv.Atoi(u.Port()); err != nil {
			return Secret{}, fmt.Errorf("web: the token endpoint: %w", err)
		}
	}
	t, err := NewTransport(Config{Hosts: []Host{h}, Bounds: Bounds{Body: 64 << 10, Time: 10 * time.Second}, Roots: c.Roots, Lookup: c.Lookup})
	if err != nil {
		return Secret{}, err
	}
	s := &issued{c: c, turn: make(chan struct{}, 1), http: t.Client()}
	return Secret{name: "oauth:" + h.Name, read: s.token, forget: s.forget}, nil
}

// issued has the newest token.
type issued struct {
	c    OAuth
	http *http.Client
	turn chan struct{} // one request at a time asks for a token; the others wait for it
	now  *oauth2.Token
}

func (s *issued) token(ctx context.Context) ([]byte, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if s.now.Valid() {
		return []byte(s.now.AccessToken), nil
	}
	secret, err := s.c.Secret.text(ctx)
	if err != nil {
		return nil, err
	}
	conf := clientcredentials.Config{ClientID: s.c.Client, ClientSecret: secret, TokenURL: s.c.TokenURL, Scopes: s.c.Scopes}
	if s.c.Resource != "" {
		conf.EndpointParams = url.Values{"resource": {s.c.Resource}}
	}
	got, err := conf.Token(context.WithValue(bare{ctx}, oauth2.HTTPClient, s.http))
	if err != nil {
		return nil, err // the method text drops err: its text may quote the server's answer, and so the secret
	}
	if got.Type() != "Bearer" {
		return nil, errors.New("the authorization server issued a token that is not of type Bearer: only Bearer tokens can be sent")
	}
	s.now = got
	return []byte(got.AccessToken), nil
}

// forget drops a token that its server has refused, if it is still the newest.
func (s *issued) forget(text string) {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.now != nil && s.now.AccessToken == text {
		s.now = nil
	}
}
