package value

// This file reads what encode.go writes. Its memory is bounded by the length of the bytes, whatever they contain.

import (
	"math"
	"time"

	"github.com/exoagent/exoagent/internal/wire"
)

// Decoder reads values and messages in the canonical encoding, for packages that send them inside
// other bytes. Others use DecodeValue and DecodeExpr. The input may be hostile, so the Decoder's memory is
// bounded by its length and by Values. The zero Decoder reads what a guest may send: no label, no
// reference, no rows.
type Decoder struct {
	wire.Reader
	Values int // how many more values, names and cells the input may have

	// Extend reads the parts of a frame that are not in the encoding. If it is nil, rows and tags of at least 64 are refused.
	Extend interface {
		// Rows reports whether the frame may have these rows. Their shape has been read, and their cells come next.
		Rows(*Rows) bool
		// Read reads the content after a tag of at least 64, and returns how many bytes of rest it used.
		Read(tag byte, rest string) (v Value, read int, err error)
	}

	whole bool // labels, references and rows are allowed
}

// claim reads a count of values and checks it against Values.
func (d *Decoder) claim(size int) int {
	n := d.Count(size)
	if n > d.Values {
		d.Fail("too many values")
		return 0
	}
	return n
}

// Ref reads a reference as a guest has it: an object's number in its session, which means nothing
// in the guest's process.
func (d *Decoder) Ref() Value {
	return Value{kind: KindRef, bits: uint64(d.UpTo(1<<32 - 1))}
}

// Value reads a value.
func (d *Decoder) Value() Value { return d.value(0) }

func (d *Decoder) value(depth int) Value {
	if d.Values--; d.Values < 0 || depth > MaxDepth {
		d.Fail("too many values, or nested too deeply")
		return Value{}
	}
	return d.tagged(d.Byte(), depth)
}

// tagged reads the content of a value, after its tag.
func (d *Decoder) tagged(tag byte, depth int) Value {
	switch {
	case tag == tagList:
		return d.list(depth)
	case tag == tagRecord:
		return d.record(depth)
	case tag == tagRows && (d.whole || d.Extend != nil):
		return d.rows(depth)
	case tag == tagRef && d.whole:
		return d.Ref()
	case tag == tagLabelled && d.whole:
		return d.labelled(depth)
	case tag == tagSealed:
		return d.sealed()
	case tag >= wire.FirstExtension && d.Extend != nil:
		v, n, err := d.Extend.Read(tag, d.Rest())
		if d.Skip(n); err != nil {
			d.Set(err)
		}
		return v
	default:
		return d.scalar(tag)
	}
}

// scalar reads the content after the tag of a value without parts. It uses the constructors, which
// refuse an invalid value.
func (d *Decoder) scalar(tag byte) (v Value) {
	switch tag {
	case tagNull:
		return Null()
	case tagFalse:
		return Bool(false)
	case tagTrue:
		return Bool(true)
	case tagInt:
		return Int(d.Int())
	case tagFloat:
		v = Float(math.Float64frombits(d.Bits()))
	case tagText:
		v = Text(d.Text())
	case tagTime:
		v = Time(time.UnixMilli(d.Int()))
	}
	if v.kind == KindNone {
		d.Fail("no such value")
	}
	return v
}

func (d *Decoder) list(depth int) Value {
	n := d.claim(1)
	items := make([]Value, 0, min(n, wire.Ahead))
	for range n {
		if items = append(items, d.value(depth+1)); d.Err() != nil {
			return Value{}
		}
	}
	return Value{kind: KindList, ref: items}
}

func (d *Decoder) record(depth int) Value {
	n := d.claim(2)
	d.Values -= n // names count as values
	fields := make([]Field, 0, min(n, wire.Ahead))
	var seen nameSet
	for i := range n {
		name := d.name()
		// Refuse a name that occurs twice: the record could be read in two ways.
		if !seen.add(name, i, n, func(k int) string { return fields[k].Name }) {
			d.Fail("a name that is given twice")
		}
		fields = append(fields, Field{Name: name, Value: d.value(depth + 1)})
		if d.Err() != nil {
			return Value{}
		}
	}
	return Value{kind: KindRecord, ref: fields}
}

func (d *Decoder) name() string {
	name := d.Text()
	if !isText(name) {
		d.Fail("no such name")
	}
	return name
}

