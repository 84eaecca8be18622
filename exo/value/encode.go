package value

// This file writes values in the canonical encoding of encoding.go.

import (
	"errors"
	"fmt"
	"hash"
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/internal/wire"
)

// Encoder writes values and messages in the canonical encoding, for packages that put them inside
// other bytes. Others use AppendBinary. The zero Encoder writes for a guest: no labels, and no references unless
// Extend writes them.
type Encoder struct {
	B      []byte // the bytes written so far, or since the last flush
	Values int    // how many values, names and cells were written

	// Extend writes a reference or rows in another form than the canonical one, beginning with a
	// tag of at least 64. Append returns false for a value that it leaves to the encoder.
	Extend interface {
		Append(b []byte, v Value) ([]byte, bool)
	}

	Plain bool // set for the messages of guests: rows are refused, since a guest sends none

	whole bool      // writes labels and references, too
	sum   hash.Hash // if not nil, written bytes go to this hash when there are enough of them
	err   error
}

// Err returns why the written bytes can't be read, or nil if they can: something that was written has no encoding.
func (e *Encoder) Err() error { return e.err }

// Refuse notes that the written bytes can't be read.
func (e *Encoder) Refuse(err error) {
	if e.err == nil {
		e.err = &fail.Error{Kind: fail.Invalid, Msg: err.Error()}
	}
}

// none writes a byte for a value without an encoding. No decoder accepts that byte.
func (e *Encoder) none(err error) {
	e.Refuse(err)
	e.B = append(e.B, tagNone)
}

var (
	errNoValue   = errors.New("the zero Value can't be sent or recorded: use value.Null() for nothing")
	errObject    = errors.New("a value with an object in it can't be sent here: send the object's data instead")
	errPlain     = errors.New("rows can't be sent in a message: send their values in a list")
	errDeep      = fmt.Errorf("a value that is nested more than %d levels deep can't be sent or recorded", MaxDepth)
	errName      = errors.New("a record can't be sent or recorded if a field name contains a NUL or invalid UTF-8")
	errNameTwice = errors.New("a record can't be sent or recorded if it has a name twice: a reader could use either value")
	errTag       = errors.New("a label can't be sent or recorded if a tag contains a NUL or invalid UTF-8")
	errShape     = errors.New("rows can't be sent or recorded unless they have a valid Shape, and each row as many cells as the Shape is wide")
)

// Value writes v.
func (e *Encoder) Value(v Value) { e.value(&v, 0) }

func (e *Encoder) value(v *Value, depth int) {
	if depth > MaxDepth {
		e.none(errDeep)
		return
	}
	e.Values++
	if e.whole && v.label.set != nil && v.kind != KindSealed {
		e.label(v.label)
	}
	switch v.kind {
	case KindList:
		items := v.ref.([]Value)
		e.B = wire.AppendCount(append(e.B, tagList), len(items))
		for i := range items {
			e.value(&items[i], depth+1)
			e.flush()
		}
	case KindRecord:
		e.record(v.ref.([]Field), depth)
	case KindRows:
		if e.Plain {
			e.none(errPlain)
		} else if !e.extended(v) {
			e.rows(v.ref.(*Rows), depth)
		}
	case KindRef:
		if !e.extended(v) {
			e.reference(v)
		}
	case KindSealed:
		e.sealed(v)
	default:
		if e.B = appendScalar(e.B, v); v.kind == KindNone {
			e.Refuse(errNoValue)
		}
	}
}

func (e *Encoder) extended(v *Value) (ok bool) {
	if e.Extend != nil {
		e.B, ok = e.Extend.Append(e.B, *v)
	}
	return ok
}

func appendScalar(b []byte, v *Value) []byte {
	switch v.kind {
	case KindNull:
		return append(b, tagNull)
	case KindBool:
		if v.bits == 1 {
			return append(b, tagTrue)
		}
		return append(b, tagFalse)
	case KindInt:
		return wire.AppendInt(append(b, tagInt), int64(v.bits))
	case KindFloat:
		return wire.AppendBits(append(b, tagFloat), v.bits)
	case KindText:
		return wire.AppendText(append(b, tagText), v.str)
	case KindTime:
		return wire.AppendInt(append(b, tagTime), int64(v.bits))
	}
	return append(b, tagNone)
}

// label writes the label of the value that follows. A frame to a guest has no labels: a program
// learns about a label only when a message is refused.
func (e *Encoder) label(l Label) {
	e.B = append(e.B, tagLabelled)
	e.tags(l)
}

