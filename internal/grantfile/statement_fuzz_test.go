package grantfile_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

var (
	inQuotes = regexp.MustCompile(`"(?:[^"]|"")*"`)
	words    = regexp.MustCompile(`[\pL_][\pL\pN_]*|[^\x20-\x7e\n]`)
	// ours are the words of statements on one table that sqlast writes by itself, and its names of tables and parameters.
	ours = regexp.MustCompile(`^(SELECT|FROM|AS|WHERE|AND|OR|NOT|IN|IS|NULL|ORDER|BY|ASC|LIMIT|OFFSET|CASE|WHEN|THEN|ELSE|END|EXISTS|TRUE|FALSE|COUNT|ON|JOIN|CROSS|LEFT|DESC|DISTINCT|CAST|cast|coalesce|typeof|COLLATE|BINARY|NULLS|FIRST|LAST|WITH|MATERIALIZED|[a-z][0-9]+)$`)
)

// foreign is the first thing in a statement that is neither a word of ours nor a name of the catalogue; "": there is none.
func foreign(sql string, catalogue map[string]bool) string {
	for _, q := range inQuotes.FindAllString(sql, -1) {
		if !catalogue[q] && !ours.MatchString(strings.Trim(q, `"`)) {
			return q
		}
	}
	rest := strings.ReplaceAll(inQuotes.ReplaceAllString(sql, " "), ") = 'text')", "))") // the guard of a column of texts
	for _, w := range words.FindAllString(rest, -1) {
		if !ours.MatchString(w) {
			return w
		}
	}
	for _, sign := range []string{"'", ";", "--", "/*", `"`, "`", "["} {
		if strings.Contains(rest, sign) {
			return sign
		}
	}
	return ""
}

// FuzzStatement: whatever stands in a scope, a column's name or a facet's, no text of it is in a statement but names that the catalogue has.
func FuzzStatement(f *testing.F) {
	for _, s := range []string{"id = 1", "state in ('open', 'x''y') and not (done_by is null or id >= -1.5)", `"or" != 7 or title = '"; DROP TABLE x; --'`, "state in $principal.states", "org_id = $principal.org", "shared"} {
		f.Add(s, "id", "ticket")
	}
	f.Add("id = 1", `id" FROM people --`, "x")
	f.Add("id = 1", "or", `a"b`)
	e := tu.SQLite
	db := e.OpenWith(f, &exosql.OpenOptions{Setup: e.Exec(shop...)})
	live, err := db.Catalog(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	catalogue := map[string]bool{}
	for _, t := range live.Tables {
		catalogue[`"`+t.Name.Name+`"`] = true
		for _, c := range t.Columns {
			catalogue[`"`+c.Name+`"`] = true
		}
	}
	f.Fuzz(func(t *testing.T, scope, column, facet string) {
		text := "exo: 1\ndatabases: {shop: env:X}\nprincipal: {org: int, states: [text]}\ngrants: {tickets: " + quoteYAML(facet) + "}\nfacets:\n  " + quoteYAML(facet) +
			":\n    table: tickets\n    columns: [title, " + quoteYAML(column) + "]\n    scope: " + quoteYAML(scope) + "\n"
		file, err := grantfile.Parse("x", []byte(text))
		if err != nil {
			return
		}
		d, err := file.Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": db}})
		if err != nil {
			return
		}
		p, err := file.ParseClaims("org=1,states=open+it's")
		if err != nil {
			t.Fatal(err)
		}
		grants, err := d.Grants(p)
		if err != nil {
			t.Fatal(err)
		}
		out := tu.NewRunner(t, grants, exo.Limits{}).Run(t, "return tickets.orderBy(t => t.title)")
		if len(out.SQL) == 0 {
			t.Fatalf("%q: no statement: %s", text, out.Message)
		}
		for _, q := range out.SQL {
			if x := foreign(q.SQL, catalogue); x != "" {
				t.Fatalf("%q: the statement has %q:\n%s", text, x, q.SQL)
			}
		}
	})
}

// quoteYAML is a text in double quotes.
func quoteYAML(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// TestForeign: the test of statements finds text that is not ours.
func TestForeign(t *testing.T) {
	known := map[string]bool{`"tickets"`: true, `"id"`: true}
	for sql, want := range map[string]string{
		`SELECT t0."id" FROM "tickets" AS t0 WHERE (t0."id" = ?)`: "",
		`SELECT t0."id" FROM "tickets" AS t0 WHERE t0."id" = 'x'`: "x",
		`SELECT t0."secret" FROM "tickets" AS t0`:                 `"secret"`,
		`SELECT t0."id" FROM "tickets" AS t0 WHERE lower(?)`:      "lower",
		`SELECT t0."id" FROM "tickets" AS t0; SELECT 1`:           ";",
	} {
		if got := foreign(sql, known); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
}
