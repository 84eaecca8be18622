package labels_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type rdNote struct {
	ID, Owner, Team int64
	Text, Secret    string
	Half            float64
	Again           int64
}

type rdNotes struct {
	t            *exosql.Table[rdNote]
	id           *exosql.Column[rdNote, int64]
	owner, team  *exosql.Column[rdNote, int64]
	text, secret *exosql.Column[rdNote, string]
	half         *exosql.Column[rdNote, float64]
}

func newRdNotes() rdNotes {
	t := exosql.NewTable[rdNote]("notes")
	return rdNotes{t, exosql.NewKey(t, "id", func(n *rdNote) *int64 { return &n.ID }), exosql.NewColumn(t, "owner", func(n *rdNote) *int64 { return &n.Owner }), exosql.NewColumn(t, "team", func(n *rdNote) *int64 { return &n.Team }),
		exosql.NewColumn(t, "text", func(n *rdNote) *string { return &n.Text }), exosql.NewColumn(t, "secret", func(n *rdNote) *string { return &n.Secret }).WithLabel("s"), exosql.NewColumn(t, "half", func(n *rdNote) *float64 { return &n.Half })}
}

// TestReadByMisdeclared: what would decide nothing, or be decided by programs, is refused where it is declared.
func TestReadByMisdeclared(t *testing.T) {
	other := newRdNotes()
	for what, c := range map[string]struct {
		declare func(n rdNotes) *exosql.Facet[rdNote]
		fails   string
	}{
		"as it should be": {func(n rdNotes) *exosql.Facet[rdNote] {
			n.secret.ReadBy("user", n.owner)
			return exosql.NewFacet(n.t, "note", n.id, n.owner, n.secret).AllowUpdate(n.secret).AllowInsert(n.id, n.owner, n.secret)
		}, ""},
		"without a label": {func(n rdNotes) *exosql.Facet[rdNote] { n.text.ReadBy("user", n.owner); return nil }, "WithLabel first"},
		"of integrity alone": {func(n rdNotes) *exosql.Facet[rdNote] {
			n.text.WithLabel("untrusted").ReadBy("user", n.owner)
			return nil
		}, "WithLabel first"},
		"by no column":         {func(n rdNotes) *exosql.Facet[rdNote] { n.secret.ReadBy("user"); return nil }, "needs the column"},
		"by nil":               {func(n rdNotes) *exosql.Facet[rdNote] { n.secret.ReadBy("user", nil); return nil }, "columns of the same table"},
		"by another table's":   {func(n rdNotes) *exosql.Facet[rdNote] { n.secret.ReadBy("user", other.owner); return nil }, "columns of the same table"},
		"by itself":            {func(n rdNotes) *exosql.Facet[rdNote] { n.secret.ReadBy("user", n.secret); return nil }, "can't hold its own readers"},
		"by one twice":         {func(n rdNotes) *exosql.Facet[rdNote] { n.secret.ReadBy("user", n.owner, n.owner); return nil }, "has owner twice"},
		"by a float":           {func(n rdNotes) *exosql.Facet[rdNote] { n.secret.ReadBy("user", n.half); return nil }, "an id is a whole number, a text or a UUID"},
		"of no kind":           {func(n rdNotes) *exosql.Facet[rdNote] { n.secret.ReadBy("", n.owner); return nil }, "want the kind of principals"},
		"of a kind with parts": {func(n rdNotes) *exosql.Facet[rdNote] { n.secret.ReadBy("a:b", n.owner); return nil }, "want the kind of principals"},
		"twice": {func(n rdNotes) *exosql.Facet[rdNote] {
			n.secret.ReadBy("user", n.owner).ReadBy("user", n.team)
			return nil
		}, "given twice"},
		"labelled afterwards": {func(n rdNotes) *exosql.Facet[rdNote] { n.secret.ReadBy("user", n.owner).WithLabel("t"); return nil }, "WithLabel is called after ReadBy"},
		"of a tag with readers": {func(n rdNotes) *exosql.Facet[rdNote] {
			n.text.WithLabel("s@team:1").ReadBy("user", n.owner)
			return nil
		}, "names readers already"},
		"a label that has readers and doesn't say which": {func(n rdNotes) *exosql.Facet[rdNote] { n.text.WithLabel("s@team"); return nil }, "does not name the reader"},
		"a facet that doesn't show who": {func(n rdNotes) *exosql.Facet[rdNote] {
			n.secret.ReadBy("user", n.owner)
			return exosql.NewFacet(n.t, "note", n.id, n.secret)
		}, "add that column to the facet"},
		"a facet that shows who sealed": {func(n rdNotes) *exosql.Facet[rdNote] {
			n.owner.WithLabel("who")
			n.secret.ReadBy("user", n.owner)
			return exosql.NewFacet(n.t, "note", n.id, n.owner, n.secret)
		}, "without a label"},
		"a facet that lets programs say who": {func(n rdNotes) *exosql.Facet[rdNote] {
			n.secret.ReadBy("user", n.owner)
			return exosql.NewFacet(n.t, "note", n.id, n.owner, n.secret).AllowUpdate(n.owner)
		}, "programs can't change owner"},
		"a facet without the value that does": {func(n rdNotes) *exosql.Facet[rdNote] {
			n.secret.ReadBy("user", n.owner)
			return exosql.NewFacet(n.t, "note", n.id, n.owner).AllowUpdate(n.owner)
		}, "programs can't change owner"},
	} {
		got := func() (err error) {
			defer func() {
				if p := recover(); p != nil {
					err = fmt.Errorf("%v", p)
				}
			}()
			n := newRdNotes()
			f := c.declare(n)
			if f == nil {
				return nil
			}
			db := tu.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: tu.SQLite.Exec("CREATE TABLE notes (id INTEGER PRIMARY KEY, owner INT NOT NULL, team INT NOT NULL, text TEXT NOT NULL, secret TEXT NOT NULL, half REAL NOT NULL)")})
			_, err = codemode.New(codemode.Grants{"notes": f.Of(exosql.Grant(db, n.t, exosql.AllRows[rdNote]()))}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
			return err
		}()
		if (got == nil) != (c.fails == "") || got != nil && !strings.Contains(got.Error(), c.fails) {
			t.Errorf("%s: %v", what, got)
		}
	}
}

