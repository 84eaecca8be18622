package approvals_test

// This file attacks the scope of an undo for a person: by refusals, by keys, and by several facets of one table.

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/schema"
)

// theirs fails the test unless the undo is refused like that of an unknown run.
func (w *world) theirs(run exo.RunID, own bool, by ...exo.Object) {
	w.t.Helper()
	_, _, unknown := w.db.UndoFor(w.t.Context(), exosql.UndoRequest{Run: exo.NewRunID(), Own: own}, by...)
	for _, as := range []exo.RunID{{}, exo.NewRunID()} {
		rows, refused, err := w.db.UndoFor(w.t.Context(), exosql.UndoRequest{Run: run, As: as, Own: own}, by...)
		if fail.KindOf(err) != fail.Denied || len(rows)+len(refused) > 0 || err.Error() != unknown.Error() {
			w.t.Errorf("%v %v %v; an unknown run: %v", rows, refused, err, unknown)
		}
	}
}

// TestUndoForRefusedRow: a run that deleted rows is unknown to a person if the database refuses to insert the rows again.
func TestUndoForRefusedRow(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := newUndoing(t, e)
		w.exec("DELETE FROM lines")
		run := w.ran(w.of(2, exosql.UndoOwn), `return staff.where({ name: "zoe" }).delete()`)
		w.exec("INSERT INTO staff (id, org_id, name, salary) VALUES (1999, 2, 'zoe', 5)")
		w.theirs(run, false)
		w.theirs(run, false, w.of(1, exosql.UndoAny))
		if _, refused, err := w.db.Undo(t.Context(), run, exo.RunID{}); err != nil || len(refused) == 0 {
			t.Errorf("the operator's undo: %v %v", refused, err)
		}
	})
}

// TestUndoForHiddenTable: a refused row of a table that no facet shows is not named.
func TestUndoForHiddenTable(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := newUndoing(t, e)
		run := w.ran(w.of(1, exosql.UndoAny), `return staff.where({ name: "bob" }).update({ salary: 7 })`)
		w.exec("CREATE TABLE hidden_audit (n bigint NOT NULL)")
		w.exec(e.Pick("CREATE TRIGGER audit AFTER UPDATE ON staff BEGIN INSERT INTO hidden_audit VALUES (1); END; CREATE TRIGGER keeps BEFORE DELETE ON hidden_audit BEGIN SELECT RAISE(ABORT, 'no'); END",
			`CREATE FUNCTION audits() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO hidden_audit VALUES (1); RETURN NULL; END $$; CREATE TRIGGER audit AFTER UPDATE ON staff FOR EACH ROW EXECUTE FUNCTION audits();
			CREATE FUNCTION nodel() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$; CREATE TRIGGER keeps BEFORE DELETE ON hidden_audit FOR EACH ROW EXECUTE FUNCTION nodel();
			CREATE TRIGGER exo_undo AFTER INSERT OR UPDATE OR DELETE ON hidden_audit FOR EACH ROW WHEN (pg_catalog.current_setting('exo.run', true) <> '') EXECUTE FUNCTION exo_undo_keep()`))
		w.db = e.OpenURL(t, w.url, &exosql.OpenOptions{Images: 500, Witness: true, Undo: time.Hour})
		_, refused, err := w.db.UndoFor(t.Context(), exosql.UndoRequest{Run: run, Own: true}, w.of(1, exosql.UndoAny))
		if err != nil || len(refused) == 0 || strings.Contains(fmt.Sprint(refused), "hidden") {
			t.Errorf("%+v %v", refused, err)
		}
		if _, refused, err := w.db.Undo(t.Context(), run, exo.RunID{}); err != nil || !strings.Contains(fmt.Sprint(refused), "hidden_audit") {
			t.Errorf("the operator's undo: %+v %v", refused, err)
		}
	})
}

