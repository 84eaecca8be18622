package writes_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// bsTicket is a row of tickets, or of what shows the same rows under another name.
type bsTicket struct {
	ID, Org, Owner int64
	Note           string
}

type bsTickets struct {
	t          *exosql.Table[bsTicket]
	org, owner *exosql.Column[bsTicket, int64]
	facet      *exosql.Facet[bsTicket]
}

func bsDeclare(t *exosql.Table[bsTicket], allow ...string) (d bsTickets) {
	d.t = t
	id := exosql.NewKey(t, "id", func(x *bsTicket) *int64 { return &x.ID })
	d.org = exosql.NewColumn(t, "org_id", func(x *bsTicket) *int64 { return &x.Org })
	d.owner = exosql.NewColumn(t, "owner_id", func(x *bsTicket) *int64 { return &x.Owner })
	note := exosql.NewColumn(t, "note", func(x *bsTicket) *string { return &x.Note })
	d.facet = exosql.NewFacet(t, "ticket", id, d.owner).AllowUpdate(d.owner)
	if len(allow) > 0 {
		d.facet = exosql.NewFacet(t, "seen", id, note)
	}
	return d
}

const bsTicketCols = "id bigint NOT NULL, org_id bigint NOT NULL, owner_id bigint NOT NULL, note text NOT NULL"

