package shape

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/scope"
)

// shapeWorld is two tables with two links, to make grants of.
type shapeWorld struct {
	t1, t2 *decl.Table
	c1, c2 *decl.Column
	l1, l2 *decl.Link
}

func newShapeWorld() *shapeWorld {
	col := func(t *decl.Table, name string, key bool) *decl.Column {
		c := &decl.Column{Table: t, Name: name, Kind: value.TypeInt, Key: key}
		t.Add(c)
		return c
	}
	x, y := &decl.Table{ID: 1, Name: "x"}, &decl.Table{ID: 2, Name: "y"}
	xa, ya, yb := col(x, "a", true), col(y, "a", true), col(y, "b", false)
	one := &decl.Link{ID: 3, Name: "one", From: x, To: y, Pairs: []decl.Pair{{From: xa, To: ya}}}
	two := &decl.Link{ID: 4, Name: "two", From: x, To: y, Pairs: []decl.Pair{{From: xa, To: yb}}}
	return &shapeWorld{x, y, xa, yb, one, two}
}

// other are values of a type that differ from what subjects have there.
func (w *shapeWorld) other(t *testing.T, of reflect.Value) []any {
	t.Helper()
	switch of.Interface().(type) {
	case *decl.Table:
		return []any{w.t2}
	case *decl.Column:
		return []any{w.c2}
	case *decl.Link:
		return []any{w.l2, (*decl.Link)(nil)}
	case *decl.Pred:
		return []any{&decl.Pred{Op: "isNull", Col: w.c2}, (*decl.Pred)(nil)}
	case []*decl.Pred:
		return []any{[]*decl.Pred{{Op: "all"}}, []*decl.Pred{{Op: "all"}, {Op: "all"}}, []*decl.Pred(nil)}
	case *decl.Relation:
		return []any{&decl.Relation{Kind: decl.StepGrant, Table: w.t2, Pred: &decl.Pred{Op: "all"}}, (*decl.Relation)(nil)}
	case []value.Value:
		return []any{[]value.Value{value.Text("a")}, []value.Value{value.Int(1), value.Int(2)}, []value.Value{value.Int(9)}, []value.Value(nil)}
	case []decl.Ordering:
		return []any{[]decl.Ordering{{Col: w.c2, Desc: false}}, []decl.Ordering{{Col: w.c1, Desc: true}}, []decl.Ordering{{Col: w.c1, Desc: false}, {Col: w.c2, Desc: false}}, []decl.Ordering(nil)}
	case []*decl.Column:
		return []any{[]*decl.Column{w.c2}, []*decl.Column{w.c1, w.c2}, []*decl.Column{w.c2, w.c1}}
	case decl.Rights:
		all := []decl.Rights{{Insert: []*decl.Column{w.c1}}, {Update: []*decl.Column{w.c1}}, {Insert: []*decl.Column{w.c2}}, {Delete: true}, {Undo: decl.UndoAny}, {Wary: true}, {Admits: value.NewLabel("a")}, {Admits: value.NewLabel("b")},
			{Permits: []decl.Permission{{Kind: decl.PermitTrigger, On: "a"}}}, {Permits: []decl.Permission{{Kind: decl.PermitRule, On: "a"}}}, {Permits: []decl.Permission{{Kind: decl.PermitCascade, On: "a", Of: "b"}}},
			{Approvals: []decl.Approval{{Always: true}}}, {Approvals: []decl.Approval{{Counted: true, Over: 1}}}, {Approvals: []decl.Approval{{Counted: true, Over: 2}}}, {Approvals: []decl.Approval{{Delete: true}}}, {Approvals: []decl.Approval{{Columns: []*decl.Column{w.c1}}}},
			{Approvals: []decl.Approval{{Always: true, Who: changeset.Who{By: changeset.Other}}}}, {Approvals: []decl.Approval{{Always: true, Who: changeset.Who{Least: changeset.Page}}}}}
		var out []any
		for i := range of.NumField() {
			if !slices.ContainsFunc(all, func(r decl.Rights) bool { return !reflect.ValueOf(r).Field(i).IsZero() }) {
				t.Fatalf("no other value of decl.Rights.%s: add one", of.Type().Field(i).Name)
			}
		}
		for _, r := range all {
			out = append(out, r)
		}
		return out
	case []decl.LinkMember:
		f := &decl.Facet{Alias: "g", Table: w.t2, Cols: []*decl.Column{w.c2}}
		return []any{[]decl.LinkMember{{L: w.l2, To: f}}, []decl.LinkMember(nil)}
	case *decl.Search:
		return []any{&decl.Search{Table: w.t2, Cols: []*decl.Column{w.c2}}, &decl.Search{Table: w.t2, Cols: []*decl.Column{w.c2, w.c1}}, (*decl.Search)(nil)}
	case *decl.Measure:
		return []any{&decl.Measure{Func: "count"}, (*decl.Measure)(nil)}
	case []*decl.Measure:
		return []any{[]*decl.Measure{{Name: "m", Func: "count"}}, []*decl.Measure{{Name: "m", Func: "sum", Col: w.c2}}}
	case []*decl.Scope:
		return []any{[]*decl.Scope{{Kind: decl.ScopeShared, Table: w.t2}}}
	case *decl.ScopeSet: // Prepare writes its scopes out
		return []any{new(decl.ScopeSet)}
	case []decl.Held:
		return []any{[]decl.Held{{Kind: value.TypeInt, Slot: 3}}}
	case *decl.Facet:
		return []any{&decl.Facet{Alias: "h", Table: w.t2, Cols: []*decl.Column{w.c2}}}
	case []*decl.Facet:
		return []any{[]*decl.Facet{{}}}
	case sync.Mutex, sync.Once, map[string]any, map[string][]*message.Interface:
		return nil
	}
	if name := of.Type().String(); name == "decl.made" || strings.HasPrefix(name, "atomic.Pointer[") { // what is made of a facet
		return nil
	}
	switch of.Kind() {
	case reflect.Bool:
		return []any{!of.Bool()}
	case reflect.String:
		return []any{of.String() + "x"}
	case reflect.Int, reflect.Int64:
		return []any{reflect.ValueOf(of.Int() + 1).Convert(of.Type()).Interface()}
	case reflect.Uint8:
		return []any{reflect.ValueOf(of.Uint() + 1).Convert(of.Type()).Interface()}
	case reflect.Interface:
		return []any{errors.New("x")}
	}
	t.Fatalf("no other value of type %v: add one, and see that a plan's key has it if the compiler gets it", of.Type())
	return nil
}