// TestUndoForShown: a person with two facets of a table is shown, of each row, only columns of the facets that have the row in scope.
func TestUndoForShown(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := newUndoing(t, e)
		d, d2 := declare(), declare()
		me := exosql.NewFacet(d.staff, "me", d.id, d.name, d.salary).AllowUndo(exosql.UndoAny).Of(exosql.Grant(w.db, d.staff, d.id.Eq(1001)))
		all := exosql.NewFacet(d2.staff, "all", d2.id, d2.name).AllowUndo(exosql.UndoAny).Of(exosql.Grant(w.db, d2.staff, d2.org.Eq(1)))
		for name, want := range map[string]bool{"ada": true, "bob": false} { // ada is the row 1001
			run := w.ran(w.of(1, exosql.UndoAny), `return staff.where({ name: "`+name+`" }).update({ salary: 201 })`)
			rows, _, err := w.db.UndoFor(t.Context(), exosql.UndoRequest{Run: run}, me, all)
			if err != nil || len(rows) != 1 || strings.Contains(strings.Join(rows[0].Columns, " "), "salary") != want || (rows[0].Others == 0) != want {
				t.Errorf("%s: %+v %v", name, rows, err)
			}
		}
	})
}

// document is a row whose key is unique, or is so in its organization.
type document[K any] struct {
	ID   K
	Org  int64
	Name string
}

// documents makes a world with a table of documents.
func documents(t *testing.T, e tu.Engine, made ...string) *world {
	w := fresh(t, e, true, append(made, e.Pick(exosql.CreateUndo, "SELECT 1"))...)
	if e.Name == tu.Postgres.Name {
		live, err := schema.ReadPostgres(t.Context(), w.raw)
		if err != nil {
			t.Fatal(err)
		}
		w.exec(exosql.UndoTriggers(live, "postgres", time.Hour, schema.Name{Schema: "public", Name: "docs"}))
	}
	w.db = e.OpenURL(t, w.url, &exosql.OpenOptions{Witness: true, Undo: time.Hour}) // Images would read the odd keys as programs do, and refuse them
	return w
}

// docs are the documents of an organization. With both, the organization is in the key, too.
func docs[K string | int64](w *world, org int64, both bool) exo.Object {
	d := exosql.NewTable[document[K]]("docs")
	id, of := exosql.NewKey(d, "id", func(x *document[K]) *K { return &x.ID }), func(x *document[K]) *int64 { return &x.Org }
	declared := exosql.NewColumn[document[K], int64]
	if both {
		declared = exosql.NewKey[document[K], int64]
	}
	o := declared(d, "org_id", of)
	name := exosql.NewColumn(d, "name", func(x *document[K]) *string { return &x.Name })
	f := exosql.NewFacet(d, "doc", id, name).AllowUndo(exosql.UndoAny)
	if both || any(*new(K)) == any("") {
		f.AllowUpdate(name)
	}
	return f.Of(exosql.Grant(w.db, d, o.Eq(org)))
}

const changes = `return docs.where(d => d.name === "theirs").update({ name: "changed" })`

func (w *world) changed(of exo.Object) exo.RunID {
	w.t.Helper()
	res := w.toolOf("user:2", codemode.Grants{"docs": of}).Run(w.t.Context(), changes)
	if res.Err != nil {
		w.t.Fatal(res.Err)
	}
	return res.ID
}

// TestUndoForKeyOfTenant: a declared key that lacks a column of the primary key identifies no row of an undo. The twin has the whole key.
func TestUndoForKeyOfTenant(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := documents(t, e, "CREATE TABLE docs (org_id bigint NOT NULL, id bigint NOT NULL, name text NOT NULL, PRIMARY KEY (org_id, id))", "INSERT INTO docs VALUES (1, 5, 'ours'), (2, 5, 'theirs')")
		run := w.changed(docs[int64](w, 2, true))
		w.theirs(run, false, docs[int64](w, 1, false))
		w.theirs(run, false, docs[int64](w, 1, true))
		if rows, refused, err := w.db.UndoFor(t.Context(), exosql.UndoRequest{Run: run, As: exo.NewRunID()}, docs[int64](w, 2, true)); err != nil || len(rows) != 1 || len(refused) > 0 {
			t.Errorf("the whole key: %v %v %v", rows, refused, err)
		}
	})
}