// TestReadersDeclaredTwice: by a second declaration of the table programs would make themselves the readers, or be shown what has others.
func TestReadersDeclaredTwice(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t, "CREATE TABLE notes (id {int} PRIMARY KEY, owner {int} NOT NULL, team {int} NOT NULL, text TEXT NOT NULL, secret TEXT NOT NULL, half {float} NOT NULL)")
		for what, c := range map[string]struct {
			second func(n rdNotes) *exosql.Facet[rdNote]
			fails  string
		}{
			"the same": {func(n rdNotes) *exosql.Facet[rdNote] {
				n.secret.ReadBy("user", n.owner)
				return exosql.NewFacet(n.t, "other", n.id, n.owner, n.secret)
			}, ""},
			"who may be changed": {func(n rdNotes) *exosql.Facet[rdNote] {
				n.secret.ReadBy("user", n.team)
				return exosql.NewFacet(n.t, "other", n.id, n.owner).AllowUpdate(n.owner)
			}, "it decides who may read secret"},
			"other readers": {func(n rdNotes) *exosql.Facet[rdNote] {
				n.secret.ReadBy("user", n.team)
				return exosql.NewFacet(n.t, "other", n.id, n.team, n.secret)
			}, "read by user in owner"},
			"a column twice": {func(n rdNotes) *exosql.Facet[rdNote] {
				n.secret.ReadBy("user", n.owner)
				if e.Name != tu.SQLite.Name { // there they are two columns
					return exosql.NewFacet(n.t, "other", n.id, n.owner, n.secret)
				}
				again := exosql.NewColumn(n.t, "OWNER", func(n *rdNote) *int64 { return &n.Again }).Named("again")
				return exosql.NewFacet(n.t, "other", n.id, n.owner, again, n.secret).AllowUpdate(again)
			}, map[string]string{tu.SQLite.Name: "the column is declared twice"}[e.Name]},
			"no readers": {func(n rdNotes) *exosql.Facet[rdNote] { return exosql.NewFacet(n.t, "other", n.id, n.team, n.secret) }, "labelled {s@user}"},
		} {
			one, two := newRdNotes(), newRdNotes()
			one.secret.ReadBy("user", one.owner)
			f, g := exosql.NewFacet(one.t, "note", one.id, one.owner, one.secret), c.second(two)
			found, err := exosql.Findings(t.Context(), db, exosql.Granted(f.Of(exosql.Grant(db, one.t, exosql.AllRows[rdNote]()))), exosql.Granted(g.Of(exosql.Grant(db, two.t, exosql.AllRows[rdNote]()))))
			if err != nil {
				t.Fatal(err)
			}
			text := ""
			for _, x := range found {
				if x.Kind == exosql.LabelMismatch {
					text += x.Problem + "\n"
				}
			}
			if (text == "") != (c.fails == "") || !strings.Contains(text, c.fails) {
				t.Errorf("%s: %s", what, text)
			}
		}
	})
}

