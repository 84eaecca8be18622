package grantfile_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/internal/grantfile"
)

const served = whole + `wall: container
serve:
  resource: https://shop.example.com/mcp
  issuers:
    https://login.example.com/:
      keys: https://login.example.com/keys
      scopes: [shop]
      claims: {user: sub_id}
  tokens:
    nightly: {token: env:NIGHTLY, claims: {org: 1, user: 2, states: [open]}}
  origins: [https://app.example.com]
`

// TestServeProblems: what is said of clients is strict, and says what would be right.
func TestServeProblems(t *testing.T) {
	for change, want := range map[[2]string]string{
		{"wall: container", "wall: yes please"}:                           "want kernel, container or none",
		{"resource: https://shop.example.com/mcp", "origins: []"}:         "`issuers` need `resource` too",
		{"https://shop.example.com/mcp", "http://shop.example.com/mcp"}:   "want the https address at which clients reach exo serve",
		{"https://shop.example.com/mcp", "https://shop.example.com/?a=b"}: "want the https address at which clients reach exo serve",
		{"    https://login.example.com/:", "    http://login.example/:"}: "want an issuer's https address as its tokens have it in `iss`",
		{"keys: https://login.example.com/keys", "scopes: []"}:            "has no `keys`",
		{"keys: https://login.example.com/keys", "keys: http://x/keys"}:   "keys: say where the issuer's public keys (a JWK set) are, as https://",
		{"claims: {user: sub_id}", "claims: {usr: sub_id}"}:               "has no claim `usr`: add it there with its type; did you mean `user`?",
		{"env:NIGHTLY", "s3cret-s3cret"}:                                  "token: write where the text is, as env:NAME",
		{"env:NIGHTLY", "sqlite:x.db"}:                                    "token: write where the text is, as env:NAME",
		{"token: env:NIGHTLY, ", ""}:                                      "has no `token`",
		{"{org: 1, user: 2, states: [open]}", "{org: 1, user: 2}"}:        "the claim `states` is missing",
		{"{org: 1, user", "{org: '1', user"}:                              "want a whole number",
		{"{org: 1, user", "{org: null, user"}:                             "want a whole number",
		{"{org: 1, user", "{org: [1], user"}:                              "want a whole number",
		{"{org: 1, user", "{org: 0x1, user"}:                              "want a whole number",
		{"{org: 1, user", "{org: 1, admin: true, user"}:                   "has no claim `admin`",
		{"[https://app.example.com]", "['*']"}:                            "want scheme and host of a web page",
		{"[https://app.example.com]", "[https://app.example.com/]"}:       "want scheme and host of a web page",
	} {
		if !strings.Contains(served, change[0]) {
			t.Fatalf("there is no %q", change[0])
		}
		_, err := grantfile.Parse("exo.yaml", []byte(strings.Replace(served, change[0], change[1], 1)))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v, want %q", change[1], err, want)
		}
	}
}

// TestIdentify: whom an issuer of the file vouches for is a principal by its claims; nobody else is one.
func TestIdentify(t *testing.T) {
	f := parse(t, served)
	const issuer = "https://login.example.com/"
	right := map[string]any{"org": json.Number("1"), "sub_id": json.Number("7"), "states": []any{"open"}, "user": json.Number("8")}
	without := func(name string, instead any) map[string]any {
		out := map[string]any{}
		for k, v := range right {
			out[k] = v
		}
		if delete(out, name); instead != nil {
			out[name] = instead
		}
		return out
	}
	for _, c := range []struct {
		issuer, subject string
		claims          map[string]any
		want            string // "": nobody
	}{
		{issuer, "ann", right, `"ann" of "https://login.example.com/", org=1 states=["open"] user=7`},
		{issuer, "x\" of \"y\", org=2", right, `"x\" of \"y\", org=2" of "https://login.example.com/", org=1 states=["open"] user=7`},
		{issuer, "ann", without("user", nil), `"ann" of "https://login.example.com/", org=1 states=["open"] user=7`},
		{issuer, "ann", without("sub_id", nil), ""}, // and not the user of the token, which means another thing
		{issuer, "ann", without("org", []any{json.Number("1")}), ""},
		{issuer, "ann", nil, ""},
		{"https://login.example.com", "ann", right, ""},
		{"", "", right, ""},
		{grantfile.TokenIssuer, "nightly", nil, `"nightly" of "grant file", org=1 states=["open"] user=2`},
		{grantfile.TokenIssuer, "nightly", right, `"nightly" of "grant file", org=1 states=["open"] user=2`},
		{grantfile.TokenIssuer, "other", right, ""},
	} {
		p, err := f.Identify(c.issuer, c.subject, c.claims)
		if string(p.Name()) != c.want || (err == nil) != (c.want != "") || err != nil && fail.KindOf(err) != fail.Denied {
			t.Errorf("%s %s: %q %v", c.issuer, c.subject, p.Name(), err)
		}
		if c.issuer+"/" == issuer && !strings.Contains(fmt.Sprint(err), "has no \"https://login.example.com\"") {
			t.Errorf("the error names no issuer: %v", err)
		}
	}
}

// TestServeShows: who reviews a change sees who is let in.
func TestServeShows(t *testing.T) {
	var got []string
	for _, c := range grantfile.Diff(parse(t, whole), parse(t, served)) {
		got = append(got, c.Of+" | "+c.What+" | "+c.How)
	}
	want := []string{
		"issuer https://login.example.com/ | tokens | for https://shop.example.com/mcp, signed by https://login.example.com/keys",
		"issuer https://login.example.com/ | scope shop | ",
		"issuer https://login.example.com/ | claim user | sub_id",
		"serve | origin https://app.example.com | ",
		"serve | wall | container",
		`token nightly |  | env:NIGHTLY, for org=1 states=["open"] user=2`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("it shows\n%s", strings.Join(got, "\n"))
	}
}

// TestTokenRead: a token is where the file says, and an empty one is none.
func TestTokenRead(t *testing.T) {
	token := parse(t, served).Serve.Tokens[0]
	if got, err := token.Read(func(string) string { return " abc\n" }); got != "abc" || err != nil {
		t.Error(got, err)
	}
	if got, err := token.Read(func(string) string { return " \n" }); err == nil {
		t.Errorf("%q", got)
	}
}
