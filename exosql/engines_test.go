package exosql_test

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// hostile are texts that something on the way might take for more than text.
var hostile = []string{
	"", " ", "'", "''", `"`, `\`, `\'`, `\\`, `E'\x41'`, "$1", "$2", "?", "??", ":a", "@a", "%", "_", "%s", "NULL", "null", `\N`, "--", "/*", "*/", ";", "'; DROP TABLE tags; --",
	"1", "true", "2026-01-02", "infinity", "a::int", "'a'::text", "CAST($1 AS int)", "{a,b}", "{}", "(a,b)", "ARRAY[1]", "\t\n\r", "\x01\x7f", "\u0080\u009f", "\u2028\u2029", "\ufeffx", "\ufffd", "\uffff",
	"é", "e\u0301", "ß", "ẞ", "İ", "ı", "😀", "a\u200db", strings.Repeat("x", 100_000),
}

// A text is a text: it is stored, found, listed and given back as it is.
func TestHostileTexts(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
			if err := e.Fill("DELETE FROM tags")(ctx, db); err != nil {
				return err
			}
			for i, s := range hostile {
				if _, err := db.ExecContext(ctx, e.Pick("INSERT INTO tags VALUES (?, ?)", "INSERT INTO tags VALUES ($1, $2)"), i, s); err != nil {
					return fmt.Errorf("%.20q: %w", s, err)
				}
			}
			return nil
		}})
		all := exosql.Grant(db, tu.Tags, exosql.AllRows[tu.Tag]())
		facet := exosql.NewFacet(tu.Tags, "tag", tu.TagID, tu.TagName)
		r := tu.NewRunner(t, map[string]exo.Object{"tags": facet.Of(all)}, exo.Limits{})
		for i, s := range hostile {
			for what, p := range map[string]exosql.Predicate[tu.Tag]{
				"eq": tu.TagName.Eq(s), "in": tu.TagName.In("-", s), "le and ge": exosql.And(tu.TagName.Le(s), tu.TagName.Ge(s)), "not ne": exosql.Not(tu.TagName.Ne(s)),
			} {
				rows, err := all.Where(p).All(t.Context())
				if err != nil || len(rows) != 1 || rows[0].ID != int64(i) || rows[0].Name != s {
					t.Errorf("%s %.20q: %v %v", what, s, rows, err)
				}
			}
			if len(s) > 1000 {
				continue
			}
			text, err := value.Text(s).AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			o := r.Run(t, fmt.Sprintf("const s = %s; return [await tags.where((t) => t.name === s), await tags.where((t) => t.name.includes(s) && t.id === %d).count(), await tags.where({ id: %d }).select((t) => ({ s, n: t.name }))]", text, i, i))
			if want := fmt.Sprintf(`[[{"id":%d,"name":%s}],1,[{"s":%[2]s,"n":%[2]s}]]`, i, text); !tu.SameJSON(o.JSON, want) {
				t.Errorf("%q: %s, want %s", s, o, want)
			}
		}
		for _, s := range []string{"\\x00", "\\ud800", "a\\udc00", "\\u0000"} {
			if o := r.Run(t, "return await tags.where((t) => t.name === '"+s+"').count()"); o.Kind != fail.Invalid {
				t.Errorf("%s: %s", s, o)
			}
		}
	})
}

