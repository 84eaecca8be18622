package exosql

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/exoagent/exoagent/exo"
)

// shapeWorld is two tables with two links, to make grants of.
type shapeWorld struct {
	t1, t2 *table
	c1, c2 *column
	l1, l2 *link
}

func newShapeWorld() *shapeWorld {
	type row struct{ A, B int64 }
	x, y := NewTable[row]("x"), NewTable[row]("y")
	xa, ya := NewKey(x, "a", func(r *row) *int64 { return &r.A }), NewKey(y, "a", func(r *row) *int64 { return &r.A })
	yb := NewColumn(y, "b", func(r *row) *int64 { return &r.B })
	return &shapeWorld{x.t, y.t, xa.c, yb.c, Many("one", xa, ya).l, Many("two", xa, yb).l}
}

// other are values of a type that differ from what subjects have there.
func (w *shapeWorld) other(t *testing.T, of reflect.Value) []any {
	t.Helper()
	switch of.Interface().(type) {
	case *table:
		return []any{w.t2}
	case *column:
		return []any{w.c2}
	case *link:
		return []any{w.l2, (*link)(nil)}
	case *pred:
		return []any{&pred{op: "isNull", col: w.c2}, (*pred)(nil)}
	case []*pred:
		return []any{[]*pred{{op: "all"}}, []*pred{{op: "all"}, {op: "all"}}, []*pred(nil)}
	case *relation:
		return []any{&relation{kind: stepGrant, table: w.t2, pred: &pred{op: "all"}}, (*relation)(nil)}
	case []exo.Value:
		return []any{[]exo.Value{exo.Text("a")}, []exo.Value{exo.Int(1), exo.Int(2)}, []exo.Value{exo.Int(9)}, []exo.Value(nil)}
	case []ordering:
		return []any{[]ordering{{w.c2, false}}, []ordering{{w.c1, true}}, []ordering{{w.c1, false}, {w.c2, false}}, []ordering(nil)}
	case []*column:
		return []any{[]*column{w.c2}, []*column{w.c1, w.c2}, []*column{w.c2, w.c1}}
	case []linkMember:
		f := &facet{alias: "g", table: w.t2, cols: []*column{w.c2}}
		return []any{[]linkMember{{w.l2, f}}, []linkMember(nil)}
	case []Scope:
		return []any{[]Scope{{&scope{kind: scopeShared, table: w.t2}}}}
	case []held:
		return []any{[]held{{exo.TypeInt, 3}}}
	case *DB:
		return []any{&DB{}}
	case *facet:
		return []any{&facet{alias: "h", table: w.t2, cols: []*column{w.c2}}}
	case []*facet:
		return []any{[]*facet{{}}}
	case sync.Mutex, sync.Once:
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
	aPred := func() *pred {
		return &pred{op: "eq", col: w.c1, vals: []exo.Value{exo.Int(1)}, subs: []*pred{{op: "isNull", col: w.c1}}}
	}
	aFacet := func() *facet {
		return &facet{alias: "f", table: w.t1, cols: []*column{w.c1}}
	}
	for name, c := range map[string]struct {
		make  func() any
		shape func(s *shaper, x any) any
		given []string // the fields that the compiler gets
	}{
		"pred":     {func() any { return aPred() }, func(s *shaper, x any) any { return s.pred(x.(*pred)) }, []string{"op", "col", "vals", "subs"}},
		"relation": {func() any { return &relation{kind: stepFollow, table: w.t1, pred: aPred(), link: w.l1, n: 5} }, func(s *shaper, x any) any { return s.relation(x.(*relation)) }, []string{"table", "prev", "kind", "pred", "link", "order"}},
		"limit":    {func() any { return &relation{kind: stepLimit, table: w.t1, n: 5} }, func(s *shaper, x any) any { return s.relation(x.(*relation)) }, []string{"table", "prev", "kind", "pred", "link", "order"}},
		"ordering": {func() any { return &ordering{w.c1, false} }, func(s *shaper, x any) any {
			return s.relation(&relation{kind: stepOrder, table: w.t1, order: []ordering{*x.(*ordering)}})
		}, []string{"col", "desc"}},
		"scope": {func() any { return &scope{kind: scopeVia, table: w.t1, pred: aPred(), link: w.l1} }, func(s *shaper, x any) any { return s.scopes(scopes{w.t1: x.(*scope)}) }, []string{"kind", "table", "pred", "link"}},
		"facet": {func() any { return aFacet() }, func(s *shaper, x any) any {
			f := x.(*facet)
			reach := []*facet{f}
			for _, m := range f.links {
				reach = append(reach, m.to)
			}
			return s.facets(reach)
		}, []string{"table", "alias", "cols", "links"}},
		"linkMember": {func() any { return &linkMember{w.l1, aFacet()} }, func(s *shaper, x any) any {
			f, m := aFacet(), x.(*linkMember)
			f.links = []linkMember{*m}
			return s.facets([]*facet{f, m.to})
		}, []string{"l", "to"}},
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
	p := &pred{op: "in", col: w.c1, vals: []exo.Value{exo.Int(7_777_777_777), exo.Text("canary")}}
	var s shaper
	q := s.relation(&relation{kind: stepLimit, table: w.t1, n: 8_888_888_888, prev: &relation{kind: stepGrant, table: w.t1, pred: p}})
	if q.n != 0 || q.prev.pred.vals != nil || len(q.prev.pred.args) != 2 || bytes.Contains(s.key, []byte("canary")) {
		t.Errorf("%+v %+v %q", q, q.prev.pred, s.key)
	}
	args := q.prev.pred.args
	if len(s.vals) != 3 || s.vals[q.slot].Int() != 8_888_888_888 || s.vals[args[0].slot].Int() != 7_777_777_777 || s.vals[args[1].slot].Text() != "canary" {
		t.Errorf("the arguments are %v, in places %d and %v", s.vals, q.slot, args)
	}
}
