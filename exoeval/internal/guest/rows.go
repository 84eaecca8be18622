package guest

// This file turns rows into objects at the program's first read.

import (
	"strconv"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
)

// rows is an array of rows as the program sees it. It behaves like an array of objects, and becomes one when the program iterates over it.
// Until then, only the rows that the program reads become objects. The others go to the result in the host's form.
//
// The program has a proxy. Its target is a true array, which at first has the right length and no items: the traps answer for the items. Any
// use beyond reading items fills the target and removes the traps. After that the proxy passes everything on to the target.
type rows struct {
	r      *Guest
	value  value.Value
	n      int            // the number of rows in value
	text   int            // bytes of text in the rows, while held is true
	held   bool           // the cells are still in the host
	made   []*goja.Object // the object of each row that the program read; nil before the first
	count  int            // the number of objects in made
	whole  bool           // the target has all rows
	reader *value.RowReader
	target *goja.Object
	traps  goja.ProxyTrapConfig
	fixed  map[string]bool // the fields of a row that can't be assigned: see fixedBy
	types  []*message.Type // the types of the cells of a row, in the order of its shape: see cellTypes
}

func (r *Guest) newRows(v value.Value, of *message.Type) goja.Value {
	x := &rows{r: r, value: v, n: v.Len(), target: r.VM.NewArray(), types: r.cellTypes(v.Rows().Shape, of, nil)}
	if h, ok := r.Port.(holder); ok {
		if n, text, ok := h.Held(v.Rows()); ok {
			x.n, x.text, x.held = n, text, true
		}
	}
	if err := x.target.Set("length", x.n); err != nil {
		panic(err)
	}
	if x.n > 0 {
		x.trap()
	} else {
		x.whole = true
	}
	proxy := r.VM.ToValue(r.VM.NewProxy(x.target, &x.traps)).(*goja.Object)
	// Some authors read { results } from the result of execute.
	realm.Hide(x.target, "results", proxy)
	if r.rows == nil {
		r.rows = map[*goja.Object]*rows{}
	}
	r.rows[proxy] = x
	return proxy
}

// RowsIn returns the array of rows that v is, or nil.
func (r *Guest) RowsIn(v goja.Value) *rows {
	if len(r.rows) == 0 {
		return nil
	}
	o, _ := v.(*goja.Object)
	return r.rows[o]
}

// PlainValue returns the plain array for an array of rows, and the number or text to pass on for a Decimal. It returns any other v.
func (r *Guest) PlainValue(v goja.Value) goja.Value {
	if d := realm.DecimalIn(v); d != nil {
		return d.Given()
	}
	if x := r.RowsIn(v); x != nil {
		x.fill()
		return x.target
	}
	return v
}

// row returns the object of row i, always the same one.
func (x *rows) row(i int) *goja.Object {
	if x.made == nil {
		x.made = make([]*goja.Object, x.n)
	}
	if x.made[i] == nil {
		rs := x.value.Rows()
		x.fetch()
		if x.reader == nil {
			x.reader = rs.Reader()
		}
		x.made[i], _ = x.r.rowToJS(rs.Shape, x.reader.Cells(i), x.types, x.fixed)
		x.count++
	}
	return x.made[i]
}

// fetch reads the cells from the host, if they are still there.
func (x *rows) fetch() {
	if x.held {
		x.held = false
		x.r.Port.(holder).Fetch(x.value.Rows())
	}
}

// fill makes the target a plain array of objects.
func (x *rows) fill() {
	if x.whole {
		return
	}
	x.whole = true
	for i := range x.n {
		x.r.Put(x.target, strconv.Itoa(i), x.row(i))
	}
	x.made, x.reader, x.traps, x.value, x.n = nil, nil, goja.ProxyTrapConfig{}, value.Value{}, 0
}