// TestReadersCalculated: where the database calculates whose a value is, programs don't change from what.
func TestReadersCalculated(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t, "CREATE TABLE notes (id {int} PRIMARY KEY, team {int} NOT NULL, owner {int} GENERATED ALWAYS AS (team * 10) STORED, text TEXT NOT NULL, secret TEXT NOT NULL); INSERT INTO notes (id, team, text, secret) VALUES (1, 1, 't', 'a secret')")
		live, err := db.Catalog(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, owned := range []bool{true, false} {
			spec := dynamic.ColumnSpec{Name: "secret", Label: []string{"s"}}
			if owned {
				spec.Readers = dynamic.Readers{Kind: "user", Columns: []string{"owner"}}
			}
			table, err := dynamic.New(live).Table("notes", spec)
			if err != nil {
				t.Fatal(err)
			}
			f, err := table.Facet("note", "id", "team", "owner", "text", "secret")
			if err != nil {
				t.Fatal(err)
			}
			if err := f.AllowUpdate("team", "text"); err != nil {
				t.Fatal(err)
			}
			o, err := f.Grant(db, dynamic.AllRows())
			if err != nil {
				t.Fatal(err)
			}
			tool, err := codemode.New(codemode.Grants{"notes": o}, &codemode.Options{Record: exo.Unrecorded, Admits: value.NewLabel("s@user:70"), Evaluator: exoeval.InProcess{}})
			if err != nil {
				t.Fatal(err)
			}
			r := tool.Run(t.Context(), "await notes.where({ id: 1 }).update({ team: 7 }); return (await notes.first()).secret")
			if owned && (r.Err == nil || strings.Contains(string(r.JSON), "a secret")) || !owned && r.Err != nil {
				t.Errorf("owned %t: %s %v", owned, r.JSON, r.Err)
			}
		}
	})
}

// TestDynamicReaders: declared at run time the readers are the same.
func TestDynamicReaders(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t, "CREATE TABLE notes (id {int} PRIMARY KEY, owner TEXT, secret TEXT NOT NULL); INSERT INTO notes VALUES (1, 'ann', 'a'), (2, 'b|b', 'b'), (3, '', 'c'), (4, NULL, 'd'), (5, '"+strings.Repeat("x", 300)+"', 'e')")
		live, err := db.Catalog(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []dynamic.Readers{{Kind: "user"}, {Columns: []string{"owner"}}, {Kind: "user", Columns: []string{"nobody"}}, {Kind: "us@er", Columns: []string{"owner"}}} {
			if _, err := dynamic.New(live).Table("notes", dynamic.ColumnSpec{Name: "secret", Label: []string{"s"}, Readers: bad}); fail.KindOf(err) != fail.Invalid {
				t.Errorf("%v: %v", bad, err)
			}
		}
		table, err := dynamic.New(live).Table("notes", dynamic.ColumnSpec{Name: "secret", Label: []string{"s"}, Readers: dynamic.Readers{Kind: "user", Columns: []string{"owner"}}})
		if err != nil {
			t.Fatal(err)
		}
		f, err := table.Facet("note", "id", "owner", "secret")
		if err != nil {
			t.Fatal(err)
		}
		for reader, want := range map[string]string{"ann": `["a","[sealed s]","[sealed s]","[sealed s]","[sealed s]"]`, "b|b": `["[sealed s]","b","[sealed s]","[sealed s]","[sealed s]"]`, "b": `["[sealed s]","[sealed s]","[sealed s]","[sealed s]","[sealed s]"]`, "": `["[sealed s]","[sealed s]","[sealed s]","[sealed s]","[sealed s]"]`, strings.Repeat("x", 300): `["[sealed s]","[sealed s]","[sealed s]","[sealed s]","[sealed s]"]`} {
			o, err := f.Grant(db, dynamic.AllRows())
			if err != nil {
				t.Fatal(err)
			}
			admits := value.Label{}
			if tag, err := value.ReaderTag("s", "user", reader); err == nil {
				admits = value.NewLabel(tag)
			}
			tool, err := codemode.New(codemode.Grants{"notes": o}, &codemode.Options{Record: exo.Unrecorded, Admits: admits, Evaluator: exoeval.InProcess{}})
			if err != nil {
				t.Fatal(err)
			}
			if r := tool.Run(t.Context(), "return (await notes.orderBy(n => n.id)).map(n => n.secret)"); string(r.JSON) != want {
				t.Errorf("%s: %s %v", reader, r.JSON, r.Err)
			}
		}
	})
}

// TestRowsHaveNoReader: that a row is there belongs to nobody, so a label that says whose it is could be read by nobody.
func TestRowsHaveNoReader(t *testing.T) {
	defer func() {
		if p := recover(); p == nil || !strings.Contains(fmt.Sprint(p), "write the tag without them") {
			t.Errorf("%v", p)
		}
	}()
	newRdNotes().t.WithLabel("medical@doctor")
}
