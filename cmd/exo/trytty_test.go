//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/internal/testutil/ttytest"
)

// keyless is an environment in which no model can be asked.
func keyless(more ...string) []string {
	return append([]string{asProgram + "=1", "GOOGLE_GENERATIVE_AI_API_KEY=", "ANTHROPIC_API_KEY=", "OPENAI_API_KEY=", "OPENAI_BASE_URL="}, more...)
}

// TestTryAtTerminal: five questions are listed, a number alone runs one, and .keep writes what ran.
func TestTryAtTerminal(t *testing.T) {
	url, _ := prepared(t, testutil.SQLite, drawn(t, testutil.SQLite, "crm"))
	file := filepath.Join(t.TempDir(), "kept.yaml")
	x := ttytest.Start(t, keyless(), program(t), "try", url)
	s := x.Ends("user workspace=1>")
	if strings.Contains(s, "Whose are the rows?") {
		t.Errorf("it asks:\n%s", s)
	}
	for _, want := range []string{"These are the rows of workspace=1, in 7 of 7 ", "\n  1 How many activities are there?\n    activities.count()\n", "\n  5 How many "} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q on the screen:\n%s", want, s)
		}
	}
	x.Send("1\r")
	x.Ends("; .sql shows it\nuser workspace=1>")
	x.Send("4\r")
	x.Ends("; .sql shows it\nuser workspace=1>")
	x.Send("9\r") // is a program
	x.Shows("\n9\n")
	x.Ends("user workspace=1>")
	x.Send(".user workspace=2\r")
	x.Ends("user workspace=2>")
	x.Send(".keep " + file + "\r")
	x.Shows("kept.yaml: 7 of 7 tables are granted")
	x.Send("\x04")
	if code := x.Exit(); code != cli.ExitDone {
		t.Errorf("exit %d\n%s", code, x.Screen())
	}
	if r := exo(t, "", "validate", file); r.code != cli.ExitDone {
		t.Error(r)
	}
}

// TestTryAsksOnce: where nothing says whose the rows are, one question is asked, and the whole database is shown only to who typed none.
func TestTryAsksOnce(t *testing.T) {
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		url, _ := prepared(t, e, drawn(t, e, "wordpress"))
		answers := map[string]string{"none\r": "Every row of ", "wp_users\r": "no foreign key refers to a table wp_users"}
		if e.Name == testutil.SQLite.Name { // which takes a number for a key: by their names post_id leads to wp_posts
			answers["\r"] = "These are the rows of post="
		}
		for answer, want := range answers {
			x := ttytest.Start(t, keyless(), program(t), "try", url, "-e", "1 + 1")
			x.Shows("The table, the column, or none") // what is typed before it is dropped
			x.Send(answer)
			x.Shows(want)
			if code := x.Exit(); code != map[string]int{"wp_users\r": cli.ExitUsage}[answer] || strings.Count(x.Screen(), "The table, the column, or none") != 1 {
				t.Errorf("exit %d\n%s", code, x.Screen())
			}
		}
	})
}

