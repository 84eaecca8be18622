package exosql_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type zeroRow struct{ N int64 }

// TestZeroValues: no function or method panics over a nil or zero value, but for those that
// declare, whose panic says what was wrong.
func TestZeroValues(t *testing.T) {
	type (
		row   = zeroRow
		col   = exosql.Column[row, int64]
		table = exosql.Table[row]
	)
	tu.ZeroCalls(t, tu.Surface{
		Panics: "exosql: ",
		Functions: map[string]any{
			"AllRows": exosql.AllRows[row], "And": exosql.And[row], "Or": exosql.Or[row], "Not": exosql.Not[row],
			"Like": exosql.Like[row, string], "ILike": exosql.ILike[row, string], "Includes": exosql.Includes[row, string],
			"StartsWith": exosql.StartsWith[row, string], "EndsWith": exosql.EndsWith[row, string], "Has": exosql.Has[row, int64],
			"AccessPaths": exosql.AccessPaths, "Policies": exosql.Policies, "Check": exosql.Check, "Findings": exosql.Findings, "CatalogFindings": exosql.CatalogFindings, "Granted": exosql.Granted, "Written": exosql.Written[row],
			"NewTable": exosql.NewTable[row], "NewColumn": exosql.NewColumn[row, int64], "NewKey": exosql.NewKey[row, int64], "NewNullable": exosql.NewNullable[row, int64],
			"NewFacet": exosql.NewFacet[row], "ApproveAlways": exosql.ApproveAlways, "ApproveAbove": exosql.ApproveAbove, "ApproveDeletes": exosql.ApproveDeletes, "ApproveColumns": exosql.ApproveColumns[row], "Statements": exosql.Statements, "UndoTriggers": exosql.UndoTriggers, "Via": exosql.Via[row, row], "Many": exosql.Many[row, row, int64], "One": exosql.One[row, row, int64], "Keys": exosql.Keys[row, row, int64],
			"Grant": exosql.Grant[row], "Follow": exosql.Follow[row, row], "ScopeRows": exosql.ScopeRows[row], "ScopeVia": exosql.ScopeVia[row, row], "ScopeShared": exosql.ScopeShared[row],
			"NewSearch": exosql.NewSearch[row], "Count": exosql.Count[row], "Sum": exosql.Sum[row, int64], "Mean": exosql.Mean[row, int64], "Min": exosql.Min[row, int64], "Max": exosql.Max[row, int64], "Ratio": exosql.Ratio[row],
			"AllowTrigger": exosql.AllowTrigger, "AllowRule": exosql.AllowRule, "AllowCascade": exosql.AllowCascade, "AllowConflict": exosql.AllowConflict, "AllowDefault": exosql.AllowDefault, "AllowUnique": exosql.AllowUnique,
			"AllowExclusion": exosql.AllowExclusion, "AllowWaiting": exosql.AllowWaiting, "AllowRows": exosql.AllowRows, "AllowTypes": exosql.AllowTypes, "AllowRevealing": exosql.AllowRevealing,
			"AllowUntrustedTrigger": exosql.AllowUntrustedTrigger, "AllowUntrustedRule": exosql.AllowUntrustedRule,
			"Open": exosql.Open, "OpenSQLite": exosql.OpenSQLite, "OpenPostgres": exosql.OpenPostgres, "DateOf": exosql.DateOf,
		},
		Types: map[string]reflect.Type{
			"Table": reflect.TypeFor[*table](), "StoredForm": reflect.TypeFor[exosql.StoredForm](), "Column": reflect.TypeFor[*col](), "Facet": reflect.TypeFor[*exosql.Facet[row]](), "Link": reflect.TypeFor[exosql.Link[row, row]](),
			"Pair": reflect.TypeFor[exosql.Pair[row, row]](), "Relation": reflect.TypeFor[exosql.Relation[row]](), "Predicate": reflect.TypeFor[exosql.Predicate[row]](),
			"Order": reflect.TypeFor[exosql.Order[row]](), "Scope": reflect.TypeFor[exosql.Scope](), "DB": reflect.TypeFor[*exosql.DB](), "Query": reflect.TypeFor[exosql.Query](),
			"Write": reflect.TypeFor[*exosql.Write[row]](), "WriteKind": reflect.TypeFor[exosql.WriteKind](),
			"Output": reflect.TypeFor[exosql.Output](), "OpenOptions": reflect.TypeFor[exosql.OpenOptions](), "Finding": reflect.TypeFor[exosql.Finding](), "FindingKind": reflect.TypeFor[exosql.FindingKind](),
			"Access": reflect.TypeFor[exosql.Access](), "AccessPath": reflect.TypeFor[exosql.AccessPath](), "Fix": reflect.TypeFor[*exosql.Fix](),
			"CheckError": reflect.TypeFor[exosql.CheckError](), "ConstraintError": reflect.TypeFor[*exosql.ConstraintError](), "Rule": reflect.TypeFor[exosql.Rule](), "VersionError": reflect.TypeFor[exosql.VersionError](), "Decimal": reflect.TypeFor[exosql.Decimal](), "Date": reflect.TypeFor[exosql.Date](),
			"Interval": reflect.TypeFor[exosql.Interval](), "JSON": reflect.TypeFor[exosql.JSON](), "Declared": reflect.TypeFor[exosql.Declared](), "Member": reflect.TypeFor[exosql.Member[row]](), "ReaderID": reflect.TypeFor[exosql.ReaderID[row]](),
			"Assignment": reflect.TypeFor[exosql.Assignment[row]](), "Change": reflect.TypeFor[exosql.Change](), "Changes": reflect.TypeFor[exosql.Changes](), "Tx": reflect.TypeFor[*exosql.Tx](),
			"Permission": reflect.TypeFor[exosql.Permission](), "Approval": reflect.TypeFor[exosql.Approval](), "RowImage": reflect.TypeFor[exosql.RowImage](), "RowLiteral": reflect.TypeFor[exosql.RowLiteral](), "UndoRefusal": reflect.TypeFor[exosql.UndoRefusal](), "UndoRequest": reflect.TypeFor[exosql.UndoRequest](), "UndoRuns": reflect.TypeFor[exosql.UndoRuns](), "Search": reflect.TypeFor[exosql.Search[row]](), "Measure": reflect.TypeFor[exosql.Measure[row]](), "Searched": reflect.TypeFor[exosql.Searched[row]](),
		},
		Receivers: []any{exosql.NewFacet(kit.Items, "item"), kit.Items, kit.ItemID},
	}, func(what string, out []reflect.Value) {
		for _, x := range out {
			switch x := x.Interface().(type) {
			case exosql.Relation[row]:
				if _, err := x.All(t.Context()); err == nil {
					t.Errorf("%s: a relation that was never granted answers", what)
				}
			case exo.Object:
				if _, err := x.Describe(); err == nil {
					t.Errorf("%s: an object of nothing can be granted", what)
				}
				if _, err := x.Eval(t.Context(), nil); err == nil {
					t.Errorf("%s: an object of nothing answers", what)
				}
			case exosql.Declared:
				if err := exosql.Check(t.Context(), nil, x); err == nil {
					t.Errorf("%s: Check takes it", what)
				}
			}
		}
	})
}

