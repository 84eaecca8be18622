package exo

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"pgregory.net/rapid"
)

// drawType draws the type of an argument.
func drawType(t *rapid.T, depth int) *message.Type {
	names := []string{value.TypeInt, value.TypeNumber, value.TypeText, value.TypeText, value.TypeData, value.TypeBool, value.TypeDecimal, value.TypeFloat, value.TypeTime, value.TypeList, value.TypeRecord}
	if depth > 1 {
		names = names[:9]
	}
	x := &message.Type{Name: rapid.SampledFrom(names).Draw(t, "type"), Null: rapid.Bool().Draw(t, "null")}
	switch x.Name {
	case value.TypeText:
		if rapid.Bool().Draw(t, "enum") {
			x.Enum = []string{"a", "b", "2024-01-31"}
		}
	case value.TypeList:
		x.Args = map[string]*message.Type{"of": drawType(t, depth+1)}
	case value.TypeRecord:
		for _, n := range []string{"x", "y", "z"}[:rapid.IntRange(1, 3).Draw(t, "fields")] {
			x.Fields = append(x.Fields, message.TypeField{Name: n, Type: drawType(t, depth+1), Opt: rapid.Bool().Draw(t, "opt")})
		}
	}
	return x
}

func drawParam(t *rapid.T, opt bool) message.Param {
	p := message.Param{Name: "p", Want: &message.Term{Con: drawType(t, 0)}, Opt: opt, Null: rapid.Bool().Draw(t, "or null")}
	switch name := p.Want.Con.Name; {
	case name == value.TypeInt:
		p.Count = rapid.Bool().Draw(t, "count")
	case name == value.TypeText && rapid.Bool().Draw(t, "static"):
		p.Static, p.Null, p.Want.Con.Null = true, false, false
	case name == value.TypeNumber:
		p.Bind = "n"
	}
	if rapid.IntRange(0, 5).Draw(t, "callback") == 0 {
		p = message.Param{Name: "p", Want: &message.Term{Con: &message.Type{Name: "Cond"}}, Lambda: con("A"), Plain: rapid.Bool().Draw(t, "plain"), Opt: opt}
	}
	return p
}

// drawDescription draws an object of interfaces that lead to each other.
func drawDescription(t *rapid.T) message.Description {
	all := []string{"A", "B"}
	d := message.Description{Type: &message.Type{Name: "A"}, Interfaces: []*message.Interface{iface("Kind", nil, false), iface("Cond", nil, true)}}
	for _, name := range all {
		i := iface(name, nil, false)
		if rapid.Bool().Draw(t, "kind") {
			i.Is = []string{"Kind"}
		}
		i.Fields["f"] = &message.Property{Type: &message.Type{Name: "Cond"}, Label: drawLabel(t, "label")}
		for _, n := range []string{"m1", "m2", "m3"}[:rapid.IntRange(1, 3).Draw(t, "methods")] {
			m := &message.Method{Name: n, Label: drawLabel(t, "label"), Row: rapid.Bool().Draw(t, "row")}
			if m.Sends = rapid.Bool().Draw(t, "sends"); m.Sends {
				m.Result, m.Admits, m.Reply = con(value.TypeInt), drawLabel(t, "label"), drawLabel(t, "label")
				m.Sink, m.Effect = rapid.Bool().Draw(t, "sink"), rapid.SampledFrom([]message.EffectMode{message.NoEffect, message.NoEffect, message.Immediate}).Draw(t, "effect")
			} else {
				m.Result = rapid.SampledFrom([]*message.Term{con("A"), con("B"), v("self")}).Draw(t, "result")
			}
			opt := false
			for range rapid.IntRange(0, 2).Draw(t, "params") {
				opt = opt || rapid.Bool().Draw(t, "opt")
				m.Params = append(m.Params, drawParam(t, opt))
			}
			i.Methods[n] = m
			if rapid.IntRange(0, 3).Draw(t, "alias") == 0 {
				i.Methods[n+"b"] = m
			}
		}
		d.Interfaces = append(d.Interfaces, i)
	}
	return d.Clone()
}