// TestBesideSameRows: a program that may change whose a row is, by a grant that does not show its note, does not read that note by a grant of another name
// for the same rows: a view, a partition, an heir, or a view of these. The twins, of another table, of a scope that nothing written tells, or where the host says
// that it may be, succeed.
func TestBesideSameRows(t *testing.T) {
	e := tu.Postgres
	plain := []string{"CREATE TABLE tickets (" + bsTicketCols + ", PRIMARY KEY (id))", "INSERT INTO tickets VALUES (1, 1, 5, 'secret')"}
	parted := []string{"CREATE TABLE every (" + bsTicketCols + ") PARTITION BY RANGE (id)", "CREATE TABLE mid PARTITION OF every FOR VALUES FROM (0) TO (100) PARTITION BY RANGE (id)",
		"CREATE TABLE tickets PARTITION OF mid FOR VALUES FROM (0) TO (50)", "CREATE UNIQUE INDEX ON tickets (id)", "INSERT INTO every VALUES (1, 1, 5, 'secret')"}
	view := "CREATE VIEW mine AS SELECT id, org_id, owner_id, note FROM "
	for what, c := range map[string]struct {
		ddl    []string
		other  *exosql.Table[bsTicket]
		effect bool
		all    bool
		fails  bool
	}{
		"a view":                                   {append(slices.Clip(plain), view+"tickets"), exosql.NewTable[bsTicket]("mine"), false, false, true},
		"a view of a view":                         {append(slices.Clip(plain), "CREATE VIEW v AS SELECT * FROM tickets WHERE id > 0", view+"v"), exosql.NewTable[bsTicket]("mine"), false, false, true},
		"a view by a function":                     {append(slices.Clip(plain), "CREATE FUNCTION f() RETURNS SETOF tickets LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN QUERY SELECT * FROM tickets; END $$", view+"f()"), exosql.NewTable[bsTicket]("mine"), false, false, true},
		"a view of the whole":                      {append(slices.Clip(parted), view+"every"), exosql.NewTable[bsTicket]("mine"), false, false, true},
		"the whole of a partition's partition":     {parted, exosql.NewTable[bsTicket]("every"), false, false, true},
		"what it inherits from":                    {[]string{"CREATE TABLE base (" + bsTicketCols + ")", "CREATE TABLE tickets (PRIMARY KEY (id)) INHERITS (base)", "INSERT INTO tickets VALUES (1, 1, 5, 'secret')"}, exosql.NewTable[bsTicket]("base"), false, false, true},
		"a view that the host knows":               {append(slices.Clip(plain), view+"tickets"), exosql.NewTable[bsTicket]("mine"), true, false, false},
		"a view of which all is seen":              {append(slices.Clip(plain), view+"tickets"), exosql.NewTable[bsTicket]("mine"), false, true, false},
		"another table":                            {append(slices.Clip(plain), "CREATE TABLE mine ("+bsTicketCols+", PRIMARY KEY (id))"), exosql.NewTable[bsTicket]("mine"), false, false, false},
		"a view of another table":                  {append(slices.Clip(plain), "CREATE TABLE x ("+bsTicketCols+")", view+"x"), exosql.NewTable[bsTicket]("mine"), false, false, false},
		"another partition of what it is not part": {append(slices.Clip(plain), "CREATE TABLE every ("+bsTicketCols+") PARTITION BY RANGE (id)", "CREATE TABLE mine PARTITION OF every DEFAULT"), exosql.NewTable[bsTicket]("mine"), false, false, false},
	} {
		t.Run(what, func(t *testing.T) {
			db, _ := kit.File(t, e, c.ddl...)
			a, b := bsDeclare(exosql.NewTable[bsTicket]("tickets")), bsDeclare(c.other, "read")
			if c.effect {
				a.facet.Permit(exosql.AllowRows("mine"))
			}
			by := b.owner.Eq(1)
			if c.all {
				by = exosql.AllRows[bsTicket]()
			}
			tool, err := codemode.New(codemode.Grants{"tickets": a.facet.Of(exosql.Grant(db, a.t, a.org.Eq(1))), "mine": b.facet.Of(exosql.Grant(db, b.t, by))}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
			if err != nil {
				t.Fatal(err)
			}
			err = exosql.Check(t.Context(), db, exosql.Granted(a.facet.Of(exosql.Grant(db, a.t, a.org.Eq(1)))), exosql.Granted(b.facet.Of(exosql.Grant(db, b.t, by))))
			if refused := strings.Contains(errText(err), "may show the same rows"); refused != c.fails {
				t.Errorf("Check: %v", err)
			}
			for _, program := range []string{"await tickets.where({ id: 1 }).update({ ownerId: 1 }); return mine", "await tickets.where(t => t.id.in(mine.select(m => m.id)) || t.id === 1).update({ ownerId: 1 }); return mine"} {
				r := tool.Run(t.Context(), program)
				if c.fails && (fail.KindOf(r.Err) != fail.Denied || !strings.Contains(errText(r.Err), "may show the same rows")) || !c.fails && r.Err != nil {
					t.Errorf("%s: %s %v", program, r.JSON, r.Err)
				}
			}
		})
	}
}

// errText is all that the host is told.
func errText(err error) string {
	text := ""
	for ; err != nil; err = errors.Unwrap(err) {
		text += err.Error() + "\n"
	}
	return text
}

// TestBesideNamed: a grant that a message names beside the one that it writes by is held against it like those that it does not name.
func TestBesideNamed(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, _ := kit.File(t, e, "CREATE TABLE docs (id {int} PRIMARY KEY, path VARCHAR(9) NOT NULL, who VARCHAR(9) GENERATED ALWAYS AS (substr(path, 1, 1)) STORED, file VARCHAR(9) NOT NULL)",
			"INSERT INTO docs (id, path, file) VALUES (1, 'a/1', 'secret')")
		docs := exosql.NewTable[gnDoc]("docs")
		id := exosql.NewKey(docs, "id", func(d *gnDoc) *int64 { return &d.ID })
		path := exosql.NewColumn(docs, "path", func(d *gnDoc) *string { return &d.Path })
		who := exosql.NewColumn(docs, "who", func(d *gnDoc) *string { return &d.Who })
		file := exosql.NewColumn(docs, "file", func(d *gnDoc) *string { return &d.File })
		doc, seen := exosql.NewFacet(docs, "doc", id, path).AllowUpdate(path), exosql.NewFacet(docs, "seen", id, file)
		tool, err := codemode.New(codemode.Grants{"docs": doc.Of(exosql.Grant(db, docs, id.Eq(1))), "seen": seen.Of(exosql.Grant(db, docs, who.Eq("b")))}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		for _, program := range []string{`await docs.all().update({ path: "b/1" }); return seen`, `await docs.where(d => d.id.notIn(seen.select(s => s.id))).update({ path: "b/1" }); return seen`} {
			if r := tool.Run(t.Context(), program); fail.KindOf(r.Err) != fail.Denied {
				t.Errorf("%s: %s %v", program, r.JSON, r.Err)
			}
		}
	})
}
