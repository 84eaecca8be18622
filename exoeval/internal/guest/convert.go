package guest

// This file converts values of JavaScript to data of the host, and back.

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
	"github.com/exoagent/exoagent/internal/scalar"
)

// purpose is the strictness of a conversion. An argument must be plain data. A result follows JSON.stringify, which accepts undefined and NaN.
type purpose uint8

const (
	forArgument purpose = iota
	forResult
	ForConsole
)

// maxItems bounds the values of one conversion, because an array may claim to have 2^32 of them.
const (
	maxItems = 1_000_000
	maxDepth = 60
)

// ValueBytes is the number of bytes that each value and each name adds to the size of a result, which MaxResult bounds.
const ValueBytes = 16

type converter struct {
	r            *Guest
	how          purpose
	answers      *answers // replies to what a result sends; nil for other conversions
	items, bytes int
	own          int // bytes of a result, without unchanged rows: see MaxResult
}

// ToValue turns a JavaScript value into plain data. It runs
// getters of the program, so it must be called inside the realm.
func (r *Guest) ToValue(v goja.Value, how purpose) (value.Value, error) {
	c := &converter{r: r, how: how}
	return c.value(v, 0, nil)
}

// within returns an error if the conversion exceeds its limits.
func (c *converter) within() error {
	if c.items > maxItems {
		return fail.Errorf(fail.Limit, "", "the value has more than %d items and fields, the limit: use a smaller one", maxItems)
	}
	if c.bytes > maxConvertBytes {
		return fail.Errorf(fail.Limit, "", "the value is larger than %d bytes, the limit: use a smaller one", maxConvertBytes)
	}
	if l := c.r.MaxResult; c.own > l && c.how == forResult {
		return fail.Errorf(fail.Limit, "", "the result has too many items and fields, or is larger than %d bytes, far more than can be shown; %s", l, c.r.Say(nil, "limit.result", "return less"))
	}
	return nil
}

// place is a place in the value that is being converted. Only an error turns it into text. nil is the whole value.
type place struct {
	up    *place
	name  string
	named bool
	index int
}

func (p *place) String() string {
	switch {
	case p == nil:
		return ""
	case !p.named:
		return p.up.String() + "[" + strconv.Itoa(p.index) + "]"
	case p.up == nil:
		return p.name
	}
	return p.up.String() + "." + p.name
}

// top returns the text of the first step from the whole value to the place.
func (p *place) top() string {
	for p != nil && p.up != nil {
		p = p.up
	}
	return p.String()
}

func (c *converter) value(v goja.Value, depth int, at *place) (value.Value, error) {
	c.items++
	c.own += ValueBytes
	if err := c.within(); err != nil {
		return value.Value{}, err
	}
	if depth > maxDepth {
		return value.Value{}, fail.Errorf(fail.Invalid, at.top(), "the value is nested more than %d levels deep, or contains itself: use a flatter one", maxDepth)
	}
	if v == nil || goja.IsUndefined(v) || goja.IsNull(v) {
		if c.how == forArgument && (v == nil || goja.IsUndefined(v)) {
			return value.Value{}, fail.Errorf(fail.Invalid, at.String(), "the value is undefined; use null for an empty value; if it is a member of a result, await the result first")
		}
		return value.Null(), nil
	}
	if x := c.r.RecordedIn(v); x != nil {
		return c.recorded(x, v, depth, at)
	}
	if p := c.r.UnawaitedIn(v); p != nil {
		switch {
		case c.answers != nil:
			return c.answer(v, depth, at)
		case c.how == ForConsole:
			panic(c.r.Throw(p.novalue()))
		}
		e := AsError(p.novalue())
		e.Op = at.String()
		return value.Value{}, e
	}
	if d := realm.DecimalIn(v); d != nil {
		if c.how == forArgument {
			if i, err := strconv.ParseInt(d.ToString().String(), 10, 64); err == nil {
				return value.Int(i), nil // an int keeps all digits; a text would be stored as a text inside JSON
			}
			return c.scalar(d.Given(), at)
		}
		return c.scalar(d.ToString(), at)
	}
	o, ok := v.(*goja.Object)
	if !ok {
		return c.scalar(v, at)
	}
	if x := c.r.RowsIn(v); x != nil {
		return c.rows(x, depth, at)
	}
	if IsMethod(v) {
		return value.Value{}, c.r.AsData(v)
	}
	if _, isFunc := goja.AssertFunction(v); isFunc {
		return c.onlyShown("[function]", at, "a function can't be passed on as data; call it, and pass what it returns")
	}
	if of := c.r.boxed(o); of != "" && c.how == forArgument {
		return value.Value{}, fail.Errorf(fail.Invalid, at.String(), "an object made of one value, like new Number(1), is always true and equals nothing: write %s", of)
	}
	return c.object(o, depth, at)
}