// TestZeroDeclarations: what is wrong with a nil or zero declaration is said where it is used.
func TestZeroDeclarations(t *testing.T) {
	db := tu.SQLite.Open(t)
	owner := kit.ItemOwner.Eq(1)
	facet := func() *exosql.Facet[kit.Item] { return exosql.NewFacet(kit.Items, "item", kit.ItemID) }
	all := func(r exosql.Relation[kit.Item]) func() error {
		return func() error { _, err := r.All(t.Context()); return err }
	}
	describe := func(o exo.Object) func() error {
		return func() error { _, err := o.Describe(); return err }
	}
	declares := func(f func()) func() error { return func() error { f(); return nil } }
	var none *exosql.Table[kit.Item]
	for name, c := range map[string]struct {
		do   func() error
		says string
	}{
		"Grant of a zero table": {all(exosql.Grant(db, &exosql.Table[kit.Item]{}, owner)), "make one with NewTable"},
		"Grant of a nil table":  {all(exosql.Grant(db, none, owner)), "make one with NewTable"},
		"Grant of a nil DB":     {all(exosql.Grant(nil, kit.Items, owner)), "was not opened"},
		"scope of rows, nil":    {all(exosql.Grant(db, kit.Items, owner, exosql.ScopeRows(none, owner))), "nil or zero Table"},
		"scope of rows, zero":   {all(exosql.Grant(db, kit.Items, owner, exosql.ScopeRows(&exosql.Table[kit.Item]{}, owner))), "nil or zero Table"},
		"shared scope, nil":     {all(exosql.Grant(db, kit.Items, owner, exosql.ScopeShared(none))), "nil or zero Table"},
		"scope of a zero link":  {all(exosql.Grant(db, kit.Items, owner, exosql.ScopeVia(exosql.Link[kit.Item, kit.Item]{}))), "Link"},
		"Of a nil facet":        {describe((*exosql.Facet[kit.Item])(nil).Of(exosql.Grant(db, kit.Items, owner))), "make one with NewFacet"},
		"Of a zero facet":       {describe((&exosql.Facet[kit.Item]{}).Of(exosql.Grant(db, kit.Items, owner))), "make one with NewFacet"},
		"Of a zero relation":    {describe(facet().Of(exosql.Relation[kit.Item]{})), "this relation is zero"},
		"Add to a zero facet":   {declares(func() { (&exosql.Facet[kit.Item]{}).Add(kit.ItemID) }), "Add to a Facet that is nil or zero"},
		"a nil member":          {declares(func() { exosql.NewFacet(kit.Items, "r", nil) }), "facet r: a Member is nil"},
		"a column of nobody":    {declares(func() { facet().Add(&exosql.Column[kit.Item, int64]{}) }), "was not declared"},
		"facet of a nil table":  {declares(func() { exosql.NewFacet(none, "r") }), "make one with NewTable"},
		"Via to a nil facet": {declares(func() {
			facet().Add(exosql.Via(exosql.Many("more", kit.ItemID, kit.ItemOwner), (*exosql.Facet[kit.Item])(nil)))
		}), "link more got a Facet that is nil or zero"},
		"Via a zero link":          {declares(func() { facet().Add(exosql.Via(exosql.Link[kit.Item, kit.Item]{}, facet())) }), "a zero Link"},
		"a column without a field": {declares(func() { exosql.NewColumn[kit.Item, string](exosql.NewTable[kit.Item]("t"), "s", nil) }), "column t.s: the field function is nil"},
		"a column of a nil table":  {declares(func() { exosql.NewColumn(none, "s", func(i *kit.Item) *int64 { return &i.ID }) }), "make one with NewTable"},
		"keys of a zero column": {declares(func() {
			exosql.Many("more", kit.ItemID, kit.ItemOwner, exosql.Keys(&exosql.Column[kit.Item, int64]{}, kit.ItemID))
		}), `link "more"`},
		"Doc of a zero link": {declares(func() { exosql.Link[kit.Item, kit.Item]{}.Doc("x") }), "a zero Link"},
	} {
		said := func() (said string) {
			defer func() {
				if p := recover(); p != nil {
					said, _ = p.(string)
				}
			}()
			if err := c.do(); err != nil {
				return err.Error()
			}
			return "nothing"
		}()
		if !strings.Contains(said, c.says) || !strings.Contains(said, "exosql: ") && !strings.Contains(said, "this relation is zero") {
			t.Errorf("%s: it says %q, want %q", name, said, c.says)
		}
	}
}
