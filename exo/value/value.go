package value

// This file has values, records and rows, the functions that make them, and the methods that read them.

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/exoagent/exoagent/internal/scalar"
)

// Kind is the type of a value as a byte. KindNone is the kind of the zero Value.
type Kind uint8

const (
	KindNone Kind = iota
	KindNull
	KindBool
	KindInt    // a 64-bit integer
	KindFloat  // a finite 64-bit float: NaN and infinities are refused
	KindText   // valid UTF-8 without NUL
	KindTime   // an instant in UTC, with millisecond precision
	KindList   // values in order
	KindRecord // names with values, in order
	KindRows   // many records of one shape, stored flat
	KindRef    // a reference to an Object, which only the host makes
	KindSealed // the run's number of a value that stays in the host
)

// Value is anything that guest and host exchange: plain data, or a reference that the host made.
// Values are immutable, and share no memory that either side can still write.
type Value struct {
	kind  Kind
	bits  uint64
	str   string
	ref   any
	label Label
}

// Field is a name and a value in a record.
type Field struct {
	Name  string
	Value Value
}

// Null makes the value for SQL's NULL and JavaScript's null.
func Null() Value { return Value{kind: KindNull} }

// Bool makes a truth value.
func Bool(b bool) Value {
	if b {
		return Value{kind: KindBool, bits: 1}
	}
	return Value{kind: KindBool}
}

// Int makes an exact 64-bit integer.
func Int(i int64) Value { return Value{kind: KindInt, bits: uint64(i)} }

// Float makes a float. For NaN and infinities it returns the zero Value, which is refused everywhere.
func Float(f float64) Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Value{}
	}
	return Value{kind: KindFloat, bits: math.Float64bits(f)}
}

// Text makes a text. For a text with NUL or invalid UTF-8 it returns the zero Value: the engines
// differ in what they do with it, and attacks use differences.
func Text(s string) Value {
	if !isText(s) {
		return Value{}
	}
	return Value{kind: KindText, str: s}
}

func isText(s string) bool {
	if len(s) > 32 {
		return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0
	}
	for i := range len(s) { // short texts are mostly ASCII names, and this loop is faster for them
		if c := s[i]; c == 0 || c >= utf8.RuneSelf {
			return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0
		}
	}
	return true
}

// Time makes an instant, cut to milliseconds. For years outside 1 to 9999 it returns the zero Value.
func Time(t time.Time) Value {
	t = t.UTC()
	if y := t.Year(); y < 1 || y > 9999 {
		return Value{}
	}
	return Value{kind: KindTime, bits: uint64(t.UnixMilli())}
}

// List makes a list. It copies vs.
func List(vs ...Value) Value { return Value{kind: KindList, ref: slices.Clone(vs)} }

// RecordValue makes a record. It copies fields. The caller ensures that names are unique.
func RecordValue(fields ...Field) Value { return Value{kind: KindRecord, ref: slices.Clone(fields)} }

// RowsValue makes a value of many records. r is not copied and must not change any more.
func RowsValue(r *Rows) Value { return Value{kind: KindRows, ref: r} }

// RefValue makes a reference to an object, an exo.Object. Only hosts call it: a guest's message has
// numbers, which the session resolves.
func RefValue(o any) Value {
	if o == nil {
		return Value{}
	}
	return Value{kind: KindRef, ref: o}
}

// Kind returns the kind of v.
func (v Value) Kind() Kind { return v.kind }

// Items returns the items of a list, and nil for every other kind. They must not be changed.
func (v Value) Items() []Value {
	items, _ := v.ref.([]Value)
	return items
}

// FieldList returns the fields of a record as a slice, and nil for every other kind. It must not be changed.
func (v Value) FieldList() []Field {
	fields, _ := v.ref.([]Field)
	return fields
}

// WithItems returns a list with other items, which are not copied, and the same label.
func (v Value) WithItems(items []Value) Value { v.ref = items; return v }

// WithFields returns a record with other fields, which are not copied, and the same label.
func (v Value) WithFields(fields []Field) Value { v.ref = fields; return v }

// WithRows returns a value of other rows, which are not copied, with v's label.
func (v Value) WithRows(r *Rows) Value { v.ref = r; return v }

// Type returns the name of the value's type: TypeNull, TypeBool, TypeInt, TypeFloat, TypeText,
// TypeTime, TypeList, TypeRecord, TypeRows, TypeRef or TypeSealed; "" for the zero Value. Types that
// JavaScript does not have, like TypeDecimal, are texts.
func (v Value) Type() string { return valueTypes[v.kind] }

var valueTypes = [...]string{KindNull: TypeNull, KindBool: TypeBool, KindInt: TypeInt, KindFloat: TypeFloat, KindText: TypeText,
	KindTime: TypeTime, KindList: TypeList, KindRecord: TypeRecord, KindRows: TypeRows, KindRef: TypeRef, KindSealed: TypeSealed}