// recorded converts a recorded value: a sealed one, one whose answer a result sends for, or one that has no value.
func (c *converter) recorded(x *Recorded, v goja.Value, depth int, at *place) (value.Value, error) {
	sealed, ok := x.Sealed()
	switch {
	case ok && c.how == ForConsole:
		return value.Text(sealed.String()), nil
	case ok:
		return sealed, nil
	case c.how == ForConsole:
		return value.Text("[" + c.r.Check.Name(x.Node) + "]"), nil
	case c.answers != nil && x.Awaits():
		return c.answer(v, depth, at)
	}
	e := AsError(x.Novalue())
	e.Op = cmp.Or(e.Op, at.String())
	return value.Value{}, e
}

// onlyShown returns a text for the console. For any other purpose it refuses the value, with the reason why.
func (c *converter) onlyShown(text string, at *place, why string) (value.Value, error) {
	if c.how == ForConsole {
		return value.Text(text), nil
	}
	return value.Value{}, fail.Errorf(fail.Invalid, at.String(), "%s", why)
}

// object converts an object by its class.
func (c *converter) object(o *goja.Object, depth int, at *place) (value.Value, error) {
	switch realm.ClassOf(o) {
	case "Array":
		if err := c.plain(o, at); err != nil {
			return value.Value{}, err
		}
		return c.list(o, depth, at)
	case "Date":
		return c.date(o, at)
	case "Map":
		return c.onlyShown("[Map]", at, "a Map is no plain data; use Object.fromEntries(map)")
	case "Set":
		return c.onlyShown("[Set]", at, "a Set is no plain data; use [...set]")
	case "Promise":
		if c.answers != nil { // answers is nil for the console
			return c.answer(o, depth, at)
		}
		return c.onlyShown("[a promise: await it]", at, "a promise was not awaited: write await before it, or await Promise.all([…]) round a list of them")
	case "String":
		return c.scalar(o.ToString(), at)
	case "Number":
		return c.scalar(o.ToNumber(), at)
	case "Boolean":
		b, _ := o.Export().(bool)
		return value.Bool(b), nil
	case "RegExp":
		if c.how == forArgument { // the text of the pattern would be stored or compared, which the author may not mean
			return value.Value{}, fail.Errorf(fail.Invalid, at.String(), "a regular expression can't be passed on as data; if its text is meant, pass x.source")
		}
		return value.Text(o.String()), nil
	case "Error":
		if c.how == forArgument {
			return value.Value{}, fail.Errorf(fail.Invalid, at.String(), "an error can't be passed on as data; pass its message")
		}
		return value.RecordValue(value.Field{Name: "name", Value: c.text(o.Get("name"))}, value.Field{Name: "message", Value: c.text(o.Get("message"))}), nil
	}
	if err := c.plain(o, at); err != nil {
		return value.Value{}, err
	}
	return c.record(o, depth, at)
}

func (c *converter) date(o *goja.Object, at *place) (value.Value, error) {
	t, ok := o.Export().(time.Time)
	switch {
	case ok:
		if x := value.Time(t); !x.IsZero() {
			return x, nil
		}
		return value.Value{}, fail.Errorf(fail.Invalid, at.String(), "the year of the date must be 1 to 9999")
	case c.how != forArgument:
		return value.Null(), nil // an invalid date is null, as in JSON
	}
	return value.Value{}, fail.Errorf(fail.Invalid, at.String(), "the date is not valid: make it from a text like '2026-01-31T12:00:00Z'")
}

// boxed returns what to write instead of an object that new or Object(x) made from a text, a number, a truth value or a symbol; "" for any
// other object. JavaScript treats the object of false as true, a condition would treat it as false. boxed runs no code of the program.
func (r *Guest) boxed(o *goja.Object) string {
	switch o.ClassName() {
	case "String":
		text, n := "", o.Get("length").ToInteger()
		for i := range int(min(n, 41)) { // a program can't change these own properties, and reading them calls no toString
			text += o.Get(strconv.Itoa(i)).String()
		}
		if n > 40 || strings.ContainsAny(text, "'\\\r\n") {
			return "the text itself"
		}
		return realm.Quoted(text)
	case "Number", "Boolean":
		return r.VM.ToValue(o.Export()).String()
	case "Object":
		if t := o.ExportType(); t != nil && t.Kind() == reflect.String {
			return "a text"
		}
	}
	return ""
}