func (x *rows) trap() {
	absent := func(target *goja.Object, i int) goja.Value { return target.Get(strconv.Itoa(i)) }
	x.traps = goja.ProxyTrapConfig{
		GetIdx: func(target *goja.Object, i int, _ goja.Value) goja.Value {
			if i < 0 || i >= x.n {
				if v := absent(target, i); v != nil {
					return v
				}
				return goja.Undefined()
			}
			return x.row(i)
		},
		HasIdx: func(target *goja.Object, i int) bool {
			return i >= 0 && i < x.n || absent(target, i) != nil
		},
		GetOwnPropertyDescriptorIdx: func(target *goja.Object, i int) goja.PropertyDescriptor {
			x.fill()
			if i < 0 || i >= int(target.Get("length").ToInteger()) {
				return goja.PropertyDescriptor{}
			}
			return goja.PropertyDescriptor{Value: absent(target, i), Writable: goja.FLAG_TRUE, Enumerable: goja.FLAG_TRUE, Configurable: goja.FLAG_TRUE}
		},
		DefineProperty: func(target *goja.Object, name string, d goja.PropertyDescriptor) bool {
			x.fill()
			if d.Getter != nil || d.Setter != nil {
				return target.DefineAccessorProperty(name, d.Getter, d.Setter, d.Configurable, d.Enumerable) == nil
			}
			return target.DefineDataProperty(name, d.Value, d.Writable, d.Configurable, d.Enumerable) == nil
		},
		Set: func(target *goja.Object, name string, v, receiver goja.Value) bool {
			x.fill()
			if o, ok := receiver.(*goja.Object); ok && x.r.rows[o] != x { // the receiver inherits from the array and is another object
				return o.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE) == nil
			}
			return target.Set(name, v) == nil
		},
		DeletePropertyIdx: func(target *goja.Object, i int) bool {
			x.fill()
			return target.Delete(strconv.Itoa(i)) == nil
		},
		OwnKeys: func(target *goja.Object) *goja.Object {
			x.fill()
			var keys []any
			for _, n := range target.GetOwnPropertyNames() {
				keys = append(keys, n)
			}
			for _, s := range target.Symbols() {
				keys = append(keys, s)
			}
			return x.r.VM.NewArray(keys...)
		},
		PreventExtensions: func(target *goja.Object) bool {
			x.fill()
			prevent, ok := goja.AssertFunction(x.r.Intrinsic("Object").Get("preventExtensions"))
			if !ok { // the program has removed preventExtensions
				return false
			}
			x.r.Called(prevent(goja.Undefined(), target))
			return true
		},
	}
}

// rows turns an array of rows into data. A row that the program read may be changed, so it is converted again. The other rows keep the host's
// form.
func (c *converter) rows(x *rows, depth int, at *place) (value.Value, error) {
	if c.how == forArgument || x.whole {
		x.fill()
		return c.list(x.target, depth, at)
	}
	if c.how != forResult { // cells may stay in the host only for a result
		x.fetch()
	}
	rs := x.value.Rows()
	// Count the rows like objects: a list that has one array a thousand times is small here and huge as text.
	c.items += x.n*rs.Shape.Width() + x.n
	text, plain := x.text, true // these values are right for rows that the host holds
	if !x.held {
		text, plain = rs.Plain()
	}
	if c.bytes += text; !plain { // rows that are not plain may have a reference, which is no data
		x.fill()
		return c.list(x.target, depth, at)
	}
	if err := c.within(); err != nil {
		return value.Value{}, err
	}
	if x.count == 0 {
		return x.value, nil
	}
	made := x.made // a getter of a row may change x.made
	out := make([]value.Value, rs.Len())
	for i := range out {
		if made[i] == nil {
			out[i] = rs.Row(i)
			c.own += recordBytes(out[i])
			if err := c.within(); err != nil {
				return value.Value{}, err
			}
			continue
		}
		var err error
		if out[i], err = c.value(made[i], depth+1, &place{up: at, index: i}); err != nil {
			return value.Value{}, err
		}
	}
	return value.List(out...), nil
}

// recordBytes is the number of bytes that a row adds to the size of a result once the row is a record.
func recordBytes(v value.Value) int {
	n := ValueBytes + len(v.Text())
	for name, x := range v.Fields() {
		n += ValueBytes + len(name) + recordBytes(x)
	}
	return n
}
