package grantfile_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestWhole: programs reach what the file says, and nothing else.
func TestWhole(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		d := declare(t, e, whole)
		if d.File.Limits.Rows != 100 || d.File.Limits.Calls != 100 || d.File.Bounds.Wall != 2*time.Second || d.File.Bounds.Memory != 32<<20 || d.File.Zone != "Europe/Berlin" {
			t.Errorf("limits %+v %+v", d.File.Limits, d.File.Bounds)
		}
		for claims, programs := range map[string]map[string]string{
			"org=1,user=1,states=open+done": {
				`return tickets.select(t => t.id)`: `[1,2]`,
				`return tickets.where(t => t.weight > 1).select(t => ({ t: t.title, by: t.asker().name }))`: `[{"t":"Roof","by":"Bob"}]`,
				`return open.count()`:                               `1`,
				`return open.asker().asked().count()`:               `1`,
				`return me.select(p => p.name)`:                     `["Ann"]`,
				`return me.org().select(o => o.name)`:               `["one"]`,
				`return tickets.asker().boss().select(p => p.name)`: `["Ann"]`,
				`return tickets.where({ id: 3 }).count()`:           `0`,
			},
			"org=2,user=1,states=open": {
				`return tickets.select(t => t.id)`: `[3]`,
				`return me.count()`:                `0`,
			},
			"org=1,user=2,states=": {`return tickets.count()`: `0`, `return me.asked().count()`: `0`},
		} {
			p, err := d.File.ParseClaims(claims)
			if err != nil {
				t.Fatal(err)
			}
			grants, err := d.Grants(p)
			if err != nil {
				t.Fatal(err)
			}
			tool, err := codemode.New(grants, &codemode.Options{Evaluator: exoeval.InProcess{}, Record: exo.Unrecorded})
			if err != nil {
				t.Fatal(err)
			}
			for program, want := range programs {
				if r := tool.Run(t.Context(), program); r.Err != nil || string(r.JSON) != want {
					t.Errorf("%s: %s: %s %v, want %s", claims, program, r.JSON, r.Err, want)
				}
			}
			for _, program := range []string{`return tickets.select(t => t.orgId)`, `return me.email`, `return me.select(p => p.active)`, `return orgs`, `return me.update({ name: 'x' })`} {
				if r := tool.Run(t.Context(), program); r.Err == nil && string(r.JSON) != "null" {
					t.Errorf("%s: %s: %s", claims, program, r.JSON)
				}
			}
		}
		if findings, err := d.Check(); err != nil {
			t.Error(findings, err)
		}
	})
}