// sites are the places in v that can change: each flag, text, label, list and map in it.
func sites(v reflect.Value, set func(reflect.Value)) (all []site) {
	if v.Type() == reflect.TypeFor[value.Label]() {
		return []site{{v, set}}
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return sites(v.Elem(), v.Elem().Set)
		}
		return []site{{v, set}}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Name != "Doc" && f.Name != "Order" {
				all = append(all, sites(v.Field(i), v.Field(i).Set)...)
			}
		}
		return all
	case reflect.Slice:
		for i := range v.Len() {
			all = append(all, sites(v.Index(i), v.Index(i).Set)...)
		}
	case reflect.Map:
		for _, k := range sortedKeys(v) {
			all = append(all, sites(v.MapIndex(k), func(x reflect.Value) { v.SetMapIndex(k, x) })...)
		}
	}
	return append(all, site{v, set})
}

type site struct {
	v   reflect.Value
	set func(reflect.Value)
}

func sortedKeys(v reflect.Value) []reflect.Value {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	return keys
}

// scramble changes one thing somewhere in v, whatever it is: it deletes, adds, swaps,
// loosens and tightens without knowing which.
func scramble(t *rapid.T, v reflect.Value) {
	all := sites(v, nil)
	if len(all) == 0 {
		return
	}
	// A type first: of some there are few sites, and those matter.
	types := map[string][]site{}
	for _, x := range all {
		name := x.v.Type().String()
		types[name] = append(types[name], x)
	}
	for _, n := range []string{"bool", "bool ", "value.Label", "value.Label ", "[]string", "[]string "} { // more often
		if of := types[strings.TrimSpace(n)]; of != nil {
			types[n+" "] = of
		}
	}
	x := rapid.SampledFrom(types[rapid.SampledFrom(slices.Sorted(maps.Keys(types))).Draw(t, "type")]).Draw(t, "site")
	switch v := x.v; v.Kind() {
	case reflect.Struct:
		l := drawLabel(t, "label")
		if old, ok := v.Interface().(value.Label); ok && rapid.Bool().Draw(t, "join") {
			l = l.Join(old)
		}
		x.set(reflect.ValueOf(l))
	case reflect.Pointer:
		x.set(reflect.New(v.Type().Elem()))
	case reflect.Bool:
		x.set(reflect.ValueOf(!v.Bool()))
	case reflect.Uint8:
		x.set(reflect.ValueOf(message.EffectMode(rapid.IntRange(0, 4).Draw(t, "mode"))))
	case reflect.String:
		x.set(reflect.ValueOf(rapid.SampledFrom([]string{"", "a", "A", "B", "Cond", "m1", "m2", "n", "p", "x", "1.50", value.TypeInt, value.TypeText, value.TypeData, value.TypeNumber, value.TypeDecimal, value.TypeFloat}).Draw(t, "text")))
	case reflect.Slice:
		n := v.Len()
		if n == 0 {
			x.set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
			return
		}
		i := rapid.IntRange(0, n-1).Draw(t, "at")
		switch rapid.IntRange(0, 2).Draw(t, "slice") {
		case 0:
			x.set(v.Slice(0, i))
		case 1:
			x.set(reflect.AppendSlice(v.Slice3(0, i, i), v.Slice(i+1, n)))
		case 2:
			if more := v.Index(i); more.Kind() == reflect.String {
				x.set(reflect.Append(v, reflect.ValueOf("1.50")))
			} else {
				x.set(reflect.Append(v, more))
			}
		}
	case reflect.Map:
		if keys := sortedKeys(v); len(keys) > 0 {
			k := rapid.SampledFrom(keys).Draw(t, "key")
			if rapid.Bool().Draw(t, "delete") {
				v.SetMapIndex(k, reflect.Value{})
			} else {
				v.SetMapIndex(reflect.ValueOf(rapid.SampledFrom([]string{"new", "m1", "m3", "f"}).Draw(t, "name")), v.MapIndex(k))
			}
		}
	}
}