// labelled reads a value with its label. It refuses a tag that occurs twice or out of order, and a label
// without tags, since each would be a second encoding of the same value.
func (d *Decoder) labelled(depth int) Value {
	l := d.label()
	if d.Err() != nil {
		return Value{}
	}
	tag := d.Byte()
	if tag == tagLabelled || tag == tagSealed { // checked before the value is read: otherwise labels could nest as deep as the input is long
		d.Fail("a label on a label")
		return Value{}
	}
	v := d.tagged(tag, depth)
	v.label = l
	return v
}

func (d *Decoder) label() Label {
	n := d.claim(1)
	if d.Values -= n; n == 0 {
		d.Fail("a label without a tag")
	}
	tags := make([]string, 0, min(n, wire.Ahead))
	for i := range n {
		t := d.name()
		if i > 0 && t <= tags[i-1] {
			d.Fail("tags of a label out of order")
		}
		if tags = append(tags, t); d.Err() != nil {
			return Label{}
		}
	}
	return NewLabel(tags...)
}

// sealed reads a sealed cell as the guest names it. The session checks that the run has this cell.
func (d *Decoder) sealed() Value {
	v := Value{kind: KindSealed, bits: uint64(d.UpTo(1<<32 - 1)), str: d.Text()}
	if d.Err() == nil && !Sealable(v.str) {
		d.Fail("a sealed value of an unknown type")
	}
	v.label = d.label()
	return v
}

func (d *Decoder) rows(depth int) Value {
	r := &Rows{Shape: d.Shape()}
	if d.Err() == nil && !d.whole && !d.Extend.Rows(r) {
		d.Fail("rows that may not come")
	}
	d.cells(r, depth)
	return Value{kind: KindRows, ref: r}
}

// Shape reads a shape.
func (d *Decoder) Shape() *Shape { return d.shape(0) }

func (d *Decoder) shape(depth int) *Shape {
	s := &Shape{}
	if depth > MaxDepth {
		d.Fail("a shape that is nested too deeply")
		return s
	}
	n := d.Count(2)
	s.Names = make([]string, 0, min(n, wire.Ahead))
	var seen nameSet
	for i := range n {
		name := d.name()
		if !seen.add(name, i, n, func(k int) string { return s.Names[k] }) {
			d.Fail("a name that is given twice")
		}
		var sub *Shape
		if s.Names = append(s.Names, name); d.Bool() {
			sub = d.shape(depth + 1)
			if s.Subs == nil {
				s.Subs = make([]*Shape, i, min(n, i+wire.Ahead))
			}
		}
		if s.Subs != nil {
			s.Subs = append(s.Subs, sub)
		}
		if d.Err() != nil {
			return s
		}
	}
	return s
}

// PlainCells reads the number of cells, and the cells, into rows of a known shape that has only
// scalars. It keeps the cells encoded, as a part of the input, and refuses other cells.
func (d *Decoder) PlainCells(into *Rows) {
	width, n := into.Shape.Width(), d.claim(1)
	if width == 0 && n > 0 || width > 0 && n%width != 0 {
		d.Fail("rows that don't fit their shape")
		return
	}
	d.Values -= n
	if n == 0 {
		return
	}
	p := &packed{plain: true, rows: n / width, tally: tally{values: n}}
	cells, begin := d.Rest(), d.At()
	marks := make([]uint32, 0, p.rows/markEach+1)
	for row := range p.rows {
		if row%markEach == 0 {
			marks = append(marks, uint32(d.At()-begin))
		}
		for range width {
			v := d.scalar(d.Byte())
			if d.Err() != nil {
				return
			}
			p.wide = p.wide || v.Wide()
			p.text += len(v.str)
			p.size += TextBytes(len(v.str))
		}
	}
	p.pages = []page{{cells: cells[:d.At()-begin], marks: marks}}
	into.packed = p
}

func (d *Decoder) cells(r *Rows, depth int) {
	width, n := r.Shape.Width(), d.claim(1)
	if width == 0 && n > 0 || width > 0 && n%width != 0 {
		d.Fail("rows that don't fit their shape")
		return
	}
	d.Values -= n
	r.Cells = make([]Value, 0, min(n, 64*wire.Ahead))
	for range n {
		switch tag := d.Byte(); {
		case tag < tagList:
			r.Cells = append(r.Cells, d.scalar(tag))
		case depth == MaxDepth:
			d.Fail("nested too deeply")
		default:
			r.Cells = append(r.Cells, d.tagged(tag, depth+1))
		}
		if d.Err() != nil {
			return
		}
	}
}
