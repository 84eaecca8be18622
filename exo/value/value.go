package value

// This file has values, records and rows, and how to make and ask them.

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/exoagent/exoagent/internal/scalar"
)

// Kind is Type as a byte. KindNone is the kind of the zero Value.
type Kind uint8

const (
	KindNone Kind = iota
	KindNull
	KindBool
	KindInt    // 64-bit integer
	KindFloat  // finite 64-bit float: NaN and infinities are refused at the boundary
	KindText   // valid UTF-8 without NUL
	KindTime   // an instant, millisecond precision, UTC
	KindList   // values in order
	KindRecord // names with values, in order
	KindRows   // many records of one shape, stored flat
	KindRef    // an Object: only ever made by the host
	KindSealed // the run's number of a value that stays with the host: see seal.go
)

// Value is anything that crosses between guest and host: plain data, or a
// reference that the host made. Values are immutable once made; nothing in one
// aliases memory that either side can still write.
type Value struct {
	kind  Kind
	bits  uint64
	str   string
	ref   any
	label Label
}

// Field is one name with its value in a record.
type Field struct {
	Name  string
	Value Value
}

// Null is SQL's NULL and JavaScript's null.
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

// Float makes a number. NaN and infinities make the zero Value, which every boundary refuses.
func Float(f float64) Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Value{}
	}
	return Value{kind: KindFloat, bits: math.Float64bits(f)}
}

// Text makes a text. Text with NUL or invalid UTF-8 makes the zero Value: the
// engines differ in what they do with it, and a difference is where attacks live.
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
	for i := range len(s) { // a name
		if c := s[i]; c == 0 || c >= utf8.RuneSelf {
			return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0
		}
	}
	return true
}

// Time makes an instant, cut to milliseconds. Years outside 1 to 9999 make the zero Value.
func Time(t time.Time) Value {
	t = t.UTC()
	if y := t.Year(); y < 1 || y > 9999 {
		return Value{}
	}
	return Value{kind: KindTime, bits: uint64(t.UnixMilli())}
}

// List makes a list; vs is copied.
func List(vs ...Value) Value { return Value{kind: KindList, ref: slices.Clone(vs)} }

// RecordValue makes a record; fields are copied. The caller sees to it that names are unique.
func RecordValue(fields ...Field) Value { return Value{kind: KindRecord, ref: slices.Clone(fields)} }

// RowsValue makes a value of many records. r is not copied and must not change any more.
func RowsValue(r *Rows) Value { return Value{kind: KindRows, ref: r} }

// RefValue makes a reference to an object, an exo.Object. Only hosts make these: a guest's
// message carries numbers that the session resolves.
func RefValue(o any) Value {
	if o == nil {
		return Value{}
	}
	return Value{kind: KindRef, ref: o}
}

// Kind is what the value holds.
func (v Value) Kind() Kind { return v.kind }

// Items returns the items of a list, nil for every other kind. They must not be changed.
func (v Value) Items() []Value {
	items, _ := v.ref.([]Value)
	return items
}

// FieldList is Fields as a slice, nil for every other kind. It must not be changed.
func (v Value) FieldList() []Field {
	fields, _ := v.ref.([]Field)
	return fields
}

// WithItems returns a list with other items, which are not copied, and the same label.
func (v Value) WithItems(items []Value) Value { v.ref = items; return v }

// WithFields returns a record with other fields, which are not copied, and the same label.
func (v Value) WithFields(fields []Field) Value { v.ref = fields; return v }

// WithRows is RowsValue with v's label.
func (v Value) WithRows(r *Rows) Value { v.ref = r; return v }

// Type names what the value holds: TypeNull, TypeBool, TypeInt, TypeFloat, TypeText, TypeTime,
// TypeList, TypeRecord, TypeRows, TypeRef or TypeSealed; "" for the zero Value. Types that JavaScript
// does not have, like TypeDecimal, are texts.
func (v Value) Type() string { return valueTypes[v.kind] }