func (e *Encoder) tags(l Label) {
	tags := *l.set
	e.Values += len(tags)
	for _, t := range tags {
		if !isText(t) {
			e.Refuse(errTag)
		}
	}
	e.B = wire.AppendTexts(e.B, tags)
}

func (e *Encoder) record(fields []Field, depth int) {
	e.Values += len(fields) // names count as values
	e.B = wire.AppendCount(append(e.B, tagRecord), len(fields))
	var seen nameSet
	for i := range fields {
		f := &fields[i]
		if !isText(f.Name) {
			e.Refuse(errName)
		}
		if !seen.add(f.Name, i, len(fields), func(k int) string { return fields[k].Name }) {
			e.Refuse(errNameTwice)
		}
		e.B = wire.AppendText(e.B, f.Name)
		e.value(&f.Value, depth+1)
		e.flush()
	}
}

// nameSet finds names that occur twice. A short list is searched without a map.
type nameSet map[string]bool

// add reports whether name, number i of n names, is new. before returns the earlier names.
func (s *nameSet) add(name string, i, n int, before func(int) string) bool {
	if n <= 12 {
		for k := range i {
			if before(k) == name {
				return false
			}
		}
		return true
	}
	if *s == nil {
		*s = make(nameSet, min(n, wire.Ahead))
	}
	if (*s)[name] {
		return false
	}
	(*s)[name] = true
	return true
}

// reference writes the number of an object. A guest's frame has no references.
func (e *Encoder) reference(v *Value) {
	if !e.whole || v.ref != nil {
		e.none(errObject)
		return
	}
	e.B = wire.AppendUint(append(e.B, tagRef), uint64(v.Number()))
}

func (e *Encoder) rows(r *Rows, depth int) {
	if r == nil || !e.fits(r.Shape, 0) {
		e.none(errShape)
		return
	}
	if w := r.Shape.Width(); r.packed == nil && (w == 0 && len(r.Cells) > 0 || w > 0 && len(r.Cells)%w != 0) {
		e.none(errShape)
		return
	}
	e.B = appendShape(append(e.B, tagRows), r.Shape)
	e.cells(r, depth)
}

// fits reports whether a decoder would accept shape s.
func (e *Encoder) fits(s *Shape, depth int) bool {
	if s == nil || depth > MaxDepth || s.Subs != nil && len(s.Subs) != len(s.Names) {
		return false
	}
	var seen nameSet
	for i, n := range s.Names {
		if !isText(n) || !seen.add(n, i, len(s.Names), func(k int) string { return s.Names[k] }) {
			return false
		}
		if sub := s.Sub(i); sub != nil && !e.fits(sub, depth+1) {
			return false
		}
	}
	return true
}

// Cells writes the number of cells, and the cells.
func (e *Encoder) Cells(r *Rows) { e.cells(r, 0) }

func (e *Encoder) cells(r *Rows, depth int) {
	if p := r.packed; p != nil {
		e.B = wire.AppendCount(e.B, p.rows*r.Shape.Width())
		e.Values += p.values
		if !p.plain && depth > 0 {
			e.Refuse(errDeep)
		}
		if e.sum == nil {
			n := 0
			for i := range p.pages {
				n += len(p.pages[i].cells)
			}
			e.B = slices.Grow(e.B, n)
		}
		for i := range p.pages {
			e.B = append(e.B, p.pages[i].cells...)
			e.flush()
		}
		return
	}
	e.B = wire.AppendCount(e.B, len(r.Cells))
	e.Values += len(r.Cells)
	for i := range r.Cells {
		c := &r.Cells[i]
		if c.kind >= KindNull && c.kind <= KindTime && (c.label.set == nil || !e.whole) {
			e.B = appendScalar(e.B, c)
		} else {
			e.Values-- // value counts the cell, which the loop has already counted
			e.value(c, depth+1)
		}
		e.flush()
	}
}

// Shape writes a shape.
func (e *Encoder) Shape(s *Shape) { e.B = appendShape(e.B, s) }

func appendShape(b []byte, s *Shape) []byte {
	b = wire.AppendCount(b, len(s.Names))
	for i, n := range s.Names {
		b = wire.AppendText(b, n)
		if sub := s.Sub(i); sub != nil {
			b = appendShape(append(b, 1), sub)
		} else {
			b = append(b, 0)
		}
	}
	return b
}

// flush passes the written bytes to the digest, if there is one. So the encoding of many rows need not be in memory at once.
func (e *Encoder) flush() {
	if e.sum != nil && len(e.B) >= digestChunk {
		e.sum.Write(e.B)
		e.B = e.B[:0]
	}
}

// digestChunk is how many bytes are encoded before they are hashed.
const digestChunk = 8 << 10