// TestProblems: all that is wrong is said at once, each with its place and what would be right.
func TestProblems(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "1:1: the file is empty",
		"exo: 1":                        "1:1: `databases` is missing",
		"exo: [":                        "is not YAML",
		"exo: 1\n---\nexo: 1\n":         "has one document",
		with(t, "exo: 1\n", "exo: 2\n"): "1:6: exo: want the version of the file's format",
		with(t, "exo: 1\n", ""):         "add the line `exo: 1`",
		with(t, "reviewed: true", "reviewed: yes"):                                               "2:11: reviewed: want true or false, without quotes, not the text \"yes\"",
		with(t, "reviewed: true", "reviewd: true"):                                               "2:1: `reviewd` is no key of the file; did you mean `reviewed`?",
		with(t, "support@1", "support"):                                                          "3:9: preset: want read-only@1, analyst@1 or support@1, not `support`",
		with(t, "support@1", "read-only@1"):                                                      "25:13: the preset read-only@1 lets programs change nothing, but the facet ticket lets them: take `insert`, `update` and `delete` out of the facet, or write `preset: support@1`",
		with(t, "env:SHOP_URL", "postgres://u:secret@h/d"):                                       "5:15: url: a URL may contain a password",
		with(t, "env:SHOP_URL", "env:SHOP URL"):                                                  "the name of a variable, after env:",
		with(t, "org: int", "org: number"):                                                       "7:8: principal.org: want the type of the claim, which is int, text, uuid or bool",
		with(t, "tickets: ticket", "tickets: tickt"):                                             "11:12: there is no facet `tickt`; did you mean `ticket`?",
		with(t, "where: state = 'open'", "where: state = open"):                                  "12:40: want a number, a text in single quotes",
		with(t, "where: state = 'open'", "where: state == 'open'"):                               "12:38: write `=`, not `==`",
		with(t, "where: state = 'open'", "where: state = null"):                                  "write `is null`",
		with(t, "where: state = 'open'", "where: \"state = 'open\""):                             "the quote that begins here has no end",
		with(t, "$principal.user}", "$principal.usr}"):                                           "13:35: `principal` has no claim `usr`: add it there with its type; did you mean `user`?",
		with(t, "state in $principal.states", "state = $principal.states"):                       "is a list: write `state in $principal.states`",
		with(t, "org_id = $principal.org and", "org_id in $principal.org and"):                   "is no list: write `org_id = $principal.org`",
		"exo: 1\ndatabases: {d: env:X}\ngrants: {Decimal: b}\nfacets: {b: {scope: shared}}\n":    "3:10: \"Decimal\" can't be the name of a grant: programs have a global of that name",
		"exo: 1\ndatabases: {d: env:X}\ngrants: {then: b}\nfacets: {b: {scope: shared}}\n":       "3:10: \"then\" can't be the name of a grant",
		"exo: 1\ndatabases: {d: env:X}\ngrants: {class: b}\nfacets: {b: {scope: shared}}\n":      "it is a word of JavaScript",
		"exo: 1\ndatabases: {d: env:X}\ngrants: {a: b}\nfacets: {b: }\n":                         "4:10: the facet b has no `scope`",
		with(t, "    scope: id = $principal.org\n", ""):                                          "38:3: the facet org has no `scope`",
		with(t, "columns: {id: , name: }", "columns: ['*']"):                                     "name each column, so that one",
		with(t, "- title: {doc: what is broken}", "- title: {docs: x}"):                          "20:17: `docs` is no key of the column title; did you mean `doc`?",
		with(t, "      - id\n", "      - id\n      - id\n"):                                      "20:9: the column `id` is listed twice",
		with(t, "update: [state]", "update: [stat]"):                                             "24:14: `stat` is not among the columns that the facet ticket shows; did you mean `state`?",
		with(t, "org: org\n", "org: orgs\n"):                                                     "there is no facet `orgs`; did you mean `org`?",
		with(t, "scope: id = $principal.org", "scope: via person.orgs"):                          "the facet person has no link `orgs`; did you mean `org`?",
		with(t, "scope: id = $principal.org", "scope: via person.boss"):                          "the link person.boss leads to the table people: want a link that leads to orgs",
		with(t, "rows: 100", "rows: 0"):                                                          "limits.rows: want a whole number of at least 1",
		with(t, "memory: 32MiB", "memory: 32MB"):                                                 "limits.memory: want a size like",
		with(t, "time: 2s", "time: 2"):                                                           "limits.time: want a time like",
		with(t, "limits:", "record: {folder: r, key: 'env:K', keep: 90}\nlimits:"):               "keep: want a number of days like 90d",
		with(t, "limits:", "record: {folder: r, key: 'env:K', keep: 3mo}\nlimits:"):              "keep: want a number of days like 90d",
		with(t, "limits:", "record: {folder: r, key: 'env:K', keep: 0d}\nlimits:"):               "keep: want a number of days like 90d",
		with(t, "limits:", "record: {folder: r, key: 'env:K', keep: -1d}\nlimits:"):              "keep: want a number of days like 90d",
		with(t, "limits:", "record: {folder: r, key: 'env:K', keep: 2160h}\nlimits:"):            "keep: want a number of days like 90d",
		with(t, "limits:", "record: {folder: r, key: 'env:K', keep: 99999999d}\nlimits:"):        "keep: want a number of days like 90d",
		with(t, "limits:", "record: {folder: r, key: 'env:K', keep: d}\nlimits:"):                "keep: want a number of days like 90d",
		with(t, "limits:", "record: {folder: r, key: 'env:K', keep: [90d]}\nlimits:"):            "keep: want a number of days like 90d",
		with(t, "limits:", "record: {folder: r, key: 'env:K', witness: always}\nlimits:"):        "witness: write `witness: required`",
		with(t, "limits:", "record: {folder: r, keep: 90d}\nlimits:"):                            "record has no `key`: say where the signing key is",
		with(t, "limits:", "record: {key: env:K}\nlimits:"):                                      "record: want the path of a file",
		with(t, "zone: Europe/Berlin", "zone: Berlin"):                                           "there is no time zone",
		with(t, "limits:", "models: openai\nlimits:"):                                            "models: `openai` names no model: write PROVIDER:MODEL",
		with(t, "limits:", "models: [openai:*]\nlimits:"):                                        "`openai:*` names no model",
		with(t, "limits:", "models: [openia:gpt-x]\nlimits:"):                                    "`openia` is not a provider; did you mean `openai`?",
		with(t, "limits:", "models: [gpt-x]\nlimits:"):                                           "want PROVIDER:MODEL, like openai:gpt-5.4-mini",
		with(t, "limits:", "models: []\nlimits:"):                                                "models: want a list like [one, two], not an empty one",
		with(t, "limits:", "models: [openai:x, openai:x]\nlimits:"):                              "models: `openai:x` is given twice",
		with(t, "limits:", "x: &a 1\nlimits:"):                                                   "anchors and aliases are not allowed",
		with(t, "columns: [id, name", "columns: [!!str id, name"):                                "remove !!str",
		with(t, "references: [id], one: true}\n      solver", "one: true}\n      solver"):        "`columns` and `references` need the same number",
		with(t, "references: [id], one: true}\n      solver", "references: [id]}\n      solver"): "add `one: true`",
	} {
		f, err := grantfile.Parse("exo.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || fail.KindOf(err) != fail.Invalid {
			t.Errorf("%v, want %s", err, want)
		}
		if f != nil && err != nil {
			t.Errorf("a file and an error: %v", err)
		}
	}
	_, err := grantfile.Parse("exo.yaml", []byte(with(t, "reviewed: true", "reviewd: true", "tickets: ticket", "tickets: tickt")))
	if err == nil || strings.Count(err.Error(), "exo.yaml:") != 2 {
		t.Errorf("want both: %v", err)
	}
}