var valueTypes = [...]string{KindNull: TypeNull, KindBool: TypeBool, KindInt: TypeInt, KindFloat: TypeFloat, KindText: TypeText,
	KindTime: TypeTime, KindList: TypeList, KindRecord: TypeRecord, KindRows: TypeRows, KindRef: TypeRef, KindSealed: TypeSealed}

// IsZero reports whether v is the zero Value. It means "no value", and every boundary refuses it.
func (v Value) IsZero() bool { return v.kind == KindNone }

// Label is the value's label.
func (v Value) Label() Label { return v.label }

// WithLabel returns v with l joined to its label. There is no way to take a label away.
func (v Value) WithLabel(l Label) Value { v.label = v.label.Join(l); return v }

// IsNull reports whether v is null.
func (v Value) IsNull() bool { return v.kind == KindNull }

// Bool is the value as a truth value; false for every other kind.
func (v Value) Bool() bool { return v.kind == KindBool && v.bits == 1 }

// Int is the value as an integer; 0 for every other kind.
func (v Value) Int() int64 {
	if v.kind != KindInt {
		return 0
	}
	return int64(v.bits)
}

// Float is the value as a float, also of an integer; 0 for every other kind.
func (v Value) Float() float64 {
	switch v.kind {
	case KindFloat:
		return math.Float64frombits(v.bits)
	case KindInt:
		return float64(int64(v.bits))
	}
	return 0
}

// Text is the value as text; "" for every other kind.
func (v Value) Text() string {
	if v.kind != KindText {
		return ""
	}
	return v.str
}

// Time is the value as an instant in UTC; the zero time for every other kind.
func (v Value) Time() time.Time {
	if v.kind != KindTime {
		return time.Time{}
	}
	return time.UnixMilli(int64(v.bits)).UTC()
}

// Len is the number of items, fields or rows; 0 for scalars.
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

// At is item i of a list.
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

// Get is the value of a record's field, and whether it is there.
func (v Value) Get(name string) (Value, bool) {
	for n, f := range v.Fields() {
		if n == name {
			return f, true
		}
	}
	return Value{}, false
}

// Rows is the value's rows, nil for every other kind.
func (v Value) Rows() *Rows { r, _ := v.ref.(*Rows); return r }

// Ref is the object that the value refers to, nil for every other kind. See exo.ObjectOf.
func (v Value) Ref() any {
	if v.kind != KindRef {
		return nil
	}
	return v.ref
}

// Shape names the cells of a row, nested where a record holds a record. A row's
// cells are stored in the order in which a walk over its shape meets them.
type Shape struct {
	Names []string
	Subs  []*Shape // nil, or for each name the shape of a nested record or nil
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

// Width is how many cells a row of this shape has.
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

// Sub is the nested shape at i, or nil.
func (s *Shape) Sub(i int) *Shape {
	if s.Subs == nil {
		return nil
	}
	return s.Subs[i]
}

// CellNames are the names of the cells of a row.
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

// Rows are records of one shape, stored flat: ten thousand of them are one slice, and reach the
// result without becoming objects of the guest. Rows from a RowsBuilder are bytes without Cells:
// read rows with Row or a Reader.
type Rows struct {
	Shape *Shape
	Cells []Value // Shape.Width() for each row
	Long  bool    // the result of Wide, for rows with cells that are elsewhere

	packed *packed // in the place of Cells, or nil
}

// Len is the number of rows.
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

// Packed reports whether a RowsBuilder made the rows, so that they have no Cells.
func (r *Rows) Packed() bool { return r.packed != nil }

// Plain counts the bytes of text in the cells. ok is false if a cell is not a plain value: such
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

// Row returns row i as a record.
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

// BytesUpTo is Bytes, but stops counting once it exceeds limit, and adds so many bytes for each tag of a sealed value.
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

// Equal compares plain data and ignores labels.
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

// TextBytes returns what Bytes counts for a text of n bytes.
func TextBytes(n int) int { return 16 + n }

// Bytes is a rough size of the value in memory, for budgets.
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

// String describes the value for logs and test failures; it shows the content.
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