// TestTryConsent: a key is no consent. Nothing is sent before somebody has read which model sees which columns, and typed yes.
func TestTryConsent(t *testing.T) {
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		fmt.Fprint(w, `data: {"choices":[{"delta":{"content":"There are 28."}}]}`+"\n\n"+`data: {"choices":[{"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	x := ttytest.Start(t, keyless("OPENAI_BASE_URL="+s.URL, "OPENAI_API_KEY=x"), program(t), "try", "-demo", "-model", "openai:small")
	if s := x.Ends("user organization=1>"); !strings.Contains(s, "Ask what you want to know") || !strings.Contains(s, "\n  1 How many ") {
		t.Errorf("the greeting:\n%s", s)
	}
	const prompt = "yes, or anything else for no>"
	for _, no := range []string{"no\r", "yes please\r", "\r", "\x03"} {
		x.Send("how many tasks are there?\r")
		screen := x.Ends(prompt)
		for _, want := range []string{"openai:small@" + s.URL, "\n  tasks: id, projectId, assigneeId, title, status", "organization=1."} {
			if !strings.Contains(screen, want) {
				t.Errorf("no %q in what is asked:\n%s", want, screen)
			}
		}
		if strings.Contains(screen, "email") || strings.Contains(screen, ", body") {
			t.Errorf("columns that are left out:\n%s", screen)
		}
		x.Send(no)
		x.Ends("nothing was sent\nuser organization=1>")
	}
	x.Send("1\r") // a program needs no consent
	x.Ends("; .sql shows it\nuser organization=1>")
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests before a yes", n)
	}
	x.Send("how many?\ryes\r") // nor does what was pasted give one
	x.Ends(prompt)
	x.Send("yes\r")
	x.Shows("There are 28.")
	x.Ends("user organization=1>")
	x.Send("and tomorrow?\r")
	x.Until("a second answer", func(string) bool { return asked.Load() == 2 })
	x.Ends("user organization=1>")
	x.Send("\x04")
	if code := x.Exit(); code != cli.ExitDone {
		t.Errorf("exit %d", code)
	}
}

// TestTryClient: what a client starts is served once a person has typed whose rows these are, as long as the same is granted, and no
// password stands in what is printed.
func TestTryClient(t *testing.T) {
	testutil.NotRaced(t)
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		url, raw := prepared(t, e, drawn(t, e, "rails"))
		config := t.TempDir()
		t.Setenv("XDG_CONFIG_HOME", config)
		t.Setenv("EXO_TRY_CLIENT", url)
		serve := []string{"try", "env:EXO_TRY_CLIENT", "-as", "account=1", "-serve"}
		refused := func(what string, args ...string) {
			t.Helper()
			if r := exo(t, "", args...); r.code != cli.ExitFound || r.out != "" {
				t.Errorf("%s: %+v", what, r)
			}
		}
		refused("nobody has agreed", serve...)
		if r := exo(t, "", serve...); !strings.Contains(r.err, " try env:EXO_TRY_CLIENT -as account=1 -client claude\n") || !strings.Contains(r.err, "in the variable EXO_TRY_CLIENT") {
			t.Errorf("it does not say what to do: %s", r.err)
		}
		refused("without a terminal", "try", "env:EXO_TRY_CLIENT", "-client", "claude")
		agree := func(args ...string) *ttytest.TTY {
			return ttytest.Start(t, keyless("XDG_CONFIG_HOME="+config, "EXO_TRY_CLIENT="+url), program(t), append([]string{"try", "env:EXO_TRY_CLIENT"}, args...)...)
		}
		x := agree("-client", "claude-code")
		if s := x.Ends("Type Acme to agree:"); !strings.Contains(s, "\n  posts: id, userId, title, ") {
			t.Errorf("what is agreed to:\n%s", s)
		}
		x.Send("yes\r")
		x.Shows("so nothing was changed: run the command again to agree")
		if code := x.Exit(); code != cli.ExitFound {
			t.Errorf("exit %d", code)
		}
		refused("another word", serve...)
		x = agree("-client", "claude-code")
		x.Ends("Type Acme to agree:")
		x.Send("Acme\r")
		x.Shows("claude mcp add exo -e 'EXO_TRY_CLIENT=the URL of the database' -- exo try env:EXO_TRY_CLIENT")
		if code := x.Exit(); code != cli.ExitDone {
			t.Errorf("exit %d", code)
		}
		r := exo(t, "", "try", "env:EXO_TRY_CLIENT", "-client", "claude") // agreed to already
		if r.code != cli.ExitDone || !strings.Contains(r.out, `"mcpServers"`) || !strings.Contains(r.out, `"-serve"`) || strings.Contains(r.out, url) {
			t.Fatal(r)
		}
		home := t.TempDir()
		if err := os.Mkdir(filepath.Join(home, ".cursor"), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("HOME", home)
		if r := exo(t, "", "try", "env:EXO_TRY_CLIENT", "-client", "cursor", "-install"); r.code != cli.ExitDone || r.out != "" || !strings.Contains(r.err, "has the entry exo now") {
			t.Errorf("-install: %+v", r)
		}
		var had struct {
			McpServers map[string]struct {
				Command string
				Args    []string
				Env     map[string]string
			}
		}
		if text, err := os.ReadFile(filepath.Join(home, ".cursor", "mcp.json")); err != nil || json.Unmarshal(text, &had) != nil || !slices.Equal(had.McpServers["exo"].Args, serve) {
			t.Errorf("%v\n%s", err, text)
		}
		t.Setenv("EXO_TRY_CLIENT", had.McpServers["exo"].Env["EXO_TRY_CLIENT"]) // what the client gives it
		c := started(t, child(t, had.McpServers["exo"].Args...))
		if text, failed := callText(t, c, "accounts.select(a => a.name)"); failed || text != `{"result":["Acme"]}` {
			t.Errorf("%v %s", failed, text)
		}
		refused("less distrust", append(serve, "-distrust", "nothing")...)
		refused("another zone", append(serve, "-zone", "Asia/Tokyo")...)
		tokyo := []string{"-client", "cursor", "-name", "tokyo", "-zone", "Asia/Tokyo"}
		x = agree(tokyo...)
		x.Ends("Type Acme to agree:")
		x.Send("Acme\r")
		x.Shows(`"-zone",`)
		if code := x.Exit(); code != cli.ExitDone {
			t.Errorf("exit %d", code)
		}
		t.Setenv("EXO_TRY_CLIENT", url)
		if r := exo(t, "", append([]string{"try", "env:EXO_TRY_CLIENT", "-install"}, tokyo...)...); r.code != cli.ExitDone {
			t.Errorf("-install: %+v", r)
		}
		if text, err := os.ReadFile(filepath.Join(home, ".cursor", "mcp.json")); err != nil || json.Unmarshal(text, &had) != nil || !slices.Equal(had.McpServers["tokyo"].Args, append(serve, "-zone", "Asia/Tokyo")) {
			t.Errorf("%v\n%s", err, text)
		}
		c = started(t, child(t, had.McpServers["tokyo"].Args...))
		if text, failed := callText(t, c, "new Date('2024-01-01T00:00').toISOString()"); failed || text != `{"result":"2023-12-31T15:00:00.000Z"}` {
			t.Errorf("%v %s", failed, text)
		}
		refused("another tenant", "try", "env:EXO_TRY_CLIENT", "-as", "account=2", "-serve")
		if r := exo(t, "", "try", "env:EXO_TRY_CLIENT", "-tenant", "none", "-client", "claude"); r.code == cli.ExitDone || r.out != "" || !strings.Contains(r.err, "serves the rows of one tenant, but -tenant none names no tenant") {
			t.Errorf("the whole: %+v", r)
		}
		if _, err := raw.Exec("ALTER TABLE posts ADD COLUMN shelf INTEGER"); err != nil {
			t.Fatal(err)
		}
		refused("something else is granted", serve...)
	})
}

// TestTryTypedAhead: what was typed before the question agrees to nothing.
func TestTryTypedAhead(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("typed text is dropped on Linux alone")
	}
	url, _ := prepared(t, testutil.SQLite, drawn(t, testutil.SQLite, "rails"))
	x := ttytest.StartTyped(t, "Acme\r", keyless("XDG_CONFIG_HOME="+t.TempDir()), program(t), "try", url, "-client", "claude") // as a paste of two lines does
	x.Ends("Type Acme to agree:")
	x.Send("no\r")
	x.Shows("so nothing was changed: run the command again to agree")
	if code := x.Exit(); code != cli.ExitFound || strings.Contains(x.Screen(), "mcpServers") {
		t.Errorf("exit %d\n%s", code, x.Screen())
	}
}

// TestTryServesWhatWasAgreed: served is the database that was agreed to, whatever the variable of the draft names by then; another role,
// schema or setting in the URL is another agreement.
func TestTryServesWhatWasAgreed(t *testing.T) {
	e := testutil.Postgres
	url, _ := prepared(t, e, drawn(t, e, "rails"))
	other, _ := prepared(t, e, drawn(t, e, "rails"), "UPDATE accounts SET name = 'Production' WHERE id = 1")
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	x := ttytest.Start(t, keyless("XDG_CONFIG_HOME="+config), program(t), "try", url, "-client", "claude")
	x.Ends("Type Acme to agree:")
	x.Send("Acme\r")
	if code := x.Exit(); code != cli.ExitDone {
		t.Fatalf("exit %d\n%s", code, x.Screen())
	}
	t.Setenv(strings.ToUpper(databaseName(url))+"_URL", other)
	c := started(t, child(t, "try", url, "-as", "account=1", "-serve"))
	if text, failed := callText(t, c, "accounts.select(a => a.name)"); failed || text != `{"result":["Acme"]}` {
		t.Errorf("%v %s", failed, text)
	}
	for name, url := range map[string]string{"another schema": other, "another setting": testutil.WithParam(t, url, "application_name", "x")} {
		if r := exo(t, "", "try", url, "-as", "account=1", "-serve"); r.code != cli.ExitFound || !strings.Contains(r.err, "nobody has agreed") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