// TestAgainstCatalogue: what the database does not have, or has in another type, is said with its place.
func TestAgainstCatalogue(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := open(t, e)
		for text, want := range map[string]string{
			with(t, "table: tickets", "table: tickts"): "16:12: the database shop has no table or view `tickts`; did you mean `tickets`?",
			with(t, "- title: {doc", "- titel: {doc", "search: [title]", "search: [titel]", "insert: [title, state]", "insert: [state]"): "20:9: the table tickets has no column `titel`; did you mean `title`?",
			with(t, "where: state = 'open'", "where: stat = 'open'"):                                                                     "12:32: the table tickets has no column `stat`; did you mean `state`?",
			with(t, "where: state = 'open'", "where: state = 5"):                                                                         "12:32: the condition on state: the column is text",
			with(t, "where: state = 'open'", "where: org_id = 'x'"):                                                                      "12:32: the condition on org_id: the column is int",
			with(t, "  user: int", "  user: text"):                                                                                       "the condition on id: the column is int",
			with(t, "scope: org_id = $principal.org and", "scope: title = 'a' and org_id > 1.5 and"):                                     "",
			with(t, "as: weight", "as: constructor"):                                                                                     "can't be named",
			with(t, "as: weight", "as: weight, type: time"):                                                                              "can't be declared time",
			with(t, "org: org\n", "org: org\n      tickets: ticket\n"):                                                                   "the link tickets: people and tickets have 2 foreign keys between them: say which one the link follows, as `{ to: ticket, columns: [id], references: [asked_by], one: false }` or `{ to: ticket, columns: [id], references: [done_by], one: false }`",
			with(t, "scope: org_id = $principal.org\n    columns: [id, name, {email", "scope: shared\n    columns: [id, name, {email"):   "",
			with(t, "    search: [title]\n", "    search: [id]\n"):                                                                       "",
		} {
			_, err := parse(t, text).Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": db}})
			if want == "" {
				continue // either is right: what matters is that nothing panics
			}
			if err == nil || !strings.Contains(err.Error(), want) || fail.KindOf(err) != fail.Invalid {
				t.Errorf("%v, want %s", err, want)
			}
		}
	})
}

