package shape

import (
	"errors"
	"reflect"
	"testing"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// A grant of a structure that was prepared before has its own values, in the places in
// which it has them: two places that had one value in memory have two in another grant.
func TestPreparedValues(t *testing.T) {
	w := newShapeWorld()
	w.t1.Keys, w.t2.Keys = []*decl.Column{w.c1}, []*decl.Column{w.c2}
	eq := func(c *decl.Column, n int64) *decl.Pred {
		return &decl.Pred{Op: "eq", Col: c, Vals: []value.Value{value.Int(n)}}
	}
	and := func(a, b *decl.Pred) *decl.Pred { return &decl.Pred{Op: "and", Subs: []*decl.Pred{a, b}} }
	facet := func() *decl.Facet {
		to, err := decl.NewFacet(w.t2, "to")
		if err != nil {
			t.Fatal(err)
		}
		f, err := decl.NewFacet(w.t1, "own")
		if err != nil {
			t.Fatal(err)
		}
		w.c1.Guest, w.c2.Guest = "a", "b"
		if err := errors.Join(f.AddColumn(w.c1), f.AddLink(w.l1, to), to.AddColumn(w.c2),
			f.AddMeasure(&decl.Measure{Name: "own", Func: "count", Where: eq(w.c1, 70)}), to.AddMeasure(&decl.Measure{Name: "own", Func: "count", Where: and(eq(w.c2, 80), eq(w.c2, 81))})); err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := facet()
	grant := func(p, q *decl.Pred, limit int64) *decl.Relation {
		g := &decl.Relation{Kind: decl.StepGrant, Table: w.t1, Pred: p, Scopes: []*decl.Scope{{Kind: decl.ScopeRows, Table: w.t2, Pred: q}}}
		return &decl.Relation{Kind: decl.StepLimit, Table: w.t1, Prev: g, N: limit}
	}
	one, far := eq(w.c1, 7), eq(w.c2, 8)
	for _, r := range []*decl.Relation{
		grant(and(one, one), and(far, far), 3), // one place in memory is two of the grant
		grant(and(eq(w.c1, 1), eq(w.c1, 2)), and(eq(w.c2, 3), eq(w.c2, 4)), 5),
		grant(and(eq(w.c1, 6), one), and(far, eq(w.c2, 9)), 10),
	} {
		got, err := Prepare(f, r)
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := prepare(facet(), r)
		if err != nil {
			t.Fatal(err)
		}
		if got.Shape != want.Shape || !reflect.DeepEqual(got.Vals, want.Vals) {
			t.Errorf("prepared with %v, and alone with %v", got.Vals, want.Vals)
		}
		m := got.grant.Facet.Measures[0] // whose values are among them, where its copy says
		far := got.grant.Facet.Links[0].To.Measures[0]
		if at := m.Where.Args[0].Slot; got.Vals[at].Int() != 70 || m.Where.Vals != nil {
			t.Errorf("the measure has %v", got.Vals[at])
		}
		if at := far.Where.Subs[1].Args[0].Slot; got.Vals[at].Int() != 81 {
			t.Errorf("the measure of the linked rows has %v", got.Vals[at])
		}
	}
	if n := len(reflect.ValueOf(f).Elem().FieldByName("prepared").MapKeys()); n != 1 {
		t.Errorf("%d structures", n)
	}
	// An error of a value is no part of the structure.
	bad := eq(w.c2, 1)
	bad.Err = errors.New("no value")
	if _, err := Prepare(f, grant(and(one, one), eq(w.c2, 1), 3)); err != nil {
		t.Error(err)
	}
	if _, err := Prepare(f, grant(and(one, one), bad, 3)); !errors.Is(err, bad.Err) {
		t.Errorf("a scope that is an error: %v", err)
	}
	if _, err := Prepare(f, &decl.Relation{Kind: decl.StepGrant, Table: w.t1, Pred: one, Scopes: []*decl.Scope{nil}}); err == nil {
		t.Error("a zero Scope was taken")
	}
	// Other structures are other grants, and no more of them are kept than a host needs.
	a, _ := Prepare(f, grant(one, far, 3))
	b, _ := Prepare(f, grant(one, and(far, far), 3))
	if a.Shape == b.Shape {
		t.Error("two structures have one shape")
	}
	p := one
	for range 50 {
		p = and(p, one)
		if _, err := Prepare(f, grant(p, far, 3)); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(reflect.ValueOf(f).Elem().FieldByName("prepared").MapKeys()); n > 16 {
		t.Errorf("%d structures are kept", n)
	}
}

// TestPreparedOrder: an order by a labelled column is refused, at any step of a relation: programs would see it
// and carry no label.
func TestPreparedOrder(t *testing.T) {
	w := newShapeWorld()
	w.t1.Keys = []*decl.Column{w.c1}
	secret := &decl.Column{Table: w.t1, Name: "secret", Kind: value.TypeInt, Label: value.NewLabel("pii")}
	w.t1.Add(secret)
	for _, col := range []*decl.Column{w.c1, secret} {
		f, err := decl.NewFacet(w.t1, "own")
		if err != nil {
			t.Fatal(err)
		}
		w.c1.Guest = "a"
		if err := f.AddColumn(w.c1); err != nil {
			t.Fatal(err)
		}
		r := &decl.Relation{Kind: decl.StepGrant, Table: w.t1, Pred: &decl.Pred{Op: "all"}}
		r = &decl.Relation{Kind: decl.StepOrder, Table: w.t1, Prev: r, Order: []decl.Ordering{{Col: col}}}
		r = &decl.Relation{Kind: decl.StepLimit, Table: w.t1, Prev: r, N: 3}
		if _, err := Prepare(f, r); (err != nil) != (col == secret) {
			t.Errorf("sorted by %s: %v", col.Name, err)
		}
	}
}
