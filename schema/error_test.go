package schema_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/schema"
)

// TestSyntaxErrors: a mistake is reported where it is, with what would be right.
// | stands where the mistake is.
func TestSyntaxErrors(t *testing.T) {
	both := []schema.Engine{schema.SQLite, schema.Postgres}
	for _, c := range []struct {
		ddl, says string
		on        []schema.Engine
	}{
		{"|CREAT TABLE a (x int)", "`CREAT` begins no statement that is known", both},
		{"CREATE |TABEL a (x int)", "found `TABEL`, want TABLE, INDEX", both},
		{"CREATE TABLE a (x int |", "found the end, want `,` or `)`", both},
		{"CREATE TABLE |table (x int)", "the keyword table, want the name of a table; a name that is a keyword stands in double quotes", both},
		{"CREATE TABLE a (x int, |x text)", "table public.a has two columns x", []schema.Engine{schema.Postgres}},
		{"CREATE TABLE a (x int, |X text)", "table a has two columns X", []schema.Engine{schema.SQLite}},
		{"CREATE TABLE a (x int, UNIQUE (|y))", "has no column y; it has x", both},
		{"CREATE TABLE a (x int PRIMARY KEY, y int, |PRIMARY KEY (y))", "has two primary keys", both},
		{"CREATE TABLE a (x int, CHECK |(x > 0; SELECT 1", "this parenthesis is not closed before the statement ends", both},
		{"CREATE TABLE a (x int DEFAULT |)", "found `)`, want a value", both},
		{"CREATE TABLE a (x int); CREATE INDEX i ON |b (x)", "there is no table b up to here", both},
		{"CREATE TABLE a (x int);\nCREATE INDEX i ON a (x, |\"ü\")", "has no column ü; it has x", both},
		{"CREATE TABLE a (x text DEFAULT |'no end)", "this text has no end: want '", both},
		{"CREATE TABLE |\"a (x int)", "this name has no end", both},
		{"CREATE TABLE a (x int REFERENCES b ON DELETE |EXPLODE)", "want CASCADE, RESTRICT, SET NULL, SET DEFAULT or NO ACTION", []schema.Engine{schema.SQLite}},
		{"CREATE TABLE a (x int |REFERENCES b)", "there is no table b up to here", []schema.Engine{schema.Postgres}},
		{"CREATE TABLE b (y int); CREATE TABLE a (x int |REFERENCES b)", "has no primary key of 1 columns", []schema.Engine{schema.Postgres}},
		{"CREATE TABLE b (y int); CREATE TABLE a (x int |REFERENCES b (z))", "has no column `z`", []schema.Engine{schema.Postgres}},
		{"CREATE TABLE a (x |NOT NULL)", "want a type", []schema.Engine{schema.Postgres}},
		{"CREATE TABLE a (|LIKE b)", "LIKE is not read: write the columns out", []schema.Engine{schema.Postgres}},
		{"CREATE TABLE a (x int); CREATE TABLE |a (y int)", "a is there already", both},
		{"DROP TABLE |a", "there is no table a up to here", both},
		{"CREATE TABLE a (x int); ALTER TABLE a |EXPLODE", "is not read: write the definition as it is to be", both},
		{"CREATE TABLE a (x int); ALTER TABLE a DROP CONSTRAINT |c", "has no constraint c", both},
		{"CREATE TYPE a AS ENUM (|b)", "want a value of the enum in single quotes", []schema.Engine{schema.Postgres}},
		{"CREATE TYPE a AS ENUM ('b'); CREATE DOMAIN |a int", "type public.a is there already", []schema.Engine{schema.Postgres}},
		{"SELECT |$x$ no end", "want $x$", []schema.Engine{schema.Postgres}},
		{"|/* no end", "this comment has no end: want */", []schema.Engine{schema.Postgres}},
		{"CREATE TABLE temp2 (x int); CREATE TABLE |other.a (x int)", "only the schema main is read", []schema.Engine{schema.SQLite}},
		{"CREATE TABLE a (x int); CREATE TRIGGER t AFTER |EXPLODE ON a BEGIN SELECT 1; END", "want INSERT, UPDATE or DELETE", []schema.Engine{schema.SQLite}},
		{"CREATE TABLE a (x int); CREATE TRIGGER t AFTER INSERT ON a |BEGIN SELECT 1;", "this BEGIN has no END", []schema.Engine{schema.SQLite}},
		{"CREATE TABLE a (x int); CREATE POLICY p ON a FOR |EVERYTHING", "want ALL, SELECT, INSERT, UPDATE or DELETE", []schema.Engine{schema.Postgres}},
		{"COMMENT ON TABLE |a IS 'x'", "there is no table a up to here", []schema.Engine{schema.Postgres}},
		{"CREATE TABLE a (x int); COMMENT ON COLUMN |a.y IS 'x'", "has no column y", []schema.Engine{schema.Postgres}},
		{"CREATE TABLE a (x int) |GARBAGE", "found `GARBAGE`, want `;`", both},
		{"CREATE TABLE a (x int)|\xff", "this is not UTF-8", both},
	} {
		for _, engine := range c.on {
			before, after, _ := strings.Cut(c.ddl, "|")
			line := strings.Count(before, "\n") + 1
			col := len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
			_, err := schema.ParseDDL(before+after, engine)
			var e *schema.SyntaxError
			if !errors.As(err, &e) {
				t.Errorf("%s: %s: got %v, want a SyntaxError", engine, c.ddl, err)
				continue
			}
			if e.Line != line || e.Column != col || !strings.Contains(e.Msg, c.says) {
				t.Errorf("%s: %s: got %v, want %d:%d and %q", engine, c.ddl, e, line, col, c.says)
			}
			if want := fmt.Sprintf("schema: %d:%d: ", line, col); !strings.HasPrefix(e.Error(), want) {
				t.Errorf("got %q, want %q first", e.Error(), want)
			}
		}
	}
	if _, err := schema.ParseDDL("", "mysql"); err == nil {
		t.Error("an engine that is not known was taken")
	}
}