// Numbers that some type on the way can't hold match what they are, and no more.
func TestLargeArguments(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE n (a "+e.Pick("INTEGER", "smallint")+" PRIMARY KEY, b "+e.Pick("INTEGER", "int")+" NOT NULL)", "INSERT INTO n VALUES (1, 2), (-1, -2)")})
		n := exosql.NewTable[kit.Pair]("n")
		a := exosql.NewKey(n, "a", func(p *kit.Pair) *int64 { return &p.A })
		b := exosql.NewColumn(n, "b", func(p *kit.Pair) *int64 { return &p.B })
		r := tu.NewRunner(t, map[string]exo.Object{"n": exosql.NewFacet(n, "pair", a, b).Of(exosql.Grant(db, n, exosql.AllRows[kit.Pair]()))}, exo.Limits{})
		for cond, want := range map[string]string{
			"x.a === 65537": "0", "x.a < 65536": "2", "x.b > -3000000000": "2", "x.b === 4294967298": "0", "x.b < 9007199254740991": "2", "x.a.in([1, 65537, 4294967297])": "1", "x.b.eq('9223372036854775807')": "0",
			"x.b.gt('-9223372036854775808')": "2", "x.a === x.b": "0", "x.a < x.b": "1",
		} {
			if o := r.Run(t, "return await n.where((x) => "+cond+").count()"); o.JSON != want {
				t.Errorf("%s: %s, want %s", cond, o, want)
			}
		}
		if o := r.Run(t, "return [(await n.orderBy((x) => x.a).limit(9007199254740991).offset(1)).length, (await n.limit(0)).length, await n.join((x) => n.as('m').orderBy((m) => m.a).limit(9007199254740991), (x) => x.m.a === x.pair.a).count()]"); o.JSON != "[1,0,2]" {
			t.Error(o)
		}
	})
}

type oddRow struct {
	ID   int64
	A, B string
}

// Names are names, whatever they look like and whatever case they have.
func TestOddNames(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(`CREATE TABLE "Select ""x"" $1; --" ("ID" {int} PRIMARY KEY, "group" TEXT NOT NULL, "A""b C" TEXT NOT NULL)`, `INSERT INTO "Select ""x"" $1; --" VALUES (1, 'g', 'ü')`,
			`CREATE TABLE "ORDER" (id {int} PRIMARY KEY, "user" TEXT NOT NULL, "É" TEXT NOT NULL)`, `INSERT INTO "ORDER" VALUES (2, 'u', 'v')`)})
		for _, x := range []*exosql.Table[oddRow]{exosql.NewTable[oddRow](`Select "x" $1; --`), exosql.NewTable[oddRow]("ORDER")} {
			var id *exosql.Column[oddRow, int64]
			var a, b *exosql.Column[oddRow, string]
			if x.Name() == "ORDER" {
				id = exosql.NewKey(x, "id", func(o *oddRow) *int64 { return &o.ID })
				a = exosql.NewColumn(x, "user", func(o *oddRow) *string { return &o.A })
				b = exosql.NewColumn(x, "É", func(o *oddRow) *string { return &o.B }).Named("e")
			} else {
				id = exosql.NewKey(x, "ID", func(o *oddRow) *int64 { return &o.ID }).Named("id")
				a = exosql.NewColumn(x, "group", func(o *oddRow) *string { return &o.A })
				b = exosql.NewColumn(x, `A"b C`, func(o *oddRow) *string { return &o.B }).Named("b")
			}
			rows, err := exosql.Grant(db, x, id.Gt(0)).Where(exosql.And(a.Ne(""), b.Ne(""))).OrderBy(b.Asc(), a.Desc()).Limit(1).All(t.Context())
			if err != nil || len(rows) != 1 || rows[0].A == "" || rows[0].B == "" {
				t.Errorf("%v %v", rows, err)
			}
		}
	})
}

// sorted are texts in the order of their code points, which is no language's.
var sorted = []string{"", " ", "!", "-a", "0", "10", "2", "A", "Ab", "B", "Z", "_", "a", "a b", "aa", "ab", "a\u0301", "b", "z", "Ä", "ß", "á", "ä", "é", "Ω", "я", "中", "\uffff", "😀"}