// TestSpelling: what one facet labels no other one shows plain, under whatever spelling of the table or the column the database takes.
func TestSpelling(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := open(t, e)
		for _, c := range []struct{ table, column, want string }{
			{"people", "email", ""}, // the twin: it declares, and the label holds
			{"PEOPLE", "email", "17:12: the database shop spells the table `people`: write it the same way"},
			{"People", "email", "17:12: the database shop spells the table `people`: write it the same way"},
			{"people", "EMAIL", "19:19: the table people has no column `EMAIL`; did you mean `email`?"},
			{"main.people", "email", "17:12: the database shop has no table or view `main.people`"},
			{"public.people", "email", "17:12: the database shop has no table or view `public.people`"},
		} {
			if e.Name != "sqlite" {
				c.want = strings.Replace(c.want, "spells the table `people`: write it the same way", "has no table or view `"+c.table+"`", 1)
			}
			f := parse(t, with(t, "  ticket:\n", "  contact:\n    table: "+c.table+"\n    scope: org_id = $principal.org\n    columns: [id, "+c.column+"]\n  ticket:\n", "  tickets: ticket\n", "  tickets: ticket\n  contacts: contact\n", "admits: [pii]\n", ""))
			d, err := f.Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": db}})
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) || fail.KindOf(err) != fail.Invalid {
					t.Errorf("%s.%s: %v, want %s", c.table, c.column, err, c.want)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			p, err := f.ParseClaims("org=1,user=1,states=open")
			if err != nil {
				t.Fatal(err)
			}
			grants, err := d.Grants(p)
			if err != nil {
				t.Fatal(err)
			}
			tool, err := codemode.New(grants, &codemode.Options{Evaluator: exoeval.InProcess{}, Record: exo.Unrecorded})
			if err != nil {
				t.Fatal(err)
			}
			if r := tool.Run(t.Context(), "return contacts.where({ id: 1 })"); string(r.JSON) != `[{"id":1,"email":"[sealed pii]"}]` {
				t.Errorf("%s %v", r.JSON, r.Err)
			}
			if m, err := d.Manifest(); err != nil || len(m.Flows) == 0 || m.Flows[0].May || !slices.Equal(m.Flows[0].From, []string{"Contact.email", "Person.email"}) {
				t.Errorf("%+v %v", m.Flows, err)
			}
		}
	})
}

// TestSecret: a URL is where the file says, and no error shows it.
func TestSecret(t *testing.T) {
	const url = "postgres://u:hunter2@127.0.0.1:1/x"
	for value, want := range map[string]string{"": "the variable SHOP_URL is not set", url: "the database shop"} {
		_, err := parse(t, whole).Declare(t.Context(), &grantfile.Options{Env: func(string) string { return value }})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", value, err)
		}
	}
}

