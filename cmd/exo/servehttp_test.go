package main

import (
	"bufio"
	"crypto/ed25519"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

const servedHTTP = servedShop + `serve:
  resource: https://shop.example.com/mcp
  origins: [https://app.example.com]
  issuers:
    https://login.example.com/: {keys: "file:KEYS", claims: {customer: customer_id}}
  tokens:
    nightly: {token: env:SERVE_TEST_TOKEN, claims: {customer: 1}}
`

// overHTTP starts exo serve -http on a free port, and returns its address. It is ended by SIGTERM with the test.
func overHTTP(t *testing.T, path string, args ...string) string {
	t.Helper()
	url, end := served(t, path, args...)
	t.Cleanup(end)
	return url
}

// served is overHTTP of a process that end ends.
func served(t *testing.T, path string, args ...string) (url string, end func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"serve", path, "-http", "127.0.0.1:0"}, args...)...) // which outlives t.Context
	cmd.Env = append(os.Environ(), asProgram+"=1")
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end = func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("it ended with %v", err)
		}
	}
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if m := regexp.MustCompile(`is served at (http://\S+?)(;|$)`).FindStringSubmatch(lines.Text()); m != nil {
			go io.Copy(io.Discard, said)
			return m[1], end
		}
	}
	t.Fatal("it never said where it serves")
	return "", nil
}

// TestServeHTTP: each request has the principal of its token as the file says, and who has none, another's, or comes by a page of
// somebody else, has no tool.
func TestServeHTTP(t *testing.T) {
	public, private, _ := ed25519.GenerateKey(nil)
	keys, _ := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: public, KeyID: "k", Use: "sig"}}})
	file := filepath.Join(t.TempDir(), "keys.json")
	write(t, file, string(keys))
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: private}, (&jose.SignerOptions{}).WithHeader("kid", "k"))
	if err != nil {
		t.Fatal(err)
	}
	signed := func(change map[string]any) string {
		claims := map[string]any{"iss": "https://login.example.com/", "sub": "ann", "aud": "https://shop.example.com/mcp", "exp": time.Now().Add(time.Hour).Unix(), "customer_id": 2}
		for name, v := range change {
			if claims[name] = v; v == nil && name != "customer_id" {
				delete(claims, name)
			}
		}
		text, err := jwt.Signed(signer).Claims(claims).Serialize()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	token := strings.Repeat("n1ghtly", 8)
	t.Setenv("SERVE_TEST_TOKEN", token)
	path := grantFileOf(t, servedHTTP)
	beside, err := filepath.Rel(filepath.Dir(path), file) // a relative path begins at the file's folder
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, strings.Replace(servedHTTP, "KEYS", beside, 1))
	url := overHTTP(t, path)

	for name, c := range map[string]struct {
		token  string
		change func(*http.Request)
		status int
		says   string
	}{
		"a token of the file":      {token: token, status: 200, says: `ann`},
		"a token of the issuer":    {token: signed(nil), status: 200, says: `bob`},
		"for several, ours too":    {token: signed(map[string]any{"aud": []string{"x", "https://shop.example.com/mcp"}}), status: 200, says: `bob`},
		"a page of the file":       {token: token, change: func(r *http.Request) { r.Header.Set("Origin", "https://app.example.com") }, status: 200, says: `ann`},
		"the name of the resource": {token: token, change: func(r *http.Request) { r.Host = "shop.example.com" }, status: 200, says: `ann`},

		"no token":         {status: 401},
		"half a token":     {token: token[:40], status: 401},
		"another audience": {token: signed(map[string]any{"aud": "https://other.example.com/mcp"}), status: 401},
		"no audience":      {token: signed(map[string]any{"aud": nil}), status: 401},
		"another issuer":   {token: signed(map[string]any{"iss": "https://evil.example.com/"}), status: 401},
		"expired":          {token: signed(map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}), status: 401},
		"for ever":         {token: signed(map[string]any{"exp": nil}), status: 401},
		"changed":          {token: signed(nil) + "x", status: 401},
		"a null claim":     {token: signed(map[string]any{"customer_id": nil}), status: 403},
		"a list":           {token: signed(map[string]any{"customer_id": []int{1, 2}}), status: 403},
		"a text":           {token: signed(map[string]any{"customer_id": "1"}), status: 403},
		"half a number":    {token: signed(map[string]any{"customer_id": 1.5}), status: 403},
		"in the address":   {token: token, change: func(r *http.Request) { r.URL.RawQuery = "access_token=" + token }, status: 400},
		"twice":            {token: token, change: func(r *http.Request) { r.Header.Add("Authorization", "Bearer "+signed(nil)) }, status: 401},
		"another's page":   {token: token, change: func(r *http.Request) { r.Header.Set("Origin", "https://evil.example.com") }, status: 403},
		"another's name":   {token: token, change: func(r *http.Request) { r.Host = "evil.example.com" }, status: 403},
	} {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute","arguments":{"code":"return (await me).map(c => c.name)"}}}`
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
		if c.token != "" {
			r.Header.Set("Authorization", "Bearer "+c.token)
		}
		if c.change != nil {
			c.change(r)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		others := map[string]string{"ann": "bob", "bob": "ann"}[c.says]
		if resp.StatusCode != c.status || !strings.Contains(string(text), c.says) || others != "" && strings.Contains(string(text), others) {
			t.Errorf("%s: %d, want %d and %q: %s", name, resp.StatusCode, c.status, c.says, text)
		}
	}
}
