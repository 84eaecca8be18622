package services_test

// This file looks for the secrets of services where they must not be.

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestSecrets: the server gets the secret, and nothing else has its text: no error, list, manifest, description, result or record. The record has
// that it was used.
func TestSecrets(t *testing.T) {
	d := &desk{}
	text := overHTTP(d.serve(t), "")
	decl := opened(t, text)
	tool, rec := toolOf(t, decl, nil)
	r := tool.Run(t.Context(), "api.desk.list_tickets()")
	if r.Err != nil || slices.ContainsFunc(d.tokens, func(s string) bool { return s != "Bearer s3cret" }) {
		t.Fatalf("%v, the server got %q", r.Err, d.tokens)
	}
	m, err := decl.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	d.refuses = true // it repeats the secret in its error
	_, refused := openFile(t, text)
	again := tool.Run(t.Context(), "api.desk.list_tickets()")
	all, _ := json.Marshal([]any{rec.all, m, decl.File.Lines(), r, tool.Description(), fmt.Sprint(refused), fmt.Sprint(again.Err)})
	if strings.Contains(string(all), "s3cret") || !strings.Contains(string(all), `"header":"Authorization"`) || refused == nil {
		t.Errorf("it is in %s", all)
	}
}

// TestOAuth: the server gets a token that the token endpoint has issued to the file's client, and neither the token nor the client's secret is anywhere else.
func TestOAuth(t *testing.T) {
	var asked []string
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, secret, _ := r.BasicAuth()
		asked = append(asked, id+" "+secret+" "+r.FormValue("scope")+" "+r.FormValue("resource"))
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"access_token":"issued","token_type":"Bearer","expires_in":3600}`)
	}))
	t.Cleanup(h.Close)
	d := &desk{}
	address := d.serve(t)
	text := strings.Replace(overHTTP(address, ""), "{ from: env:DESK_TOKEN, prefix: 'Bearer ' }", "{ oauth: "+strings.Replace(h.URL, "127.0.0.1", "localhost", 1)+"/token, client: exo, from: env:DESK_TOKEN, scopes: [tickets], networks: [127.0.0.0/8, '::1/128'] }", 1)
	decl := opened(t, text)
	tool, rec := toolOf(t, decl, nil)
	r := tool.Run(t.Context(), "api.desk.list_tickets()")
	if r.Err != nil || slices.ContainsFunc(d.tokens, func(s string) bool { return s != "Bearer issued" }) || asked[0] != "exo s3cret tickets "+address {
		t.Fatalf("%v, the server got %q, and the token endpoint %q", r.Err, d.tokens, asked)
	}
	all, _ := json.Marshal([]any{rec.all, decl.File.Lines(), r, tool.Description()})
	if got := string(all); strings.Contains(got, "s3cret") || strings.Contains(got, "issued\"") || !strings.Contains(got, `"secret":"oauth:localhost"`) || !strings.Contains(got, "tokens of http://localhost") {
		t.Errorf("%s", got)
	}
}

// TestSecretsInErrors: a server's secret that its error repeats is not in the error that an operator reads, and a log keeps.
func TestSecretsInErrors(t *testing.T) {
	t.Setenv("DESK_TOKEN", "s3cret")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text := file(fmt.Sprintf("  desk:\n    command: [%q, desk]\n    env: { FAIL: tell }\n    secrets: { DESK_TOKEN: env:DESK_TOKEN }\n    read: [%s]\n    reads: [list-tickets]\n", self, strings.Join(libraries(), ", ")))
	if _, err := openFile(t, text); err == nil || strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), "bad token [secret]") {
		t.Errorf("%v", err)
	}
}
