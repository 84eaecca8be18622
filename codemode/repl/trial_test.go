package repl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode/repl/internal/screen"
	"github.com/exoagent/exoagent/exosql"
)

// typed is what an app prints at a terminal that takes lines.
func typed(a App, input string) string {
	var out, errs bytes.Buffer
	a.run(nil, &screen.Streams{In: strings.NewReader(input), Out: &out, Err: &errs, Terminal: true})
	return out.String() + errs.String()
}

// TestQuestionsOfApp: an app's questions are listed, with a model too, and a number alone runs one.
func TestQuestionsOfApp(t *testing.T) {
	for _, a := range []App{testApp, askedApp()} {
		a.Questions = []Question{{"How many\x1b notes?", "api.me.notes().count()"}, {"Who?", "api.me.first()"}}
		got := typed(a, "1\n.2\n.3\n.run 3\n")
		for _, want := range []string{"\n  1 How many\\u001b notes?\n    api.me.notes().count()\n  2 Who?\n    api.me.first()\n", "owner 1> api.me.notes().count()\n2\n", "owner 1> api.me.first()\nid    1\n", "owner 1> there is no program .3 to start from; there are .1 to .2", "owner 1> 3\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
	}
}

// TestConsent: no model is asked before somebody has typed yes, and then no second time.
func TestConsent(t *testing.T) {
	a := askedApp()
	a.Consent = func(model, user string) string { return "may " + model + " see those of " + user + "?\x1b" }
	const ask = "owner 1> may the model see those of 1?\\u001b\nyes, or anything else for no> "
	got := typed(a, "how many?\nno\n.ask how many?\ny\nhow many?\n\napi.me.count()\nhow many?\n YES \nhow many?\n")
	if n := strings.Count(got, ask); n != 4 || strings.Count(got, ask+"nothing was sent\n") != 3 {
		t.Errorf("asked %d times:\n%s", n, got)
	}
	if !strings.Contains(got, "You asked once.") || !strings.Contains(got, "You asked again and once.") {
		t.Errorf("the answers:\n%s", got)
	}
	if got := typed(a, "how many?\nyes\n.owner 2\nhow many?\n"); !strings.Contains(got, "owner 2> may the model see those of 2?") {
		t.Errorf("for another: %s", got)
	}
	if got := typed(a, "how many?\n"); !strings.HasSuffix(got, ask+"\n") {
		t.Errorf("an input that ends: %q", got)
	}
	var out, errs bytes.Buffer
	if code := a.Run([]string{"-ask", "how many?"}, strings.NewReader(""), &out, &errs); code != exitUsage || !strings.Contains(errs.String(), "only after you have agreed") {
		t.Errorf("-ask: %d %s%s", code, out.String(), errs.String())
	}
	out.Reset()
	errs.Reset()
	if a.Run(nil, strings.NewReader(".ask how many?\n"), &out, &errs); out.String() != "" || !strings.Contains(errs.String(), "only after you have agreed") {
		t.Errorf("a piped .ask: %s%s", out.String(), errs.String())
	}
}

// TestKeep: .keep is given the programs that had a result, and is there only where an app has it.
func TestKeep(t *testing.T) {
	a := testApp
	a.Keep = func(path string, ran []string) (string, error) {
		if path == "no" {
			return "", errors.New("not there")
		}
		return fmt.Sprintf("%s has %q", path, ran), nil
	}
	got := typed(a, "1 + 1\nnope\napi.me\n  .count()\n.keep x\n.keep\n.keep no\n.help\n")
	for _, want := range []string{"x has [\"1 + 1\" \"api.me\\n  .count()\"]\n", ".keep FILE writes the grant file", "not there\n", "\n  .keep FILE "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := typed(testApp, ".keep x\n.help\n"); !strings.Contains(got, "there is no command .keep") || strings.Contains(got, ".keep FILE") {
		t.Error(got)
	}
}

// TestOpenDatabase: an app uses a database that is open already, and leaves it open.
func TestOpenDatabase(t *testing.T) {
	db, err := exosql.Open(t.Context(), "sqlite::memory:", &exosql.OpenOptions{Setup: testApp.setUp})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	a := testApp
	a.Setup, a.DB = "", db
	for range 2 {
		var out, errs bytes.Buffer
		if code := a.Run([]string{"-e", "api.me.notes().count()"}, strings.NewReader(""), &out, &errs); code != exitOK || out.String() != "2\n" {
			t.Errorf("%d %s%s", code, out.String(), errs.String())
		}
	}
	if _, err := db.Catalog(context.Background()); err != nil {
		t.Errorf("it was closed: %v", err)
	}
}