// TestPin: a table that is not as it was when it was pinned is refused, and the change is named. What the file shows of it is no matter of
// the pin, and a column that was added shows nothing and changes nothing until the file names it.
func TestPin(t *testing.T) {
	const shown = "    table: orgs\n    scope: id = $principal.org\n    columns: {id: , name: }\n"
	wide := append(slices.Clone(shop), "ALTER TABLE orgs ADD plan VARCHAR(9)")
	renamed := append(slices.Clone(wide), "ALTER TABLE orgs RENAME COLUMN name TO old")
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		text := func(pin, columns string) string {
			if strings.Count(whole, shown) != 1 {
				t.Fatal("the facet is another")
			}
			return strings.Replace(whole, shown, "    table: orgs\n    scope: id = $principal.org\n"+pin+"    columns: "+columns+"\n", 1)
		}
		declare := func(setup []string, text string) (*grantfile.Declared, error) {
			db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(setup...)})
			return parse(t, text).Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": db}})
		}
		d, err := declare(wide, text("", "[id]"))
		if err != nil {
			t.Fatal(err)
		}
		pin := "    pin: " + d.Digests()["org"] + "\n"
		const all = "[id, name, plan]"
		for name, c := range map[string]struct {
			setup     []string
			pin, cols string
			want      string // "": no error
		}{
			"as it was":                {wide, pin, "[id]", ""},
			"more columns shown":       {wide, pin, all, ""},
			"a column is new":          {append(slices.Clone(wide), "ALTER TABLE orgs ADD secret VARCHAR(9)"), pin, all, ""},
			"and the file names it":    {append(slices.Clone(wide), "ALTER TABLE orgs ADD secret VARCHAR(9)"), pin, "[id, secret]", "the column secret is new"},
			"another type":             {append(slices.Clone(renamed), "ALTER TABLE orgs ADD name VARCHAR(80)"), pin, all, "the column name has another type, which is"},
			"another type, not shown":  {append(slices.Clone(renamed), "ALTER TABLE orgs ADD name VARCHAR(80)"), pin, "[id]", ""},
			"may be null":              {append(slices.Clone(renamed), "ALTER TABLE orgs ADD name VARCHAR(40)"), pin, all, "the column name may be NULL now"},
			"gone":                     {renamed, pin, all, "has no column `name`"},
			"gone, not shown":          {renamed, pin, "[id]", ""},
			"a pin of an older form":   {wide, "    pin: sha256:0123\n", all, "does not begin with v2:, so this version can't compare it: check the tables, then let `exo validate -pin`"},
			"a pin that was cut":       {wide, pin[:len(pin)-3] + "\n", all, "is not whole: put its text back"},
			"a pin of no facts at all": {wide, "    pin: 'v2:'\n", all, "the column name is new"},
		} {
			_, err := declare(c.setup, text(c.pin, c.cols))
			if c.want == "" != (err == nil) || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), "\n") > 1) {
				t.Errorf("%s: %v", name, err)
			}
		}
		// A table is missing: the pins of those that link to it say nothing besides.
		pinned := parse(t, whole)
		d, err = declare(shop, whole)
		if err != nil {
			t.Fatal(err)
		}
		made := whole
		for _, x := range pinned.Facets {
			made = strings.Replace(made, "    table: "+x.Table.Text+"\n", "    table: "+x.Table.Text+"\n    pin: "+d.Digests()[x.Text]+"\n", 1)
		}
		if _, err := declare(shop, made); err != nil {
			t.Error(err)
		}
		_, err = declare(shop, strings.Replace(made, "table: orgs", "table: organs", 1))
		if err == nil || strings.Count(err.Error(), "exo.yaml:") != 1 || !strings.Contains(err.Error(), "no table or view `organs`") {
			t.Errorf("a table is missing: %v", err)
		}
	})
}

// TestPinOfLink: a link that is found by the one foreign key between two tables would compare another column without a word, if the key
// was moved to that; from whichever side it leads.
func TestPinOfLink(t *testing.T) {
	moved := slices.Clone(shop)
	moved[1] = strings.Replace(strings.Replace(moved[1], "org_id {int} NOT NULL REFERENCES orgs (id)", "org_id {int} NOT NULL", 1), "active BOOLEAN NOT NULL", "active BOOLEAN NOT NULL, home_id {int} REFERENCES orgs (id)", 1)
	moved[4] = strings.Replace(moved[4], "INTO people", "INTO people (id, org_id, boss_id, name, email, active)", 1)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for table, facet := range map[string]string{"people": "person", "orgs": "org"} {
			declare := func(pin string, setup []string) (*grantfile.Declared, error) {
				db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(setup...)})
				text := with(t, "    table: "+table+"\n", "    table: "+table+"\n"+pin, "    columns: {id: , name: }\n", "    columns: {id: , name: }\n    links: {people: person}\n")
				return parse(t, text).Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": db}})
			}
			d, err := declare("", shop)
			if err != nil {
				t.Fatal(err)
			}
			pin := "    pin: " + d.Digests()[facet] + "\n"
			if _, err := declare(pin, shop); err != nil {
				t.Error(err)
			}
			if _, err := declare(pin, moved); err == nil || !strings.Contains(err.Error(), "compares (") {
				t.Errorf("pinned %s, and a link between orgs and people compares home_id: %v", table, err)
			}
			if d, err := declare("", moved); err != nil || d == nil { // the twin: nothing else refuses it
				t.Error(err)
			}
		}
	})
}

