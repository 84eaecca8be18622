package checks_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestCheckPrintable: names that a database chose reach whoever reads a finding
// as one line of printable text, in JSON too.
func TestCheckPrintable(t *testing.T) {
	const evil = "\x1b[2J\a\nok\r\u009b31m\u202e\U000e0041"
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		setup := []string{strings.Replace(ckAccounts, "name TEXT", `name "x`+evil+`"`, 1), ckEntries, ckIndexes,
			`CREATE TRIGGER "t` + evil + `" AFTER INSERT ON accounts BEGIN DELETE FROM entries; END`}
		if e.Name == "postgres" {
			setup = []string{`CREATE TYPE "x` + evil + `" AS ENUM ('x')`, strings.Replace(ckAccounts, "seen {time}", `seen "x`+evil+`"`, 1), ckEntries, ckIndexes,
				`CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`, `CREATE TRIGGER "t` + evil + `" AFTER INSERT ON accounts EXECUTE FUNCTION f()`}
		}
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(setup...)})
		d := ckDeclare()
		found, err := exosql.Findings(context.Background(), db, exosql.Granted(exosql.NewFacet(d.accounts, "a", d.id).Of(exosql.Grant(db, d.accounts, d.tenant.Eq(1)))), exosql.Written(d.accounts))
		if err != nil {
			t.Fatal(err)
		}
		kinds := map[exosql.FindingKind]bool{}
		found, _ = withoutSuperuser(found)
		for _, f := range found {
			for _, s := range []string{f.Problem, f.Fix, f.String()} {
				if i := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
					t.Errorf("%q has %q", s, s[i:])
				}
				if strings.Contains(s, `\u001b[2J\u0007\u000aok\u000d\u009b31m\u202e\u{e0041}`) {
					kinds[f.Kind] = true
				}
			}
			if b, err := json.Marshal(f); err != nil || !strings.HasPrefix(string(b), `{"kind":"`+string(f.Kind)+`","table":"accounts",`) {
				t.Errorf("%s %v", b, err)
			}
		}
		if want := map[string]exosql.FindingKind{"sqlite": exosql.LooseEquality, "postgres": exosql.TypeMismatch}[e.Name]; !kinds[want] || !kinds[exosql.HiddenEffect] {
			t.Errorf("the twin: the names were not shown: %q", found)
		}
	})
}

// TestCheckLabels: a table that is declared twice, and not labelled the same, is found: one of the two would show what the other seals.
func TestCheckLabels(t *testing.T) {
	type person struct {
		ID    int64
		Email string
	}
	declare := func(change func(email *exosql.Column[person, string])) exosql.Declared {
		people := exosql.NewTable[person]("people")
		id := exosql.NewKey(people, "id", func(p *person) *int64 { return &p.ID })
		email := exosql.NewColumn(people, "email", func(p *person) *string { return &p.Email })
		change(email)
		return exosql.NewFacet(people, "person", id, email)
	}
	plain := func(*exosql.Column[person, string]) {}
	pii := func(c *exosql.Column[person, string]) { c.WithLabel("pii") }
	trusted := func(c *exosql.Column[person, string]) { c.Trusted() }
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE people (id {int} PRIMARY KEY, email TEXT NOT NULL)")})
		for what, c := range map[string]struct {
			a, b func(*exosql.Column[person, string])
			want string
		}{
			"alike": {pii, pii, ""}, "plain": {plain, plain, ""},
			"one labels":        {pii, plain, "declared twice: the column is labelled {pii} in one declaration, and public in the other"},
			"the other labels":  {plain, pii, "declared twice: the column is public in one declaration, and labelled {pii} in the other"},
			"one demands trust": {trusted, plain, "declared twice: the column is public, and demands trust in one declaration, and public in the other"},
		} {
			found, err := exosql.Findings(t.Context(), db, declare(c.a), declare(c.b))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, f := range found {
				if f.Kind == exosql.LabelMismatch {
					got += f.Table + "." + f.Column + ": " + f.Problem
				}
			}
			if (got == "") != (c.want == "") || !strings.HasSuffix(got, c.want) || got != "" && !strings.HasPrefix(got, "people.email: ") {
				t.Errorf("%s: %q", what, got)
			}
		}
	})
}