// Texts compare and sort by code point on every engine, in every locale.
func TestTextOrder(t *testing.T) {
	setup := func(e tu.Engine) *exosql.OpenOptions {
		return &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
			if err := e.Exec(ddlTexts)(ctx, db); err != nil {
				return err
			}
			for i, s := range sorted {
				if _, err := db.ExecContext(ctx, e.Pick("INSERT INTO texts VALUES (?, ?)", "INSERT INTO texts VALUES ($1, $2)"), (i*17)%len(sorted), s); err != nil {
					return err
				}
			}
			return nil
		}}
	}
	check := func(t *testing.T, db *exosql.DB) {
		texts := exosql.NewTable[tu.Tag]("texts")
		id := exosql.NewColumn(texts, "id", func(x *tu.Tag) *int64 { return &x.ID })
		name := exosql.NewKey(texts, "name", func(x *tu.Tag) *string { return &x.Name })
		all := exosql.Grant(db, texts, exosql.AllRows[tu.Tag]())
		names := func(r exosql.Relation[tu.Tag]) (out []string) {
			t.Helper()
			rows, err := r.All(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range rows {
				out = append(out, x.Name)
			}
			return out
		}
		if got := names(all.OrderBy(name.Asc())); !slices.Equal(got, sorted) {
			t.Errorf("sorted: %q", got)
		}
		if got := names(all.Limit(5)); !slices.Equal(got, sorted[:5]) {
			t.Errorf("by the key, for the limit's sake: %q", got)
		}
		if got := names(all.OrderBy(name.Desc()).Limit(9).Where(id.Ge(0))); len(got) != 9 {
			t.Errorf("within a limit: %q", got)
		}
		for i, s := range sorted {
			for what, c := range map[string]struct {
				p    exosql.Predicate[tu.Tag]
				want []string
			}{"lt": {name.Lt(s), sorted[:i]}, "le": {name.Le(s), sorted[:i+1]}, "gt": {name.Gt(s), sorted[i+1:]}, "ge": {name.Ge(s), sorted[i:]}, "eq": {name.Eq(s), sorted[i : i+1]}} {
				if got := names(all.Where(c.p).OrderBy(name.Asc())); !slices.Equal(got, c.want) {
					t.Errorf("%s %q: %q, want %q", what, s, got, c.want)
				}
			}
		}
		r := tu.NewRunner(t, map[string]exo.Object{"texts": exosql.NewFacet(texts, "text", id, name).Of(all)}, exo.Limits{})
		n := len(sorted)
		if o := r.Run(t, "return [await texts.join(texts.as('b'), (x) => x.text.name < x.b.name).count(), await texts.where((x) => x.name.includes('a')).count(), (await texts.orderBy((x) => x.name).first()).name]"); o.JSON != fmt.Sprintf(`[%d,6,""]`, n*(n-1)/2) {
			t.Error(o)
		}
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) { check(t, e.OpenWith(t, setup(e))) })
	t.Run("postgres, ICU", func(t *testing.T) {
		e, server := tu.Postgres, tu.Server(t)
		url, a := e.URL(t), `'a' COLLATE "en-US-x-icu"`
		if tu.PostgresMajor(t) >= 15 {
			name := "exo_icu_" + fmt.Sprint(time.Now().UnixNano())
			if _, err := tu.Admin(t, server).Exec("CREATE DATABASE " + name + " TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US-x-icu' LOCALE 'C'"); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { tu.Admin(t, server).Exec("DROP DATABASE " + name) })
			url, a = tu.InDatabase(t, server, name), "'a'"
		} // On 14 no database has such an order, but its columns may.
		opt := setup(e)
		fill := opt.Setup
		opt.Setup = func(ctx context.Context, db *sql.DB) error {
			if err := fill(ctx, db); err != nil || tu.PostgresMajor(t) >= 15 {
				return err
			}
			return e.Exec(`ALTER TABLE texts ALTER name TYPE TEXT COLLATE "en-US-x-icu"`)(ctx, db)
		}
		db := e.OpenURL(t, url, opt)
		var other bool
		v, err := exosql.AskOne(t.Context(), db, "SELECT "+a+" < 'B'", value.TypeBool, "")
		if other = v.Bool(); err != nil || !other {
			t.Errorf("the twin: this order is by code point itself: %v", err)
		}
		check(t, db)
	})
}

const ddlTexts = "CREATE TABLE texts (id {int} NOT NULL, name TEXT PRIMARY KEY)"
