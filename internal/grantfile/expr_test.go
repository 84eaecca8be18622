package grantfile_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// fileWith is a file whose one facet has a scope.
func fileWith(scope string) string {
	return "exo: 1\ndatabases: {shop: env:X}\nprincipal: {org: int, states: [text]}\ngrants: {tickets: ticket}\nfacets:\n  ticket:\n    table: tickets\n    columns: [id, title]\n    scope: |\n      " + strings.ReplaceAll(scope, "\n", "\n      ") + "\n"
}

func scopeOf(text string) (string, error) {
	f, err := grantfile.Parse("exo.yaml", []byte(text))
	if err != nil {
		return "", err
	}
	return f.Facets[0].Scope.String(), nil
}

// TestScope: what a scope may say, and how it is written again.
func TestScope(t *testing.T) {
	for text, want := range map[string]string{
		"org_id = $principal.org":                                   "org_id = $principal.org",
		"ORG_ID=1 AND state IN ('a','b''c') or not(id is not null)": "(ORG_ID = 1 and state in ('a', 'b''c')) or not id is not null",
		`"or" >= -1.5 and "a""b" != true`:                           `"or" >= -1.5 and "a""b" != true`,
		"state not in $principal.states":                            "state not in $principal.states",
		"not not id = 1":                                            "not not id = 1",
		"shared":                                                    "shared",
		"id = 1; DROP TABLE x":                                      "!`;`: it compares columns with values",
		"id = 1 -- x":                                               "!`-`: it compares columns with values",
		"id = id":                                                   "!want a number, a text in single quotes",
		"lower(id) = 'x'":                                           "!want =, !=",
		"id = (select 1)":                                           "!want a number",
		"id like '%'":                                               "!want =, !=",
		"1 = 1":                                                     "!want a column, not `1`",
		"true":                                                      "!want a condition like `org_id = $principal.org`, or `via FACET.LINK`",
		"id in ()":                                                  "!want a number",
		"id = $principal":                                           "!after $ want a claim of the principal, like $principal.org",
		"id = $org":                                                 "!after $ want a claim of the principal, like $principal.org",
		"id = ?":                                                    "!`?`: it compares columns with values",
		"id = 0x10":                                                 "!want `and`, `or` or the end",
		"id = 01":                                                   "!`01` is not a number",
		"id = 'a' 'b'":                                              "!want `and`, `or` or the end",
		"(id = 1":                                                   "!want `)`, not the end of the condition",
		strings.Repeat("(", 60) + "id = 1" + strings.Repeat(")", 60): "!nested too deep",
		"id in (" + strings.Repeat("1, ", 1500) + "1)":               "!too long",
		"via x":   "!want `via FACET.LINK`",
		"via x.y": "!there is no facet `x`",
	} {
		got, err := scopeOf(fileWith(text))
		if bad, ok := strings.CutPrefix(want, "!"); ok {
			if err == nil || !strings.Contains(err.Error(), bad) {
				t.Errorf("%.60s: %q %v, want %s", text, got, err, bad)
			}
		} else if err != nil || got != want {
			t.Errorf("%.60s: %q %v, want %s", text, got, err, want)
		}
	}
}

// drawExpr draws the text of a condition.
func drawExpr(t *rapid.T, depth int) string {
	col := rapid.SampledFrom([]string{"id", "org_id", `"or"`, "asked_by"}).Draw(t, "column")
	switch n := rapid.IntRange(0, 8).Draw(t, "kind"); {
	case n == 0 && depth > 0:
		return "(" + drawExpr(t, depth-1) + " and " + drawExpr(t, depth-1) + ")"
	case n == 1 && depth > 0:
		return "(" + drawExpr(t, depth-1) + " or " + drawExpr(t, depth-1) + ")"
	case n == 2 && depth > 0:
		return "not " + drawExpr(t, depth-1)
	case n == 3:
		return "title = '" + strings.ReplaceAll(rapid.StringOfN(rapid.RuneFrom([]rune(`ab'";\%é`)), 0, 6, -1).Draw(t, "text"), "'", "''") + "'"
	case n == 4:
		return "state in $principal.states"
	case n == 5:
		return col + " is not null"
	case n == 6:
		return fmt.Sprintf("%s in (%d, %d)", col, rapid.IntRange(-3, 3).Draw(t, "a"), rapid.IntRange(-3, 3).Draw(t, "b"))
	}
	return col + rapid.SampledFrom([]string{" = ", " != ", " < ", ">="}).Draw(t, "op") + rapid.SampledFrom([]string{"1", "2", "$principal.org"}).Draw(t, "value")
}

// TestExprRows: a condition, and the text that it is written as, select the rows that the database itself finds for it, where the same text
// is SQL once claims are put in; a row's column that is NULL is where the two must agree most.
func TestExprRows(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		url := e.URL(t)
		db := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec(append(append([]string{}, shop...), `UPDATE tickets SET "or" = NULL WHERE id = 2`)...)})
		raw := e.SQLDB(t, url)
		rapid.Check(t, func(rt *rapid.T) {
			text := drawExpr(rt, 3)
			file, err := grantfile.Parse("exo.yaml", []byte(fileWith(text)))
			if err != nil {
				rt.Fatalf("%s: %v", text, err)
			}
			again, err := scopeOf(fileWith(file.Facets[0].Scope.String()))
			if err != nil || again != file.Facets[0].Scope.String() {
				rt.Fatalf("%s is written %s, and that %s: %v", text, file.Facets[0].Scope, again, err)
			}
			d, err := file.Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": db}})
			if err != nil {
				rt.Fatalf("%s: %v", text, err)
			}
			p, err := file.ParseClaims("org=1,states=open")
			if err != nil {
				rt.Fatal(err)
			}
			grants, err := d.Grants(p)
			if err != nil {
				rt.Fatal(err)
			}
			out := tu.NewRunner(t, grants, exo.Limits{}).Run(t, `return (await tickets.orderBy(t => t.id).select(t => t.id)).map(id => id + "\n").join("")`)
			sql := strings.NewReplacer("$principal.org", "1", "$principal.states", "('open')").Replace(text)
			want := tu.Rows(t, raw, "SELECT id FROM tickets WHERE "+sql+" ORDER BY id")
			if got := out.JSON; fmt.Sprint(idsOf(got)) != fmt.Sprint(idsOf(want)) {
				rt.Fatalf("%s: %s %s, want %s", text, got, out.Message, want)
			}
		})
	})
}

func idsOf(text string) (out []string) {
	return strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
}

// FuzzFile: whatever a file holds, it is refused or means one thing; what it is written as reads the same. No panic, and no text of it but
// names of the catalogue gets further: see FuzzStatement.
func FuzzFile(f *testing.F) {
	f.Add([]byte(whole))
	for _, s := range []string{"id = 1", "a in ('x', 'y') and not (b is null or c >= -1)", "via a.b", `"a""b" = 'c''d'`, "org_id = $principal.org"} {
		f.Add([]byte(fileWith(s)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := grantfile.Parse("x", text)
		if err != nil {
			return
		}
		for _, x := range file.Facets {
			if x.Scope.Rows == nil {
				continue
			}
			s := x.Scope.String()
			again, err := grantfile.ParseScope(s)
			if err != nil || again.String() != s {
				t.Fatalf("%q: %q %v", s, again, err)
			}
		}
	})
}