var rawValues = []value.Value{value.Null(), value.Bool(true), value.Int(0), value.Int(-1), value.Int(7), value.Float(1), value.Float(1.5), value.Text("a"), value.Text("b"), value.Text("1.50"), value.Text("2024-01-31"), value.Text("9007199254740993"),
	value.Time(time.UnixMilli(1706659200000)), value.RecordValue(), value.RecordValue(value.Field{Name: "y", Value: value.Int(1)}), value.List(), value.List(value.Int(1), value.Float(2)), value.List(value.Text("a"), value.Null()), value.RecordValue(value.Field{Name: "x", Value: value.Int(1)}), value.RecordValue(value.Field{Name: "x", Value: value.Float(1)}, value.Field{Name: "y", Value: value.Text("a")}),
	value.RecordValue(value.Field{Name: "z", Value: value.Null()}, value.Field{Name: "x", Value: value.Text("1.50")})}

// drawMessage draws a message that the catalogue admits, as a hostile guest would write it:
// with values as they are before anything converts them. ok is false where it found none.
func drawMessage(t *rapid.T, c *message.Checker) (x message.Expr, ok bool) {
	at, err := c.MakeRef(0)
	if err != nil {
		return x, false
	}
	x.Nodes = []message.WireNode{ref(0)}
	add := func(w message.WireNode) int32 {
		x.Nodes = append(x.Nodes, w)
		return int32(len(x.Nodes) - 1)
	}
	last := int32(0)
	for range 4 {
		i := c.Catalog[at.Type.Name]
		if i == nil || len(i.Methods) == 0 {
			return x, false
		}
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(i.Methods))).Draw(t, "method")
		m := i.Methods[name]
		var args []*message.Node
		var wired []int32
		for k := range m.Params {
			if m.Params[k].Opt && rapid.Bool().Draw(t, "left out") {
				break
			}
			if m.Params[k].Lambda != nil {
				p, err := c.MakeParam(at, name, k, args)
				if err != nil {
					return x, false
				}
				body, err := c.MakeField(p, "f")
				if err != nil {
					return x, false
				}
				l, err := c.MakeLambda(p, body)
				if err != nil {
					return x, false
				}
				pw := add(message.WireNode{Op: message.OpParam, Name: name, Recv: last, Arg: k, Args: slices.Clone(wired)})
				wired = append(wired, add(lam(pw, add(fld(pw, "f")))))
				args = append(args, l)
				continue
			}
			fit := slices.DeleteFunc(slices.Clone(rawValues), func(v value.Value) bool {
				return !m.Params[k].Want.Con.Fits(v) && !(v.IsNull() && m.Params[k].Null)
			})
			if len(fit) == 0 {
				return x, false
			}
			raw := rapid.SampledFrom(fit).Draw(t, "value")
			n, err := c.MakeLit(raw)
			if err != nil {
				return x, false
			}
			args, wired = append(args, n), append(wired, add(lit(raw)))
		}
		n, err := c.MakeCall(at, name, args)
		if err != nil {
			return x, false
		}
		at, last = n, add(call(last, name, wired...))
		if m.Sends {
			return x, true
		}
	}
	return x, false
}