// IsZero reports whether v is the zero Value, which means "no value" and is refused everywhere.
func (v Value) IsZero() bool { return v.kind == KindNone }

// Label returns the value's label.
func (v Value) Label() Label { return v.label }

// WithLabel returns v with l joined to its label. No function takes a label away.
func (v Value) WithLabel(l Label) Value { v.label = v.label.Join(l); return v }

// IsNull reports whether v is null.
func (v Value) IsNull() bool { return v.kind == KindNull }

// Bool returns the value as a truth value, and false for every other kind.
func (v Value) Bool() bool { return v.kind == KindBool && v.bits == 1 }

// Int returns the value as an integer, and 0 for every other kind.
func (v Value) Int() int64 {
	if v.kind != KindInt {
		return 0
	}
	return int64(v.bits)
}

// Float returns a float or an integer as a float, and 0 for every other kind.
func (v Value) Float() float64 {
	switch v.kind {
	case KindFloat:
		return math.Float64frombits(v.bits)
	case KindInt:
		return float64(int64(v.bits))
	}
	return 0
}

// Text returns the value as text, and "" for every other kind.
func (v Value) Text() string {
	if v.kind != KindText {
		return ""
	}
	return v.str
}

// Time returns the value as an instant in UTC, and the zero time for every other kind.
func (v Value) Time() time.Time {
	if v.kind != KindTime {
		return time.Time{}
	}
	return time.UnixMilli(int64(v.bits)).UTC()
}

// Len returns the number of items, fields or rows, and 0 for scalars.
func (v Value) Len() int {
	switch r := v.ref.(type) {
	case []Value:
		return len(r)
	case []Field:
		return len(r)
	case *Rows:
		return r.Len()
	}
	return 0
}

// Count returns how many rows or items a reply has. A record counts as one.
func (v Value) Count() int {
	if v.kind == KindRecord {
		return 1
	}
	return v.Len()
}

// At returns item i of a list, and the zero Value if there is none.
func (v Value) At(i int) Value {
	if l, ok := v.ref.([]Value); ok && i >= 0 && i < len(l) {
		return l[i]
	}
	return Value{}
}

// Fields yields a record's fields in order.
func (v Value) Fields() func(yield func(string, Value) bool) {
	return func(yield func(string, Value) bool) {
		fs, _ := v.ref.([]Field)
		for _, f := range fs {
			if !yield(f.Name, f.Value) {
				return
			}
		}
	}
}

// Get returns the value of a record's field, and whether the record has the field.
func (v Value) Get(name string) (Value, bool) {
	for n, f := range v.Fields() {
		if n == name {
			return f, true
		}
	}
	return Value{}, false
}

// Rows returns the value's rows, and nil for every other kind.
func (v Value) Rows() *Rows { r, _ := v.ref.(*Rows); return r }

// Ref returns the object that the value refers to, and nil for every other kind. See exo.ObjectOf.
func (v Value) Ref() any {
	if v.kind != KindRef {
		return nil
	}
	return v.ref
}

// Shape names the cells of a row; a record within a record is a nested shape. A row's cells are
// stored in the order in which a walk over its shape meets them.
type Shape struct {
	Names []string
	Subs  []*Shape // nil, or for each name the shape of its nested record, or nil if it has none
}

// Clone copies the shape.
func (s *Shape) Clone() *Shape {
	if s == nil {
		return nil
	}
	c := &Shape{Names: slices.Clone(s.Names), Subs: slices.Clone(s.Subs)}
	for i := range c.Subs {
		c.Subs[i] = c.Subs[i].Clone()
	}
	return c
}

// Width returns how many cells a row of this shape has.
func (s *Shape) Width() int {
	n := 0
	for i := range s.Names {
		if sub := s.Sub(i); sub != nil {
			n += sub.Width()
		} else {
			n++
		}
	}
	return n
}

// Sub returns the nested shape of name i, or nil.
func (s *Shape) Sub(i int) *Shape {
	if s.Subs == nil {
		return nil
	}
	return s.Subs[i]
}

// CellNames appends the names of the cells of a row to out.
func (s *Shape) CellNames(out []string) []string {
	for i, name := range s.Names {
		if sub := s.Sub(i); sub != nil {
			out = sub.CellNames(out)
			continue
		}
		out = append(out, name)
	}
	return out
}

// Rows are records of one shape in one flat slice, so that many rows can reach the result without
// becoming objects of the guest. Rows from a RowsBuilder may be bytes without Cells: read them with
// Row or a Reader.
type Rows struct {
	Shape *Shape
	Cells []Value // Shape.Width() cells for each row
	Long  bool    // what Wide returns for these rows if their cells are stored in another place, as in a worker

	packed *packed // the rows instead of Cells; may be nil
}

// Len returns the number of rows.
func (r *Rows) Len() int {
	if r == nil || r.Shape == nil {
		return 0
	}
	if r.packed != nil {
		return r.packed.rows
	}
	if w := r.Shape.Width(); w > 0 {
		return len(r.Cells) / w
	}
	return 0
}

