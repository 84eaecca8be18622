package grantfile_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

const reasonsHead = "exo: 1\nreviewed: true\ndatabases: {shop: sqlite:none.db}\nprincipal: {org: int}\nlabels: {pii: secret, pay: secret}\n"

// reasonsOf are the findings of a file, and the error that keeps it from being declared.
func reasonsOf(t *testing.T, e tu.Engine, ddl []string, text string) (*grantfile.Declared, []grantfile.Finding, error) {
	t.Helper()
	f, err := grantfile.Parse("exo.yaml", []byte(text))
	if err != nil {
		return nil, nil, err
	}
	db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(ddl...)})
	d, found, err := f.DeclareAndCheck(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": db}})
	return d, found, err
}

// goNames are what packages exosql and exosql/dynamic export: no operator with a file has to know one.
func goNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, dir := range []string{"../../exosql", "../../exosql/dynamic"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, src, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					names[n.Name.Name] = n.Name.IsExported()
					return false
				case *ast.TypeSpec:
					names[n.Name.Name] = n.Name.IsExported()
				case *ast.Field:
					for _, f := range n.Names {
						names[f.Name] = names[f.Name] || f.IsExported()
					}
				case *ast.ValueSpec:
					for _, v := range n.Names {
						names[v.Name] = names[v.Name] || v.IsExported()
					}
				}
				return true
			})
		}
	}
	if len(names) < 200 || !names["AllowTrigger"] || !names["StoredISO"] {
		t.Fatalf("%d names of Go are known", len(names))
	}
	return names
}

var (
	word          = regexp.MustCompile(`[A-Za-z]\w*`)
	sentenceStart = regexp.MustCompile(`(^|[.:?!;] |\n)[A-Z][a-z]*\b`)
	goPackage     = regexp.MustCompile(`\b(exosql|dynamic|exo)\.[A-Z]`)
)

// speaksGo is a word of Go in a text for an operator, or "".
func speaksGo(names map[string]bool, text string) string {
	if s := goPackage.FindString(text); s != "" {
		return s
	}
	for _, w := range word.FindAllString(sentenceStart.ReplaceAllString(text, " "), -1) {
		if names[w] && w[0] >= 'A' && w[0] <= 'Z' && strings.ToUpper(w) != w { // DELETE is SQL
			return w
		}
	}
	return ""
}