// TestOrder: the order of statements does not show.
func TestOrder(t *testing.T) {
	parts := []string{"CREATE TABLE b (x int PRIMARY KEY, y int)", "CREATE TABLE a (x int UNIQUE)", "CREATE TABLE c (z int)", "CREATE VIEW w AS SELECT 1", "CREATE VIEW v AS SELECT 1"}
	more := []string{"CREATE INDEX j ON b (y)", "CREATE INDEX i ON b (x, y)"}
	for _, engine := range []schema.Engine{schema.SQLite, schema.Postgres} {
		first := show(t, agree(t, engine, strings.Join(append(parts, more...), ";\n")))
		second := show(t, agree(t, engine, strings.Join([]string{parts[4], parts[2], parts[1], parts[0], parts[3], more[1], more[0]}, ";\n")))
		strip := func(s string) string { // the schema has a name of its own each time
			i := strings.Index(s, "exo_schema_")
			if i < 0 {
				return s
			}
			return strings.ReplaceAll(s, s[i:i+len("exo_schema_")+12], "S")
		}
		if strip(first) != strip(second) {
			t.Errorf("%s: %s", engine, difference(first, second))
		}
	}
}

// FuzzParseDDL: whatever the text is, there is a catalogue or a SyntaxError within
// the text, and the same one each time.
func FuzzParseDDL(f *testing.F) {
	for _, s := range []string{
		`CREATE TABLE a (id integer primary key, b text default 'x' references a (id) on delete cascade, check (b <> ''))`,
		`CREATE TYPE e AS ENUM ('a'); CREATE TABLE t (x e[], y varchar(3)) PARTITION BY LIST (y); CREATE TABLE p PARTITION OF t DEFAULT; ALTER TABLE t ADD z int, DROP x`,
		`CREATE TABLE a (x); CREATE TRIGGER t AFTER UPDATE OF x ON a BEGIN SELECT CASE WHEN 1 THEN 2 END; END; CREATE UNIQUE INDEX i ON a (lower(x) DESC) WHERE x > 0`,
		"SET search_path TO a, b; COMMENT ON TABLE x IS E'\\''; COPY t FROM stdin;\n1\n\\.\nSELECT pg_catalog.set_config('search_path', '', false);",
		`ALTER TABLE a INHERIT a; CREATE TABLE a (x int) INHERITS (a); CREATE DOMAIN d AS d; CREATE POLICY p ON a TO x USING (true); DROP TABLE a, b CASCADE`,
		`ALTER TABLE ONLY a ADD CONSTRAINT k UNIQUE USING INDEX i; ALTER INDEX i ATTACH PARTITION j; ALTER TYPE e ADD VALUE 'b' AFTER 'a'; CREATE RULE r AS ON INSERT TO a DO (x; y)`,
	} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, text string, sqlite bool) {
		engine := schema.Postgres
		if sqlite {
			engine = schema.SQLite
		}
		d, err := schema.ParseDDL(text, engine)
		again, errAgain := schema.ParseDDL(text, engine)
		if err != nil {
			var e *schema.SyntaxError
			if !errors.As(err, &e) || e.Line < 1 || e.Column < 1 || e.Line > strings.Count(text, "\n")+1 || e.Msg == "" {
				t.Fatalf("%#v", err)
			}
			if errAgain == nil || errAgain.Error() != err.Error() {
				t.Fatalf("first %v, then %v", err, errAgain)
			}
			return
		}
		if show(t, d) != show(t, again) {
			t.Fatal("the second reading differs")
		}
		for _, x := range d.Tables { // what names columns names those that there are
			for _, k := range x.Keys() {
				for _, c := range k {
					if x.Column(c) == nil {
						t.Fatalf("table %s has a key over %q, which it has not", x.Name, c)
					}
				}
			}
			for _, fk := range x.ForeignKeys {
				for _, c := range fk.Columns {
					if x.Column(c) == nil {
						t.Fatalf("table %s has a foreign key of %q, which it has not", x.Name, c)
					}
				}
			}
		}
	})
}