// TestShapeKey changes each field of everything that the compiler gets a copy of: where
// the copy differs, so does the key, and where the copy is the same, plans are shared.
func TestShapeKey(t *testing.T) {
	w := newShapeWorld()
	aPred := func() *decl.Pred {
		return &decl.Pred{Op: "eq", Col: w.c1, Vals: []value.Value{value.Int(1)}, Subs: []*decl.Pred{{Op: "isNull", Col: w.c1}}}
	}
	aFacet := func() *decl.Facet {
		return &decl.Facet{Alias: "f", Table: w.t1, Cols: []*decl.Column{w.c1}}
	}
	for name, c := range map[string]struct {
		make  func() any
		shape func(s *shaper, x any) any
		given []string // the fields that the compiler gets
	}{
		"pred":     {func() any { return aPred() }, func(s *shaper, x any) any { return s.pred(x.(*decl.Pred)) }, []string{"Op", "Col", "Vals", "Subs"}},
		"relation": {func() any { return &decl.Relation{Kind: decl.StepFollow, Table: w.t1, Pred: aPred(), Link: w.l1, N: 5} }, func(s *shaper, x any) any { return s.relation(x.(*decl.Relation)) }, []string{"Table", "Prev", "Kind", "Pred", "Link", "Order", "Search"}},
		"limit":    {func() any { return &decl.Relation{Kind: decl.StepLimit, Table: w.t1, N: 5} }, func(s *shaper, x any) any { return s.relation(x.(*decl.Relation)) }, []string{"Table", "Prev", "Kind", "Pred", "Link", "Order", "Search"}},
		"search":   {func() any { return &decl.Search{Table: w.t1, Cols: []*decl.Column{w.c1}} }, func(s *shaper, x any) any { return s.search(x.(*decl.Search)) }, []string{"Table", "Cols"}},
		"ordering": {func() any { return &decl.Ordering{Col: w.c1, Desc: false} }, func(s *shaper, x any) any {
			return s.relation(&decl.Relation{Kind: decl.StepOrder, Table: w.t1, Order: []decl.Ordering{*x.(*decl.Ordering)}})
		}, []string{"Col", "Desc"}},
		"scope": {func() any { return &decl.Scope{Kind: decl.ScopeVia, Table: w.t1, Pred: aPred(), Link: w.l1} }, func(s *shaper, x any) any { return s.scopes(scope.Scopes{w.t1: x.(*decl.Scope)}) }, []string{"Kind", "Table", "Pred", "Link"}},
		"facet": {func() any { return aFacet() }, func(s *shaper, x any) any {
			f := x.(*decl.Facet)
			reach := []*decl.Facet{f}
			for _, m := range f.Links {
				reach = append(reach, m.To)
			}
			return s.facets(reach)[0]
		}, []string{"Table", "Alias", "Cols", "Links", "Rights", "Search", "Measures"}},
		"measure": {func() any {
			return &decl.Measure{Name: "n", Func: "sum", Col: w.c1, Where: aPred(), Num: &decl.Measure{Func: "sum", Col: w.c1}, Den: &decl.Measure{Func: "sum", Col: w.c1}}
		}, func(s *shaper, x any) any { return s.measure(x.(*decl.Measure)) }, []string{"Name", "Func", "Col", "Where", "Num", "Den"}},
		"linkMember": {func() any { return &decl.LinkMember{L: w.l1, To: aFacet()} }, func(s *shaper, x any) any {
			f, m := aFacet(), x.(*decl.LinkMember)
			f.Links = []decl.LinkMember{*m}
			return s.facets([]*decl.Facet{f, m.To})[0]
		}, []string{"L", "To"}},
	} {
		t.Run(name, func(t *testing.T) {
			var was shaper
			base := c.shape(&was, c.make())
			var given []string
			fields := reflect.TypeOf(c.make()).Elem()
			for i := range fields.NumField() {
				read := func(x any) reflect.Value {
					f := reflect.ValueOf(x).Elem().Field(i)
					return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
				}
				changed := false
				for _, v := range w.other(t, read(c.make())) {
					x := c.make()
					read(x).Set(reflect.ValueOf(v))
					var is shaper
					same := reflect.DeepEqual(base, c.shape(&is, x))
					changed = changed || !same
					if same != bytes.Equal(was.key, is.key) {
						t.Errorf("%s.%s = %v: the compiler gets the same: %t, the key is the same: %t", name, fields.Field(i).Name, v, same, !same)
					}
				}
				if changed {
					given = append(given, fields.Field(i).Name)
				}
			}
			slices.Sort(given)
			slices.Sort(c.given)
			if !slices.Equal(given, c.given) {
				t.Errorf("of %s the compiler gets %v, want %v", name, given, c.given)
			}
		})
	}
}