// TestReasonsSpeakYAML: each refusal of a file, by its own names, by its declarations and by Check, names what to write in YAML, and
// where: no word of it is one of Go. Effects that are pasted into the file as -effects prints them leave no reason to refuse it.
func TestReasonsSpeakYAML(t *testing.T) {
	const (
		orgs  = "CREATE TABLE orgs (id {int} PRIMARY KEY, name TEXT NOT NULL)"
		tasks = "CREATE TABLE tasks (id {int} PRIMARY KEY, org_id {int} NOT NULL, note TEXT, code TEXT, at {time}, EXTRA)"
		plain = "org_id2 {int}"
	)
	table := func(extra string, more ...string) []string {
		return append([]string{orgs, strings.Replace(tasks, "EXTRA", extra, 1), "CREATE INDEX tasks_by_org ON tasks (org_id)"}, more...)
	}
	// A facet of tasks whose rights are RIGHTS.
	facet := func(rights string) string {
		return "grants: {tasks: task}\nfacets:\n  task:\n    table: tasks\n    scope: org_id = $principal.org\n" + rights
	}
	const show = "    columns: [id, note, code]\n"
	both, sqlite, postgres := []tu.Engine{tu.SQLite, tu.Postgres}, []tu.Engine{tu.SQLite}, []tu.Engine{tu.Postgres}
	trigger := func(e tu.Engine, when string) []string {
		return []string{e.Pick("CREATE TRIGGER spy AFTER "+when+" ON tasks BEGIN SELECT 1; END",
			"CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;CREATE TRIGGER spy AFTER "+when+" ON tasks FOR EACH ROW EXECUTE FUNCTION f()")}
	}
	names := goNames(t)
	for name, c := range map[string]struct {
		on      []tu.Engine
		ddl     []string
		trigger string
		file    string
		want    string // in the text
		at      string // where it points to
		kind    exosql.FindingKind
	}{
		"no permission": {both, table(plain), "", facet(show + "    update: [note]\n    effects: [spy]\n"), "\"spy\" is not a permission: write one of `trigger NAME`, `rule NAME`, `untrusted trigger NAME`, `untrusted rule NAME`, `cascade TABLE(COLUMNS)`", "spy]", "invalid"},
		"unfit":         {both, table(plain), "", facet(show + "    update: [note]\n    effects: [trigger spy]\n"), "`trigger spy` under effects matches nothing in the database", "note]\n", exosql.UnfitPermission},
		"trigger":       {both, table(plain), "UPDATE", facet(show + "    update: [note]\n"), "`effects: [\"trigger spy\"]` in the facet task", "note]\n", exosql.HiddenEffect},
		"cascade":       {both, table(plain, "CREATE TABLE lines (id {int} PRIMARY KEY, task {int} REFERENCES tasks (id) ON DELETE CASCADE)"), "", facet(show + "    delete: true\n"), "`effects: [\"cascade lines(task)\"]`", "true\n", exosql.HiddenEffect},
		"rule":          {postgres, table(plain, "CREATE RULE r AS ON UPDATE TO tasks DO ALSO NOTIFY x"), "", facet(show + "    update: [note]\n"), "`effects: [\"rule r\"]`", "note]\n", exosql.HiddenEffect},
		"on conflict":   {sqlite, table("UNIQUE (org_id, code) ON CONFLICT REPLACE"), "", facet(show + "    update: [note]\n"), "`effects: [\"ON CONFLICT REPLACE\"]`", "note]\n", exosql.HiddenEffect},
		"unique":        {both, table("UNIQUE (code)"), "", facet(show + "    update: [code]\n"), "`effects: [\"unique(code)\"]` in the facet task, if programs may learn", "code]\n", exosql.SpanningUnique},
		"key given":     {both, table(plain), "", facet(show + "    insert: [id, note]\n"), "which `insert` does not list", "id, note]\n", exosql.SpanningUnique},
		"view":          {both, table(plain, "CREATE VIEW seen AS SELECT id, org_id, note FROM tasks"), "", "grants: {tasks: task, seen: view}\nfacets:\n  task:\n    table: tasks\n    scope: org_id = $principal.org\n" + show + "    update: [code]\n  view: {table: seen, scope: org_id = $principal.org, columns: [id, note], key: [id]}\n", "`effects: [\"rows(seen)\"]`", "code]\n  view", exosql.HiddenEffect},
		"no link":       {both, table("other {int} REFERENCES orgs (id)"), "", facet("    columns: [id, other]\n    update: [other]\n"), "a link to a facet of orgs among the `links`", "other]\n    update", ""},
		"default":       {both, table("other {int} DEFAULT 1 REFERENCES orgs (id)"), "", facet(show + "    insert: [note]\n"), "`effects: [\"default(other)\"]`", "note]\n", exosql.HiddenEffect},
		"generated":     {both, table("low TEXT GENERATED ALWAYS AS (lower(code)) STORED"), "", "grants: {tasks: task}\nfacets:\n  task:\n    table: tasks\n    scope: low = 'a'\n" + show + "    update: [code]\n", "no right to write the columns from which low is calculated", "code]\n", exosql.HiddenEffect},
		"needed":        {both, table("weight {int} NOT NULL"), "", facet(show + "    insert: [note]\n"), "\"weight\" among `columns` and `insert` of the facet; or a default in the database; or a `scope` with weight", "note]\n", exosql.NeededColumn},
		"view written":  {both, table(plain, "CREATE VIEW seen AS SELECT id, org_id, note FROM tasks"), "", "grants: {seen: view}\nfacets:\n  view:\n    table: seen\n    scope: org_id = $principal.org\n    columns: [id, note]\n    key: [id]\n    update: [note]\n", "a facet without rights to write", "note]\n", exosql.MissingTable},
		"no key":        {both, []string{"CREATE TABLE tasks (org_id {int}, note TEXT, code TEXT)" + "{rowless}"}, "", facet("    columns: [note]\n    update: [note]\n"), "", "", ""},
		"tells":         {both, table("UNIQUE (code, note)"), "", facet("    columns: [id, note, {code: {label: pii}}]\n    update: [note]\n"), "`effects: [\"reveals unique(code, note)\"]`", "note]\n", exosql.HiddenEffect},
		"loose":         {sqlite, []string{"CREATE TABLE tasks (id INTEGER PRIMARY KEY, org_id INTEGER NOT NULL, n NUMERIC)"}, "", facet("    columns: [id, {n: {type: text}}]\n"), "", "", ""},
		"enum":          {postgres, append([]string{"CREATE TYPE mood AS ENUM ('good', 'bad')"}, table("mood mood")...), "", facet("    columns: [id, {mood: {one_of: [good, ugly]}}]\n"), "`one_of: [\"good\", \"bad\"]`", "mood: {", exosql.TypeMismatch},
		"check":         {both, table("mood TEXT CHECK (mood IN ('good', 'bad'))"), "", facet("    columns: [id, {mood: {one_of: [good, ugly]}}]\n"), "`one_of: [\"good\", \"bad\"]`", "mood: {", exosql.TypeMismatch},
		"calculated":    {both, table("low TEXT GENERATED ALWAYS AS (lower(code)) STORED", "CREATE VIEW v AS SELECT id, low FROM tasks"), "", facet("    columns: [id, low, {code: {label: pii}}]\n"), "", "", ""},
		"view label":    {both, table(plain, "CREATE VIEW v AS SELECT id, code FROM tasks"), "", "grants: {tasks: task, v: view}\nfacets:\n  task:\n    table: tasks\n    scope: org_id = $principal.org\n    columns: [id, {code: {label: pii}}]\n  view: {table: v, scope: shared, columns: [id, code], key: [id]}\n", "`label: [\"pii\"]`", "v, scope", exosql.LabelMismatch},
		"scope label":   {both, table("pay {int}"), "", "grants: {tasks: task}\nfacets:\n  task:\n    table: tasks\n    scope: pay = 5\n    columns: [id, note, {pay: {label: pay}}]\n    update: [note]\n", "`label` in the facet of tasks", "note]\n", exosql.HiddenEffect},
		"blank type":    {sqlite, table("anything"), "", facet("    columns: [id, anything: {doc: what}]\n"), "the database gives the column no type: write `type: text`, or the type of its values: ", "anything: {", "invalid"},
		"no name":       {sqlite, table("\"\" TEXT"), "", facet("    columns: [id, \"\": {as: blank}]\n"), "the column has no name: give it one in the database", "\"\": {", "invalid"},
		"no trigger":    {sqlite, table("weight INTEGER", "CREATE TRIGGER act AFTER INSERT ON tasks BEGIN SELECT 1; END", "PRAGMA writable_schema = ON", "UPDATE sqlite_schema SET sql = replace(sql, 'TRIGGER act', 'TRIGGER IF NOT EXISTS act') WHERE name = 'act'"), "", facet(show + "    update: [note]\n"), "the trigger act of tasks (its definition can't be read, so it may act on each write)", "note]\n", exosql.HiddenEffect},
		"iso":           {both, table(plain), "", facet("    columns: [id, code: {iso: true}]\n"), "`iso: true` needs a time column", "code: {", "invalid"},
		"stored":        {both, table(plain), "", facet("    columns: [id, code: {stored: unix}]\n"), "`stored: unix` needs a column of times, days or truth values; the column is text", "code: {", "invalid"},
		"no form":       {sqlite, table("due DATETIME"), "", facet("    columns: [id, due: {stored: t/f}]\n"), "`stored: t/f` does not fit a column of the type time: write one of iso ('2024-01-02T03:04:05.000Z'), sql (", "due: {", "invalid"},
		"two forms":     {sqlite, table("due DATETIME"), "", facet("    columns: [id, due: {stored: unix, iso: true}]\n"), "`iso: true` and `stored: unix` declare two forms of one column: write one of them", "due: {", "invalid"},
		"needs a form":  {sqlite, table("due DATETIME", "INSERT INTO tasks (id, org_id, due) VALUES (1, 1, 1704164645000)"), "", facet("    columns: [id, due]\n"), "`stored: unix-ms`, which ", "due]", exosql.OtherForm},
		"another form":  {sqlite, table("due DATETIME", "INSERT INTO tasks (id, org_id, due) VALUES (1, 1, '2024-01-02 03:04:05')"), "", facet("    columns: [id, due: {stored: unix-ms}]\n"), "`stored: sql`, which ", "due: {", exosql.OtherForm},
		"its form":      {sqlite, table("due DATETIME", "INSERT INTO tasks (id, org_id, due) VALUES (1, 1, 1704164645000)"), "", facet("    columns: [id, due: {stored: unix-ms}]\n"), "", "", ""},
		"one_of":        {both, table(plain), "", facet("    columns: [id: {one_of: [a]}]\n"), "`one_of` needs a text column", "id: {", "invalid"},
		"list":          {both, table(plain), "", facet("    columns: [note: {type: list}]\n"), "its type between brackets, like `type: [text]`", "note: {", "invalid"},
		"as":            {both, table("\"then\" TEXT"), "", facet("    columns: [id, then]\n"), "give it another name with `as`", "then]", "invalid"},
		"max_bytes":     {both, table(plain), "", facet("    columns: [id, note: {max_bytes: 5KiB}]\n"), "`max_bytes` is only for a column with `label`", "note: {", "invalid"},
		"readers":       {both, table(plain), "", facet("    columns: [id, note: {readers: {member: id}}]\n"), "give the column `label` first", "note: {", "invalid"},
		"value":         {both, table(plain), "", "grants: {tasks: task}\nfacets:\n  task:\n    table: tasks\n    scope: org_id = 'x'\n" + show, "its value can't be the text \"x\"", "org_id = 'x'", "invalid"},
		"number":        {both, table(plain), "", "grants: {tasks: task}\nfacets:\n  task:\n    table: tasks\n    scope: note = 5\n" + show, "its value can't be the number 5", "note = 5", "invalid"},
		"no column":     {both, table(plain), "", facet("    columns: [id, nota]\n"), "did you mean `note`?", "nota]", exosql.MissingColumn},
		"no table":      {both, table(plain), "", "grants: {tasks: task}\nfacets:\n  task: {table: taks, scope: shared, columns: [id]}\n", "did you mean `tasks`?", "taks,", exosql.MissingTable},
		"search":        {both, table(plain), "", facet("    columns: [id, note]\n    search: [id]\n"), "it is not a text", "id]\n", "invalid"},
		"key labelled":  {both, table(plain), "", facet("    columns: [note, id: {label: pii}]\n"), "the key tasks.id is labelled", "tasks: task}", "invalid"},
		"key changed":   {both, table(plain), "", facet("    columns: [id, note]\n    update: [id]\n"), "rows are found by the key id, so it can't be changed", "id]\n", "invalid"},
		"wide equality": {sqlite, []string{"CREATE TABLE tasks (id INTEGER PRIMARY KEY, org_id INTEGER NOT NULL, name TEXT COLLATE NOCASE)"}, "", "grants: {tasks: task}\nfacets:\n  task:\n    table: tasks\n    scope: name = 'a'\n    columns: [id, org_id]\n    update: [org_id]\n", "can't be written: tasks.name", "org_id]\n    update", ""},
	} {
		for _, e := range c.on {
			t.Run(name+"/"+e.Name, func(t *testing.T) {
				ddl := slices.Clone(c.ddl)
				for i, s := range ddl {
					ddl[i] = strings.ReplaceAll(s, "{rowless}", "")
				}
				if c.trigger != "" {
					ddl = append(ddl, trigger(e, c.trigger)...)
				}
				text := reasonsHead + c.file
				d, found, err := reasonsOf(t, e, ddl, text)
				if wrong, ok := errors.AsType[*grantfile.Errors](err); ok {
					found = grantfile.FindingsOf(wrong)
				} else if err != nil {
					t.Fatal(err)
				}
				place := ""
				if i := strings.LastIndex(text, c.at); c.at != "" && i >= 0 {
					place = fmt.Sprintf("exo.yaml:%d:%d", strings.Count(text[:i], "\n")+1, i-strings.LastIndex(text[:i], "\n"))
				}
				seen := c.want == ""
				for _, f := range found {
					line := f.String()
					if s := speaksGo(names, line); s != "" {
						t.Errorf("%s is a word of Go: %s", s, line)
					}
					if !strings.HasPrefix(line, f.At+": ") || !strings.HasSuffix(line, "["+string(f.Kind)+"]") {
						t.Errorf("no place, or no code: %s", line)
					}
					if c.want != "" && strings.Contains(line, c.want) {
						seen = true
						if c.kind != "" && (f.At != place || f.Kind != c.kind) {
							t.Errorf("at %s [%s], want %s [%s]: %s", f.At, f.Kind, place, c.kind, line)
						}
					}
				}
				if !seen {
					t.Errorf("want %q of\n%v", c.want, found)
				}
				if d == nil {
					return
				}
				if yaml := d.Effects(found); yaml != "" {
					var list []string
					for _, line := range strings.Split(yaml, "\n") {
						if item, ok := strings.CutPrefix(line, "      - "); ok {
							list = append(list, item)
						}
					}
					pasted := strings.Replace(text, "    scope:", "    effects: ["+strings.Join(list, ", ")+"]\n    scope:", 1)
					if _, found, err := reasonsOf(t, e, ddl, pasted); err != nil || slices.ContainsFunc(found, func(f grantfile.Finding) bool { return f.Effect != "" && !f.Warning }) {
						t.Errorf("pasted\n%s\n%v %v", pasted, found, err)
					}
				} else if slices.ContainsFunc(found, func(f grantfile.Finding) bool { return f.Effect != "" && !f.Warning }) {
					t.Errorf("no effects of %v", found)
				}
			})
		}
	}
}

