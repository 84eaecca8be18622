package codemode_test

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
)

// named calls a declaration whose first name must be a constant in Go with a
// name that was made: no other way leads to 500 tables.
func named[R any](f any, args ...any) R {
	v := reflect.ValueOf(f)
	in := make([]reflect.Value, len(args))
	for k, a := range args {
		in[k] = reflect.ValueOf(a)
		if in[k].Kind() == reflect.String {
			in[k] = in[k].Convert(v.Type().In(k))
		}
	}
	return v.Call(in)[0].Interface().(R)
}

type manyRow struct {
	ID, Parent int64
	Name       string
	Amount     float64
}

// words are what 500 tables of a company are called.
var (
	manyAreas  = []string{"sales", "billing", "stock", "payroll", "support", "fleet", "legal", "travel", "lab", "events", "audit", "media", "clinic", "school", "energy", "rental", "farm", "bank", "port", "news"}
	manyThings = []string{"invoice", "order", "payment", "customer", "contract", "ticket", "visit", "asset", "price", "budget", "address", "note", "task", "delivery", "refund", "member", "report", "item", "batch", "claim", "route", "shift", "stage", "tariff", "vendor"}
)

// manyTables grants one table from which n others can be reached, each with a
// link back; every table has a column that is not granted.
func manyTables(tb testing.TB, n int) codemode.Grants {
	tb.Helper()
	return manyTablesOf(tb, n)(1)
}

// manyTablesOf is manyTables for each company.
func manyTablesOf(tb testing.TB, n int) func(company int64) codemode.Grants {
	tb.Helper()
	var ddl strings.Builder
	fmt.Fprint(&ddl, "CREATE TABLE companies (id INTEGER PRIMARY KEY, parent INTEGER, name TEXT, amount REAL); INSERT INTO companies VALUES (1, 0, 'Ours', 0), (2, 0, 'Theirs', 0);")
	table := func(name string) (*exosql.Table[manyRow], [4]any) {
		t := named[*exosql.Table[manyRow]](exosql.NewTable[manyRow], name)
		id := exosql.NewKey(t, "id", func(r *manyRow) *int64 { return &r.ID })
		parent := exosql.NewColumn(t, "parent", func(r *manyRow) *int64 { return &r.Parent })
		label := exosql.NewColumn(t, "name", func(r *manyRow) *string { return &r.Name })
		amount := exosql.NewColumn(t, "amount", func(r *manyRow) *float64 { return &r.Amount }).Doc("in euros, without tax")
		return t, [4]any{id, parent, label, amount}
	}
	id := func(c [4]any) *exosql.Column[manyRow, int64] { return c[0].(*exosql.Column[manyRow, int64]) }
	parent := func(c [4]any) *exosql.Column[manyRow, int64] { return c[1].(*exosql.Column[manyRow, int64]) }
	root, rc := table("companies")
	company := exosql.NewFacet(root, "company", id(rc), rc[2].(*exosql.Column[manyRow, string]))
	scope := []exosql.Scope{}
	for k := range n {
		area, thing := manyAreas[k/len(manyThings)%len(manyAreas)], manyThings[k%len(manyThings)]
		name := area + "_" + thing
		if k >= len(manyAreas)*len(manyThings) {
			name += fmt.Sprint("_", k)
		}
		t, c := table(name)
		fmt.Fprintf(&ddl, "CREATE TABLE %s (id INTEGER PRIMARY KEY, parent INTEGER, name TEXT, amount REAL); INSERT INTO %[1]s VALUES (1, 1, 'first %[1]s', %d), (2, 2, 'secret-of-theirs', 7), (3, 1, 'second %[1]s', 1);", name, k)
		alias := area + strings.ToUpper(thing[:1]) + thing[1:]
		if k >= len(manyAreas)*len(manyThings) {
			alias += fmt.Sprint(k)
		}
		f := named[*exosql.Facet[manyRow]](exosql.NewFacet[manyRow], t, alias)
		f.Add(id(c), c[2].(*exosql.Column[manyRow, string]), c[3].(*exosql.Column[manyRow, float64]))
		down := named[exosql.Link[manyRow, manyRow]](exosql.Many[manyRow, manyRow, int64], alias+"s", id(rc), parent(c))
		up := exosql.One("company", parent(c), id(rc))
		company.Add(exosql.Via(down, f))
		f.Add(exosql.Via(up, company))
		scope = append(scope, exosql.ScopeVia(down))
	}
	db, err := exosql.Open(context.Background(), "sqlite::memory:", &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, ddl.String())
		return err
	}})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	return func(own int64) codemode.Grants {
		return codemode.Grants{"company": company.Of(exosql.Grant(db, root, id(rc).Eq(own), scope...))}
	}
}