// TestShapeHasNoValue: what the compiler gets of a grant holds none of its values.
func TestShapeHasNoValue(t *testing.T) {
	w := newShapeWorld()
	p := &decl.Pred{Op: "in", Col: w.c1, Vals: []value.Value{value.Int(7_777_777_777), value.Text("canary")}}
	var s shaper
	q := s.relation(&decl.Relation{Kind: decl.StepLimit, Table: w.t1, N: 8_888_888_888, Prev: &decl.Relation{Kind: decl.StepGrant, Table: w.t1, Pred: p}})
	if q.N != 0 || q.Prev.Pred.Vals != nil || len(q.Prev.Pred.Args) != 2 || bytes.Contains(s.key, []byte("canary")) {
		t.Errorf("%+v %+v %q", q, q.Prev.Pred, s.key)
	}
	args := q.Prev.Pred.Args
	if len(s.vals) != 3 || s.vals[q.Slot].Int() != 8_888_888_888 || s.vals[args[0].Slot].Int() != 7_777_777_777 || s.vals[args[1].Slot].Text() != "canary" {
		t.Errorf("the arguments are %v, in places %d and %v", s.vals, q.Slot, args)
	}
}

// TestShapesAreForgotten: what is kept of shapes has a bound, and no two shapes ever have one number.
func TestShapesAreForgotten(t *testing.T) {
	seen := map[uint64]bool{}
	for i := range maxShapes + 10 {
		s := fmt.Sprintf("forgotten %d", i)
		id := shapeID(s)
		if seen[id] || shapeID(s) != id {
			t.Fatalf("shape %d has number %d, as another one or for once", i, id)
		}
		seen[id] = true
	}
	if len(shapeIDs) > maxShapes {
		t.Errorf("%d shapes are kept", len(shapeIDs))
	}
}