// plain refuses as an argument an object with a function toJSON: its author expects the result of toJSON, not the fields or items. A toJSON on
// Object.prototype or Array.prototype is on every object, so it is ignored.
func (c *converter) plain(o *goja.Object, at *place) error {
	if c.how != forArgument {
		return nil
	}
	give := o.Get("toJSON")
	if _, f := goja.AssertFunction(give); f && give != c.r.Objects().Get("toJSON") && give != c.r.VM.NewArray().Prototype().Get("toJSON") {
		return fail.Errorf(fail.Invalid, at.String(), "the object has a function toJSON; pass what x.toJSON() gives")
	}
	return nil
}

func (c *converter) text(v goja.Value) value.Value {
	if v == nil {
		return value.Null()
	}
	return value.Text(scalar.Shorten(strings.ToValidUTF8(strings.ReplaceAll(v.String(), "\x00", ""), "\uFFFD"), 2000))
}

func (c *converter) scalar(v goja.Value, at *place) (value.Value, error) {
	if _, symbol := v.(*goja.Symbol); symbol { // goja would export the description of a symbol
		return c.onlyShown("[symbol]", at, "a symbol can't be passed on as data; pass a text")
	}
	switch x := v.Export().(type) {
	case bool:
		return value.Bool(x), nil
	case int64:
		return value.Int(x), nil
	case float64:
		if f := value.Float(x); !f.IsZero() {
			return f, nil
		}
		if c.how != forArgument {
			return value.Null(), nil // NaN and infinities become null, as in JSON
		}
		return value.Value{}, fail.Errorf(fail.Invalid, at.String(), "%s", c.r.Say(nil, "infinite", "{it} can't be passed on: only finite numbers can", "it", v.String()))
	case string:
		c.bytes += len(x)
		c.own += len(x)
		if err := c.within(); err != nil {
			return value.Value{}, err
		}
		if c.how == forResult {
			x = strings.Clone(x) // x may be a part of a text of megabytes, which the copy does not keep in memory
		}
		if t := value.Text(x); !t.IsZero() && !realm.LoneSurrogate(v) {
			return t, nil
		}
		if c.how != forArgument {
			return value.Text(strings.ReplaceAll(strings.ToValidUTF8(x, "\uFFFD"), "\x00", "\uFFFD")), nil
		}
		return value.Value{}, fail.Errorf(fail.Invalid, at.String(), "%s", c.r.Say(nil, "text", "the text contains a NUL character or half of a surrogate pair, which can't be passed on; remove it"))
	}
	return c.onlyShown("["+v.ExportType().String()+"]", at, "this value can't be passed on as data; pass a number or a text")
}

const maxConvertBytes = 32 << 20

func (c *converter) list(o *goja.Object, depth int, at *place) (value.Value, error) {
	n := o.Get("length").ToInteger()
	if n > maxItems {
		return value.Value{}, fail.Errorf(fail.Limit, at.String(), "the list has %d items; the limit is %d: use a shorter one", n, maxItems)
	}
	out := make([]value.Value, 0, min(n, 1024))
	for i := range int(n) {
		x, err := c.value(o.Get(strconv.Itoa(i)), depth+1, &place{up: at, index: i})
		if err != nil {
			return value.Value{}, err
		}
		out = append(out, x)
	}
	return value.List(out...), nil
}

func (c *converter) record(o *goja.Object, depth int, at *place) (value.Value, error) {
	keys, whole := c.r.names(o)
	if !whole {
		return value.Value{}, fail.Errorf(fail.Invalid, at.String(), "the name of a field contains a NUL character or half of a surrogate pair; remove it")
	}
	out := make([]value.Field, 0, len(keys))
	for _, k := range keys {
		v := o.Get(k)
		if c.how != forArgument {
			if v == nil || goja.IsUndefined(v) {
				continue // JSON leaves undefined members out
			}
			if _, f := goja.AssertFunction(v); f && !IsMethod(v) {
				continue
			}
		}
		if value.Text(k).IsZero() {
			return value.Value{}, fail.Errorf(fail.Invalid, at.String(), "the name of a field contains a NUL character or half of a surrogate pair; remove it")
		}
		c.own += ValueBytes + len(k)
		x, err := c.value(v, depth+1, &place{up: at, name: k, named: true})
		if err != nil {
			return value.Value{}, err
		}
		if c.how == forResult {
			k = strings.Clone(k)
		}
		out = append(out, value.Field{Name: k, Value: x})
	}
	return value.RecordValue(out...), nil
}