// TestOnlyNarrower: whatever a policy's Narrow does to a description, either granting the
// object fails, or what the gate admits with the wrapped object is admitted with the object
// itself, as the same message: with all labels, by a sink that admits at least as much, and
// with an effect if it had one. Wrapped again it narrows further.
func TestOnlyNarrower(t *testing.T) {
	made, narrowed, messages := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		inner := &fake{desc: drawDescription(t)}
		if (message.Catalog{}).Merge(inner.desc) != nil {
			t.Skip("a description that can't be granted")
		}
		var o Object = inner
		chain := []Object{o}
		for range 6 {
			made++
			w := Wrap(o, Policy{Narrow: func(d *message.Description) error {
				for range rapid.IntRange(1, 2).Draw(t, "changes") {
					at := reflect.ValueOf(d).Elem()
					if a := d.Interface("A"); a != nil && len(a.Methods) > 0 { // more often where messages begin
						name := rapid.SampledFrom(slices.Sorted(maps.Keys(a.Methods))).Draw(t, "of")
						at = []reflect.Value{at, reflect.ValueOf(a), reflect.ValueOf(a.Methods[name]), reflect.ValueOf(a.Methods[name])}[rapid.IntRange(0, 3).Draw(t, "where")]
					}
					scramble(t, at)
				}
				return nil
			}})
			d, err := w.Describe()
			if err != nil || (message.Catalog{}).Merge(d) != nil {
				continue // refused, which is always right
			}
			if before, _ := o.Describe(); !reflect.DeepEqual(before, d) {
				narrowed++
			}
			o = w
			chain = append(chain, o)
		}
		check := func(o Object) *message.Checker {
			d, err := o.Describe()
			if err != nil {
				t.Fatal(err)
			}
			c := &message.Checker{Catalog: message.Catalog{}, Bounds: Limits{}.OrDefault().Message(), Ref: func(id uint32) *message.Type {
				if id > 0 {
					return nil
				}
				return d.Type
			}}
			if err := c.Catalog.Merge(d); err != nil {
				t.Fatal(err)
			}
			return c
		}
		for range 10 {
			x, ok := drawMessage(t, check(o))
			if !ok {
				continue
			}
			messages++
			less, err := check(o).Check(x)
			if err != nil {
				t.Fatalf("the checker that made the message refuses it: %v", err)
			}
			for i := len(chain) - 2; i >= 0; i-- { // what it wraps, and what that wraps
				more, err := check(chain[i]).Check(x)
				if err != nil {
					t.Fatalf("wrapped it is admitted, and bare it is not: %v\n%+v", err, x)
				}
				// What the object gets is a message of its own, which it would convert no further.
				if same, err := check(chain[i]).Check(less.Root.Expr()); err != nil || less.Shape != same.Shape || !slices.EqualFunc(less.Args, same.Args, value.Equal) {
					t.Fatalf("wrapped it is a message that the object does not know: %q %v, %v", less.Shape, less.Args, err)
				}
				a, b := less.Root.Method(), more.Root.Method()
				switch {
				case !more.Label.FlowsTo(less.Label) || !b.Reply.FlowsTo(a.Reply):
					t.Fatalf("wrapped it has the labels %v and %v, bare %v and %v", less.Label, a.Reply, more.Label, b.Reply)
				case b.Sink && !a.Sink, b.Effect != message.NoEffect && a.Effect != b.Effect:
					t.Fatalf("wrapped it is sink %t, effect %v; bare %t, %v", a.Sink, a.Effect, b.Sink, b.Effect)
				case !a.Declassifies.FlowsTo(b.Declassifies):
					t.Fatalf("wrapped it declassifies %v, bare %v", a.Declassifies, b.Declassifies)
				case (b.Sink || b.Effect != message.NoEffect) && !a.Admits.FlowsTo(b.Admits):
					t.Fatalf("wrapped it admits %v, bare %v", a.Admits, b.Admits)
				case less.Root.Type.Name != more.Root.Type.Name:
					t.Fatalf("wrapped it gives %v, bare %v", less.Root.Type, more.Root.Type)
				}
				less = more
			}
		}
	})
	t.Logf("%d policies, of which %d narrowed; %d messages", made, narrowed, messages)
	if narrowed < 5 || messages < 100 {
		t.Errorf("%d policies, of which %d narrowed, and %d messages: that shows little", made, narrowed, messages)
	}
}