// TestUndoForOddKey: a key is not taken for another key that is written like its literal.
func TestUndoForOddKey(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, c := range [][2]string{{e.Pick("X'35'", "'''5'''"), e.Pick("'X''35'''", "'5'")}, {e.Pick("CAST(X'6100' AS TEXT)", "'null'"), e.Pick("'CAST(X''6100'' AS TEXT)'", "'NULL'")}} {
			w := documents(t, e, "CREATE TABLE docs (id text NOT NULL PRIMARY KEY, org_id bigint NOT NULL, name text NOT NULL)",
				"INSERT INTO docs VALUES ("+c[0]+", 2, 'theirs'), ("+c[1]+", 1, 'ours'), ('plain', 2, 'a')")
			w.theirs(w.changed(docs[string](w, 2, false)), false, docs[string](w, 1, false))
			w.exec("UPDATE docs SET name = 'x' WHERE name = 'changed'; UPDATE docs SET name = 'theirs' WHERE id = 'plain'")
			if rows, refused, err := w.db.UndoFor(t.Context(), exosql.UndoRequest{Run: w.changed(docs[string](w, 2, false)), As: exo.NewRunID()}, docs[string](w, 2, false)); err != nil || len(rows) != 1 || len(refused) > 0 {
				t.Errorf("a plain key: %v %v %v", rows, refused, err)
			}
		}
	})
}

// TestUndoForUnfit: no person undoes changes of a table with labels or approvals, also if another facet of the table has them, nor in a database that
// keeps nothing.
func TestUndoForUnfit(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := newUndoing(t, e)
		none := e.OpenURL(t, w.url, &exosql.OpenOptions{Images: 500})
		plain := func() exo.Object { return w.of(1, exosql.UndoAny) }
		labelled, asked := declare(), declare()
		labelled.salary.WithLabel("pay")
		other := exosql.NewFacet(labelled.staff, "pay", labelled.id).Of(exosql.Grant(w.db, labelled.staff, labelled.org.Eq(1)))
		asks := exosql.NewFacet(asked.staff, "asks", asked.id).AllowDelete().Approve(exosql.ApproveDeletes()).Of(exosql.Grant(w.db, asked.staff, asked.org.Eq(1)))
		own := func(db *exosql.DB, label string) exo.Object {
			d := declare()
			f := exosql.NewFacet(d.staff, "staff", d.id, d.name).AllowUndo(exosql.UndoAny)
			if label != "" {
				d.salary.WithLabel(label)
			}
			return f.Of(exosql.Grant(db, d.staff, d.org.Eq(1)))
		}
		run := w.ran(plain(), `return staff.where({ name: "bob" }).update({ salary: 7 })`)
		for _, c := range []struct {
			want   string
			grants []exo.Object
		}{
			{"labelled columns", []exo.Object{plain(), other}},
			{"labelled columns", []exo.Object{own(w.db, "pay")}},
			{"need a person's approval", []exo.Object{plain(), asks}},
			{"", []exo.Object{plain()}},
			{"", []exo.Object{own(w.db, "")}},
		} {
			_, _, err := w.db.UndoFor(t.Context(), exosql.UndoRequest{Run: run}, c.grants...)
			if c.want != "" && (fail.KindOf(err) != fail.Invalid || !strings.Contains(err.Error(), c.want)) || c.want == "" && err != nil {
				t.Errorf("%v, want %q", err, c.want)
			}
		}
		if res := w.toolOf("user:1", codemode.Grants{"staff": own(none, "")}).Run(t.Context(), "return staff.count()"); !strings.Contains(fmt.Sprint(res.Err), "OpenOptions.Undo") {
			t.Errorf("a database without Undo: %v", res.Err)
		}
		for want, declares := range map[string]func(d declared){
			"need a person's approval": func(d declared) {
				exosql.NewFacet(d.staff, "staff", d.id).AllowDelete().AllowUndo(exosql.UndoOwn).Approve(exosql.ApproveDeletes())
			},
			"labelled columns": func(d declared) {
				d.salary.WithLabel("pay")
				exosql.NewFacet(d.staff, "staff", d.id).AllowUndo(exosql.UndoOwn)
			},
		} {
			func() {
				defer func() {
					if r := recover(); !strings.Contains(fmt.Sprint(r), want) {
						t.Errorf("%v, want %q", r, want)
					}
				}()
				declares(declare())
			}()
		}
	})
}