// Packed reports whether the rows are stored as bytes, so that they have no Cells.
func (r *Rows) Packed() bool { return r.packed != nil }

// Plain counts the bytes of text in the cells. ok is false if a cell is no plain value, since such
// rows are larger than their cells and texts.
func (r *Rows) Plain() (text int, ok bool) {
	if r.packed != nil {
		return r.packed.text, r.packed.plain
	}
	for i := range r.Cells {
		switch c := &r.Cells[i]; c.kind {
		case KindText:
			text += len(c.str)
		case KindNull, KindBool, KindInt, KindFloat, KindTime:
		default:
			return text, false
		}
	}
	return text, true
}

// Wide reports whether the value has a whole number beyond 2^53, which JavaScript's numbers can't represent.
func (v Value) Wide() bool {
	switch r := v.ref.(type) {
	case []Value:
		return slices.ContainsFunc(r, Value.Wide)
	case []Field:
		return slices.ContainsFunc(r, func(f Field) bool { return f.Value.Wide() })
	case *Rows:
		if r.Long || r.packed != nil {
			return r.Long || r.packed.wide
		}
		return slices.ContainsFunc(r.Cells, Value.Wide)
	}
	return v.kind == KindInt && (int64(v.bits) > scalar.SafeInteger || int64(v.bits) < -scalar.SafeInteger)
}

// Row returns row i as a record value.
func (r *Rows) Row(i int) Value {
	v, _ := buildRecord(r.Shape, r.Reader().Cells(i))
	return v
}

func buildRecord(s *Shape, cells []Value) (Value, []Value) {
	fs := make([]Field, len(s.Names))
	for i, n := range s.Names {
		fs[i].Name = n
		if sub := s.Sub(i); sub != nil {
			fs[i].Value, cells = buildRecord(sub, cells)
		} else {
			fs[i].Value, cells = cells[0], cells[1:]
		}
	}
	return Value{kind: KindRecord, ref: fs}, cells
}

// BytesUpTo counts as Bytes does, but stops above limit, and skips the cells of rows. For each tag of a sealed value it adds the number tag.
func (v Value) BytesUpTo(limit, tag int) int {
	n := 16 + len(v.str)
	if v.kind == KindSealed && tag > 0 && v.label.set != nil {
		n += tag * len(*v.label.set)
	}
	switch r := v.ref.(type) {
	case []Value:
		for i := 0; i < len(r) && n <= limit; i++ {
			n += r[i].BytesUpTo(limit-n, tag)
		}
	case []Field:
		for i := 0; i < len(r) && n <= limit; i++ {
			n += len(r[i].Name) + r[i].Value.BytesUpTo(limit-n, tag)
		}
	}
	return n
}

// Equal reports whether two values have the same data. It ignores labels, and compares neither the cells of rows nor the objects of references.
func Equal(a, b Value) bool {
	if a.kind != b.kind || a.bits != b.bits || a.str != b.str || a.Len() != b.Len() {
		return false
	}
	switch x := a.ref.(type) {
	case []Value:
		for i, v := range b.ref.([]Value) {
			if !Equal(x[i], v) {
				return false
			}
		}
	case []Field:
		for i, f := range b.ref.([]Field) {
			if x[i].Name != f.Name || !Equal(x[i].Value, f.Value) {
				return false
			}
		}
	}
	return true
}

// TextBytes returns how many bytes Bytes counts for a text of n bytes.
func TextBytes(n int) int { return 16 + n }

// Bytes returns the rough size of the value in memory, for budgets.
func (v Value) Bytes() int {
	n := TextBytes(len(v.str))
	switch r := v.ref.(type) {
	case []Value:
		for _, x := range r {
			n += x.Bytes()
		}
	case []Field:
		for _, f := range r {
			n += len(f.Name) + f.Value.Bytes()
		}
	case *Rows:
		if r.packed != nil {
			return n + r.packed.size
		}
		for _, x := range r.Cells {
			n += x.Bytes()
		}
	}
	return n
}

// String describes the value, with its content, for logs and test failures.
func (v Value) String() string {
	switch v.kind {
	case KindNull:
		return "null"
	case KindBool:
		return fmt.Sprint(v.Bool())
	case KindInt:
		return fmt.Sprint(v.Int())
	case KindFloat:
		return fmt.Sprint(v.Float())
	case KindText:
		return fmt.Sprintf("%q", v.str)
	case KindTime:
		return v.Time().Format(scalar.TimeFormat)
	case KindList, KindRecord, KindRows:
		b, err := v.AppendJSON(nil)
		if err != nil {
			return "<" + err.Error() + ">"
		}
		return string(b)
	case KindRef:
		return "<object>"
	case KindSealed:
		return v.sealedText()
	}
	return "<no value>"
}
