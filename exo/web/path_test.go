package web

import (
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"code.dny.dev/ssrf"
)

// lenient is a server that does to a path what servers have been seen to do: it decodes twice, takes a backslash for a slash, drops what follows a
// semicolon, replaces letters by those that look like them, drops dots and spaces at the end of a part, and walks up.
func lenient(escaped string) string {
	p, _, _ := strings.Cut(escaped, "?")
	for range 2 {
		if q, err := url.PathUnescape(p); err == nil {
			p = q
		}
		p = wideEscape.ReplaceAllStringFunc(p, func(x string) string {
			n, _ := strconv.ParseUint(x[2:], 16, 32)
			return string(rune(n))
		})
	}
	p = strings.ReplaceAll(norm.NFKC.String(p), `\`, "/")
	p, _, _ = strings.Cut(p, "\x00")
	parts := strings.Split(p, "/")
	for i, s := range parts {
		s, _, _ = strings.Cut(s, ";")
		if s = strings.TrimSpace(s); s != "." && s != ".." {
			s = strings.TrimRight(s, ". ")
		}
		if i > 0 && i < len(parts)-1 && s == "" || s == "" && i == len(parts)-1 && i > 0 {
			s = "."
		}
		parts[i] = s
	}
	return path.Clean("/" + strings.Join(parts, "/"))
}

var wideEscape = regexp.MustCompile("%[uU][0-9a-fA-F]{4}")

// spelt are ways to leave /open/{id} for /admin.
var spelt = []string{
	"/open/../admin", "/open/./../admin", "/open/%2e%2e/admin", "/open/%2E%2e/admin", "/open/.%2e/admin", "/open/..%2fadmin", "/open/%2e%2e%2fadmin", "/open/..%2Fadmin", "/open/..%5cadmin", `/open/..\admin`,
	"/open/%252e%252e%252fadmin", "/open/..%252fadmin", "/open/..;/admin", "/open/..;x=1%2fadmin", "/open/..%3b%2fadmin", "/open//../admin", "/open/x/../../admin", "/open/..%00%2fadmin", "/open/..%20%2fadmin",
	"/open/%ef%bc%8e%ef%bc%8e%ef%bc%8fadmin", "/open/%e2%80%a5%2fadmin", "/open/..%ef%bc%bcadmin", "//admin", "/%61dmin", "/admin", "/./admin", "/open/..%c0%afadmin", "/open/1%2f..%2f..%2fadmin", "/open/%2e./admin", "/%6fpen/../admin",
	"/open/..%09%2fadmin", "/admin;x", "/admin%2f", "/admin.", "/admin%20", "/ADMIN/../admin",
	"/open/..%25u002fadmin", "/open/..%25U002Fadmin", "/open/%25u002e%25u002e%25u002fadmin", "/open/..%25u005cadmin", "/open/..%25uff0fadmin", "/open/..%u002fadmin",
}

// TestPaths: no spelling of a path that some server takes for another one is allowed; without a list of patterns, each of them reaches /admin.
func TestPaths(t *testing.T) {
	r, err := parseRoute("GET /open/{id}")
	if err != nil {
		t.Fatal(err)
	}
	reached := 0
	for i, p := range spelt {
		if r.matches("GET", p) {
			t.Errorf("%d %s is allowed", i+1, p)
		}
		if lenient(p) == "/admin" {
			reached++
		} else if !strings.Contains(p, "%c0%af") && !strings.Contains(p, "%00") {
			t.Errorf("%d %s is no attack on the server of this test: it is %s", i+1, p, lenient(p))
		}
	}
	if reached < 30 {
		t.Errorf("only %d spellings reach /admin", reached)
	}
	for p, want := range map[string]bool{
		"/open/1": true, "/open/a%20b": true, "/open/a+b@c:d": true, "/open/%C3%A9": true, "/open/1.json": true, "/open/.hidden": true, "/open/50%25": true, "/open/a%3Fb": true,
		"": false, "open/1": false, "/open": false, "/open/": false, "/open/1/": false, "/Open/1": false, "/open/e%CC%81": false, "/open/%ff": false, "/open/%E2%80%8B": false, "/open/%zz": false, "/open/%": false, "/open/%41": false, "/open/%7e": false, "/open/1%2f": false,
	} {
		if r.matches("GET", p) != want {
			t.Errorf("%s is allowed: %v", p, !want)
		}
	}
	if r.matches("POST", "/open/1") {
		t.Error("another method is allowed")
	}
	if r, err := parseRoute("GET /open/"); err != nil || !r.matches("GET", "/open/") || r.matches("GET", "/open") || r.matches("GET", "/open//") {
		t.Errorf("a slash at the end: %v", err)
	}
	for _, bad := range []string{"", "GET", "GET x", "get /x", "TRACE /x", "CONNECT /x", "/x", "GET /{}", "GET /{a}/{a}", "GET /{a b}", "GET /x{a}", "GET /{a}x", "GET /../x", "GET /a//b", "GET //a", "GET /a b", "GET /a?b=1", "GET /a#b", "GET /a%2fb", "GET /*", "GET /é", `GET /a\b`, "GET /{a...}", "GET POST /x", " /x"} {
		if _, err := parseRoute(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

// TestArguments: an argument that some server could take for something else is refused.
func TestArguments(t *testing.T) {
	r, err := parseRoute("GET /open/{id}")
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", ".", "..", "...", ". ", " ..", ".. .", "\u2025", "\uff0e\uff0e", "\uff0e", "\u2026", "..;x", "..\uff1bx", ";x", ". .;", "a/b", `a\b`, "a\uff0fb", "a\uff3cb", "a\ufe68b", "a%2fb", "a%2Eb", "a\uff052fb", "a%u002fb", "a%U002Fb", "..%u2215b", "a\uff05u002fb", "e\u0301", "a\u200bb",
		"a\x00", "a\nb", "a\tb", "\u202ea", "a\xff", "\u00a0", strings.Repeat("a", 1025)} {
		if p, err := r.fill(func(string) string { return bad }); err == nil {
			t.Errorf("%q makes %s", bad, p)
		}
	}
	for text, want := range map[string]string{"a": "/open/a", "a b": "/open/a%20b", "a?b#c": "/open/a%3Fb%23c", "50%": "/open/50%25", ".gitignore": "/open/.gitignore", "v1..v2": "/open/v1..v2", "\u00e9": "/open/%C3%A9", "a;b": "/open/a%3Bb", "a%zz": "/open/a%25zz", "9%users": "/open/9%25users", "日本": "/open/%E6%97%A5%E6%9C%AC"} {
		if p, err := r.fill(func(string) string { return text }); err != nil || p != want || !r.matches("GET", p) {
			t.Errorf("%q makes %s, %v, want %s", text, p, err, want)
		}
	}
}

// TestArgumentsStayInTheirSegment: whatever an argument is, it is refused, or every server takes the path for one with a single part in its place.
func TestArgumentsStayInTheirSegment(t *testing.T) {
	r, err := parseRoute("GET /open/{id}/end")
	if err != nil {
		t.Fatal(err)
	}
	piece := rapid.SampledFrom([]string{"..", ".", "/", `\`, "%2e", "%2f", "%u002f", "%u002e", "u002f", "%5c", "%25", "%", "2e", "2f", ";", "?", "#", "&", "=", " ", "\x00", "\r\n", "\t", "．", "／", "＼", "‥", "…", "％", "é", "e\u0301", "\u200b", "\u202e", "a", "admin", "\xff", "\u2024", "﹨", "；", "\u00a0", "~", "+", ":", "@"})
	arg := rapid.OneOf(rapid.String(), rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, "pieces"), "") }))
	leaves := 0
	rapid.Check(t, func(t *rapid.T) {
		text := arg.Draw(t, "argument")
		if p := lenient("/open/" + text + "/end"); strings.Count(p, "/") != 3 || !strings.HasPrefix(p, "/open/") {
			leaves++ // the twin, which writes an argument as it is
		}
		p, err := r.fill(func(string) string { return text })
		if err != nil {
			return
		}
		if !r.matches("GET", p) {
			t.Fatalf("%q makes %s, which is not allowed", text, p)
		}
		if got := lenient(p); strings.Count(got, "/") != 3 || !strings.HasPrefix(got, "/open/") || !strings.HasSuffix(got, "/end") {
			t.Fatalf("%q makes %s, which a server takes for %s", text, p, got)
		}
		req, err := http.NewRequest("GET", "https://example.com"+p, nil)
		if err != nil || req.URL.EscapedPath() != p || req.URL.RawQuery != "" || req.URL.Fragment != "" {
			t.Fatalf("%q makes %s, and net/http makes %v of it, %v", text, p, req, err)
		}
	})
	if leaves == 0 {
		t.Error("no argument leaves its segment without escaping")
	}
}

// TestMayDial: of all addresses that mean something other than a public host, in all spellings, none may be dialled; and a host that declares its
// network reaches nothing else.
func TestMayDial(t *testing.T) {
	var special []netip.Prefix
	special = append(append(special, ssrf.IPv4DeniedPrefixes...), private...)
	special = append(special, netip.MustParsePrefix("255.255.255.255/32"), netip.MustParsePrefix("fe80::/10"), netip.MustParsePrefix("ff00::/8"), netip.MustParsePrefix("::/128"), netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("2001:db8::/32"))
	special = append(special, metadata...)
	within := func(t *rapid.T, p netip.Prefix) netip.Addr {
		b := p.Masked().Addr().AsSlice()
		fill := rapid.SliceOfN(rapid.Byte(), len(b), len(b)).Draw(t, "bits")
		for i := range b {
			keep := min(max(p.Bits()-8*i, 0), 8)
			mask := byte(0xff) << (8 - keep)
			b[i] = b[i]&mask | fill[i]&^mask
		}
		a, _ := netip.AddrFromSlice(b)
		return a
	}
	open, declared := &host{}, &host{Host: Host{Networks: prefixes("10.1.2.0/24", "fd12::/16")}}
	rapid.Check(t, func(t *rapid.T) {
		a := within(t, rapid.SampledFrom(special).Draw(t, "network"))
		forms := []netip.Addr{a}
		if a.Is4() {
			forms = append(forms, netip.AddrFrom16(a.As16()))
			for _, into := range []string{"64:ff9b::", "2002::"} { // NAT64 and 6to4
				b := netip.MustParseAddr(into).As16()
				v4 := a.As4()
				copy(b[map[string]int{"64:ff9b::": 12, "2002::": 2}[into]:], v4[:])
				forms = append(forms, netip.AddrFrom16(b))
			}
		} else {
			forms = append(forms, a.WithZone("lo"))
		}
		for _, f := range forms {
			if open.mayDial(f) {
				t.Fatalf("a public host may be %s", f)
			}
			if declared.mayDial(f) && !declared.Networks[0].Contains(f.Unmap()) && !declared.Networks[1].Contains(f) {
				t.Fatalf("a host of 10.1.2.0/24 may be %s", f)
			}
		}
	})
	for a, want := range map[string]bool{"8.8.8.8": true, "2606:4700::1111": true, "::ffff:8.8.8.8": true} {
		if open.mayDial(netip.MustParseAddr(a)) != want || declared.mayDial(netip.MustParseAddr(a)) {
			t.Errorf("%s: %v", a, !want)
		}
	}
	if !declared.mayDial(netip.MustParseAddr("10.1.2.3")) || !declared.mayDial(netip.MustParseAddr("::ffff:10.1.2.3")) || declared.mayDial(netip.MustParseAddr("fd12::1").WithZone("lo")) {
		t.Error("a declared network")
	}
	wide := &host{Host: Host{Networks: prefixes("fc00::/7", "100.64.0.0/10")}}
	for _, a := range []string{"fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:42::42", "100.100.100.200", "::ffff:100.100.100.200"} {
		if wide.mayDial(netip.MustParseAddr(a)) {
			t.Errorf("%s, where a cloud hands out credentials, may be dialled", a)
		}
	}
	for _, m := range metadata {
		if wide.mayDial(m.Addr()) {
			t.Errorf("%s, where a cloud hands out credentials, may be dialled", m)
		}
	}
	h := &host{Host: Host{Port: 443, Networks: prefixes("127.0.0.0/8")}}
	for address, want := range map[string]bool{"127.0.0.1:443": true, "127.0.0.1:80": false, "8.8.8.8:443": false, "x": false, "": false, "[::ffff:127.0.0.1]:443": true} {
		if err := h.control("tcp4", address, nil); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
}