// names returns the names of the properties of o. whole is false if a name has half a character. goja returns that half as U+FFFD, so two
// properties could get the same name.
func (r *Guest) names(o *goja.Object) (names []string, whole bool) {
	names = o.Keys()
	if !slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, "\uFFFD") }) {
		return names, true
	}
	if r.Keys == nil { // a program that does not mention Object can't have changed keys
		r.Keys, _ = goja.AssertFunction(r.Intrinsic("Object").Get("keys"))
	}
	v, err := r.Keys(goja.Undefined(), o)
	exact := r.Called(v, err).(*goja.Object)
	names = names[:0]
	for i := range int(exact.Get("length").ToInteger()) {
		n := exact.Get(strconv.Itoa(i))
		if realm.LoneSurrogate(n) {
			return nil, false
		}
		names = append(names, n.String())
	}
	return names, true
}

// toJS turns a value of the host into a new JavaScript value that shares nothing with the host. of is the type of v, or nil.
func (r *Guest) toJS(v value.Value, of *message.Type) goja.Value {
	switch v.Type() {
	case value.TypeBool:
		return r.VM.ToValue(v.Bool())
	case value.TypeInt:
		if i := v.Int(); i > scalar.SafeInteger || i < -scalar.SafeInteger {
			d, _ := r.NewDecimal(strconv.FormatInt(i, 10))
			return d
		}
		return r.VM.ToValue(v.Int())
	case value.TypeFloat:
		return r.VM.ToValue(v.Float())
	case value.TypeText:
		if of := r.shown(of); of != nil && (of.Name == value.TypeDecimal || of.Name == value.TypeInt) { // a sum of whole numbers may have more digits than an int
			if d, ok := r.NewDecimal(v.Text()); ok {
				return d
			}
		}
		return r.VM.ToValue(v.Text())
	case value.TypeTime:
		return r.VM.ToValue(v.Time().Format(scalar.TimeFormat))
	case value.TypeList:
		items := make([]any, v.Len())
		for i := range items {
			items[i] = r.toJS(v.At(i), r.elementType(of))
		}
		return r.VM.NewArray(items...)
	case value.TypeRecord:
		o := r.Record(v, of != nil)
		for n, x := range v.Fields() {
			r.Put(o, n, r.toJS(x, r.fieldType(of, n)))
		}
		return o
	case value.TypeRows:
		return r.newRows(v, r.elementType(of))
	case value.TypeRef:
		return r.GrantedObject(v.Number())
	case value.TypeSealed:
		return r.sealedValue(v)
	}
	return goja.Null()
}

// rowToJS makes the object of a row. types are the types of the cells, or nil.
func (r *Guest) rowToJS(s *value.Shape, cells []value.Value, types []*message.Type, fixed map[string]bool) (*goja.Object, []value.Value) {
	// Assigning is quicker than defining. It runs no setter, because the new object has no prototype.
	o := r.VM.CreateObject(nil)
	for i, n := range s.Names {
		var v goja.Value
		if sub := s.Sub(i); sub != nil {
			v, cells = r.rowToJS(sub, cells, types, nil)
		} else {
			var of *message.Type
			if types != nil {
				of = types[len(types)-len(cells)]
			}
			v, cells = r.toJS(cells[0], of), cells[1:]
		}
		if fixed[n] {
			r.fix(o, n, v, true)
		} else if err := o.Set(n, v); err != nil {
			panic(err)
		}
	}
	if err := o.SetPrototype(r.RowPrototype(s.Names)); err != nil {
		panic(err)
	}
	return o, cells
}

func PromiseOf(v goja.Value) *goja.Promise {
	if x, ok := v.(*Opaque); ok && x.p != nil {
		v = x.p.promise
	}
	if o, ok := v.(*goja.Object); ok && realm.ClassOf(o) == "Promise" {
		return o.Export().(*goja.Promise)
	}
	return nil
}