// noFile are the texts that name what Go code writes, and that no grant file leads to, with the reason.
var noFile = map[string]string{
	"this relation is zero, so it has no rows: make one with Grant":                                                                           "a value of Go",
	"the Predicate is zero and matches no row; use AllRows if you mean every row":                                                             "a file's conditions are made of text",
	"ScopeRows, ScopeVia or ScopeShared":                                                                                                      "each facet of a file has a scope",
	"these Declarations have no catalogue: make them with New, and pass it a catalogue from DB.Catalog":                                       "the file's declaration reads it",
	"the link's To is no Table of the same Declarations: pass one that their method Table returned":                                           "a value of Go",
	"Elem is only for a column with the Type %q":                                                                                              "a file has both in `type`",
	"the column is %s, and nil can't be its value; for NULL use IsNull or IsNotNull":                                                          "a file's conditions have no null among their values",
	"exosql: Check got a zero Scope, or one of a nil or zero Table or Link: make it with ScopeRows, ScopeVia or ScopeShared":                  "a value of Go",
	"insert into the result of Grant or Follow itself, without Where, OrderBy and similar calls after it":                                     "a write of Go code",
	"this call would %s every row: write Where before it, or Where(exosql.AllRows[T]()) if you mean all rows, where T is the struct of a row": "a write of Go code",
	"a hook of table %s fills a zero Assignment: make one with Column.Set":                                                                    "a hook is Go code",
	"a hook of table %s fills %s, which BeforeWrite does not name: add the column there":                                                      "a hook is Go code",
	"the column is declared as never NULL: declare it with NewNullable to allow NULL":                                                         "a write of Go code",
	"exosql: facet %s: a Column that was not declared can't be written: make it with NewColumn, NewKey or NewNullable":                        "a value of Go",
	"exosql: facet %s: the Search is zero: make one with NewSearch":                                                                           "a value of Go",
	"exosql: Grant got a zero Scope, or one of a nil or zero Table or Link: make it with ScopeRows, ScopeVia or ScopeShared":                  "a value of Go",
	"exosql: table %s is the granted one: its scope is the predicate given to Grant, so leave this one out":                                   "a file says the scope once, at the facet",
	"exosql: the scope of table %s is the zero Predicate, which matches nothing; use ScopeShared if you mean every row":                       "a value of Go",
	"exosql: table %s has no scope in this grant: declare it at Grant, with ScopeVia or ScopeRows":                                            "each facet of a file has a scope",
}

// TestTermsNameGo: where declarations are made, compared and compiled, no text has a name of Go but for those that no file leads to: an
// error that is added tomorrow takes its words from package terms, and speaks YAML to who writes YAML.
func TestTermsNameGo(t *testing.T) {
	names, used := goNames(t), map[string]bool{}
	for _, dir := range []string{"internal/check", "internal/decl", "internal/scope", "internal/compile", "internal/writing", "dynamic"} {
		files, err := filepath.Glob(filepath.Join("../../exosql", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if f, ok := call.Fun.(*ast.Ident); ok && f.Name == "panic" { // for who declares in Go
						return false
					}
				}
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				text, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				for known := range noFile {
					if text == known {
						used[known] = true
						return true
					}
				}
				if w := speaksGo(names, text); w != "" && strings.Contains(text, " ") && !strings.Contains(text, "SetNull stores NULL") {
					t.Errorf("%s: %s is a name of Go in %q: let package terms say it", path, w, text)
				}
				return true
			})
		}
	}
	for known := range noFile {
		if !used[known] {
			t.Errorf("no text is %q", known)
		}
	}
}