// TestOneScope: two facets of one table that a grant reaches say the same of its rows; of different grants they may differ.
func TestOneScope(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := open(t, e)
		declare := func(text string) error {
			_, err := parse(t, text).Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": db}})
			return err
		}
		boss := "    columns: {id: , name: }\n  boss:\n    table: people\n    scope: shared\n    columns: [id]\n"
		apart := with(t, "    columns: {id: , name: }\n", boss, "  tickets: ticket\n", "  tickets: ticket\n  bosses: boss\n")
		if err := declare(apart); err != nil {
			t.Error(err)
		}
		together := strings.Replace(apart, "boss: person", "boss: boss", 1)
		if err := declare(together); err == nil || !strings.Contains(err.Error(), "which have different scopes") {
			t.Errorf("one grant reaches people by two scopes: %v", err)
		}
	})
}

// TestTwice: of a name that stands twice, neither counts.
func TestTwice(t *testing.T) {
	_, err := grantfile.Parse("exo.yaml", []byte(with(t, "    table: orgs\n", "    table: orgs\n    scope: shared\n")))
	if err == nil || !strings.Contains(err.Error(), "`scope` is given twice") && !strings.Contains(err.Error(), "already") {
		t.Error(err)
	}
}

// TestManyProblems: what is said of a file is bounded, whatever is in it.
func TestManyProblems(t *testing.T) {
	for _, text := range []string{strings.Repeat("a: 1\n", 100_000), strings.Repeat("[", 100_000), "exo: 1\ngrants: {" + strings.Repeat("a: b, ", 50_000) + "}\n", strings.Repeat("x", 2<<20)} {
		if _, err := grantfile.Parse("exo.yaml", []byte(text)); err == nil || len(err.Error()) > 20_000 {
			t.Errorf("%.20s…: %d bytes", text, len(err.Error()))
		}
	}
}

// TestPinWrites: every form of a facet gets its digest and nothing else changes; a text that can't be edited is refused, and so is what would
// mean something else.
func TestPinWrites(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		opt := &grantfile.Options{Databases: map[string]*exosql.DB{"shop": open(t, e)}, Unpinned: true}
		for name, change := range map[string][2]string{
			"not pinned": {"    table: orgs\n", "    table: orgs\n"},
			"a comment":  {"    table: orgs\n", "    table: orgs # of all\n"},
			"pinned":     {"    table: orgs\n", "    table: orgs\n    pin: x # as it was\n"},
			"two lines":  {"    table: orgs\n", "    table: orgs\n    pin: v2:x\n      y # as it was\n"},
			"CRLF":       {"\n", "\r\n"},
			"quoted":     {"    table: orgs\n", "    table: 'orgs'\n"},
			"quoted pin": {"    table: orgs\n", "    table: orgs\n    pin: \"x\"\n"},
		} {
			text := strings.ReplaceAll(whole, change[0], change[1])
			d, err := parse(t, text).Declare(t.Context(), opt)
			if err != nil {
				t.Fatal(name, err)
			}
			made, pins, err := d.Pin([]byte(text))
			if quoted := name == "quoted pin"; quoted != (err != nil) || quoted && made != nil {
				t.Errorf("%s: %v", name, err)
			}
			if err != nil {
				continue
			}
			if len(pins) != len(d.File.Facets) {
				t.Errorf("%s: %v", name, pins)
			}
			again, err := parse(t, string(made)).Declare(t.Context(), &grantfile.Options{Databases: opt.Databases})
			if err != nil {
				t.Errorf("%s: %v\n%s", name, err, made)
				continue
			}
			for _, f := range again.File.Facets {
				if strings.ReplaceAll(f.Pin.Text, " ", "") != strings.ReplaceAll(d.Digests()[f.Text], " ", "") {
					t.Errorf("%s: %s is pinned %s", name, f.Text, f.Pin.Text)
				}
			}
			if twice, pins, err := again.Pin(made); err != nil || len(pins) != 0 || string(twice) != string(made) {
				t.Errorf("%s, a second time: %v %v", name, pins, err)
			}
		}
	})
}
