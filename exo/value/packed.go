package value

// This file stores many rows as bytes. value.go has the rows that callers see.

import (
	"bytes"
	"encoding/binary"
	"math"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/exoagent/exoagent/internal/wire"
)

// packed has the cells of many rows in the canonical encoding, as bytes without pointers. A Value
// would take more memory than most cells, and most programs return rows without reading them. The
// writers of JSON, frames and digests read the bytes directly.
type packed struct {
	pages []page
	rows  int
	plain bool // every cell is a scalar
	wide  bool // a cell has a whole number that JavaScript's numbers can't represent
	tally
}

// tally counts the size of cells.
type tally struct {
	text   int // the bytes of all texts
	size   int // the bytes as Value.Bytes counts them
	values int // the values as Encoder.Values counts them
}

// page has the bytes of whole rows, one after the other.
type page struct {
	cells string
	first int      // the number of its first row
	marks []uint32 // the offset of every row with a number in the page that is a multiple of markEach
}

const (
	firstPage = 1 << 10 // bytes of the first page; a larger row has a page of its own
	lastPage  = 16 << 10
	markEach  = 16
)

// RowsBuilder makes rows of one shape, cell by cell. Plain cells are stored as bytes, not as
// Values. Make it with NewRowsBuilder.
type RowsBuilder struct {
	shape *Shape
	width int
	p     packed
	row   []byte // the bytes of the row that is not complete yet
	cells int    // how many cells row has
	of    tally  // the tally of row
	page  strings.Builder
	n     int // how many rows page has
	marks []uint32
	next  int // how many bytes the next page gets

	loose bool // a cell could not be packed, so the cells are Values now
	all   []Value
}

// NewRowsBuilder begins rows of a shape, which must not change afterwards.
func NewRowsBuilder(s *Shape) *RowsBuilder {
	return &RowsBuilder{shape: s, width: s.Width(), p: packed{plain: true}, next: firstPage}
}

// Add adds the next cell.
func (b *RowsBuilder) Add(v Value) {
	if !b.loose && !b.pack(&v) {
		b.unpack()
	}
	if b.loose {
		b.all = append(b.all, v)
	}
}

// pack returns false for a cell that can't be packed: one that an Encoder refuses, that has a
// label, or that is nested deeper than a reply may be.
func (b *RowsBuilder) pack(v *Value) bool {
	b.p.wide = b.p.wide || v.Wide()
	if v.kind > KindNone && v.kind < KindList && v.label.set == nil {
		b.of.text += len(v.str)
		b.row = appendScalar(b.row, v)
		b.took(1, TextBytes(len(v.str)))
		return true
	}
	e := Encoder{B: b.row, Plain: true}
	if e.value(v, 1+MaxDepth-MaxReplyDepth); e.err != nil || v.AllLabels().set != nil {
		return false
	}
	b.row, b.p.plain = e.B, false
	b.took(e.Values, v.Bytes())
	return true
}

// unpack makes a Value of each cell that was added.
func (b *RowsBuilder) unpack() {
	n, part, cells := b.p.rows, b.row, b.cells
	r := b.Rows().Reader()
	b.p = packed{}
	b.row, b.cells = nil, 0
	b.loose, b.all = true, make([]Value, 0, n*b.width+cells+1)
	for i := range n {
		b.all = append(b.all, r.Cells(i)...)
	}
	page := string(part)
	for at := 0; cells > 0; cells-- {
		var v Value
		v, at = cellAt(page, at)
		b.all = append(b.all, v)
	}
}

// AddText adds a text. The caller may overwrite its bytes afterwards. It returns false, and adds
// nothing, if the bytes are no valid text.
func (b *RowsBuilder) AddText(s []byte) bool {
	if !utf8.Valid(s) || bytes.IndexByte(s, 0) >= 0 {
		return false
	}
	if b.loose {
		b.all = append(b.all, Value{kind: KindText, str: string(s)})
		return true
	}
	b.row = append(binary.AppendUvarint(append(b.row, tagText), uint64(len(s))), s...)
	b.of.text += len(s)
	b.took(1, TextBytes(len(s)))
	return true
}

// took counts a cell. If the cell ends a row, took puts the row into a page.
func (b *RowsBuilder) took(values, size int) {
	b.of.values += values
	b.of.size += size
	if b.cells++; b.cells < b.width {
		return
	}
	if b.page.Cap()-b.page.Len() < len(b.row) { // begin another page instead of a larger one, since growing would copy the rows
		b.seal()
		b.page.Grow(max(b.next, len(b.row)))
		b.next = min(2*b.next, lastPage)
	}
	if b.n%markEach == 0 {
		b.marks = append(b.marks, uint32(b.page.Len()))
	}
	b.page.Write(b.row)
	b.p.tally = tally{b.p.text + b.of.text, b.p.size + b.of.size, b.p.values + b.of.values}
	b.row, b.cells, b.of = b.row[:0], 0, tally{}
	b.n++
	b.p.rows++
}

func (b *RowsBuilder) seal() {
	if b.n > 0 {
		b.p.pages = append(b.p.pages, page{b.page.String(), b.p.rows - b.n, b.marks})
	}
	b.page, b.n, b.marks = strings.Builder{}, 0, make([]uint32, 0, len(b.marks))
}

// Len returns how many cells were added.
func (b *RowsBuilder) Len() int { return len(b.all) + b.p.rows*b.width + b.cells }

// Rows returns the complete rows. The builder must not be used afterwards.
func (b *RowsBuilder) Rows() *Rows {
	if b.loose {
		return &Rows{Shape: b.shape, Cells: b.all[:len(b.all)/b.width*b.width]}
	}
	b.seal()
	p := b.p
	return &Rows{Shape: b.shape, packed: &p}
}

// RowReader reads the cells of rows. Only one goroutine may use it. It is fastest if rows are read
// in order.
type RowReader struct {
	rows  *Rows
	width int
	buf   []Value
	page  int
	at    int // the offset in the page
	next  int // the number of the row that begins at that offset
}

// Reader makes a RowReader of r.
func (r *Rows) Reader() *RowReader {
	c := &RowReader{rows: r}
	if r.Shape != nil {
		c.width = r.Shape.Width()
	}
	return c
}

// Cells returns the cells of row i. They are valid until the next call and must not be changed.
func (c *RowReader) Cells(i int) []Value {
	if c.rows.packed == nil {
		return c.rows.Cells[i*c.width : (i+1)*c.width]
	}
	s, at := c.seek(i)
	if cap(c.buf) < c.width {
		c.buf = make([]Value, c.width)
	}
	c.buf = c.buf[:c.width]
	for k := range c.buf {
		c.buf[k], at = cellAt(s, at)
	}
	c.at, c.next = at, i+1
	return c.buf
}

// seek returns the page's bytes and the offset at which packed row i begins.
func (c *RowReader) seek(i int) (cells string, at int) {
	p := c.rows.packed
	if i != c.next || c.page >= len(p.pages) || c.at == len(p.pages[c.page].cells) {
		c.page = sort.Search(len(p.pages), func(k int) bool { return p.pages[k].first > i }) - 1
		in := i - p.pages[c.page].first
		c.at, c.next = int(p.pages[c.page].marks[in/markEach]), i-in%markEach
		for ; c.next < i; c.next++ {
			for range c.width {
				c.at = afterCell(p.pages[c.page].cells, c.at)
			}
		}
	}
	return p.pages[c.page].cells, c.at
}

// cellAt reads the cell that appendScalar or an Encoder wrote at an offset of a page.
func cellAt(s string, at int) (v Value, next int) {
	tag := s[at]
	at++
	switch tag {
	case tagNull:
		return Value{kind: KindNull}, at
	case tagFalse:
		return Value{kind: KindBool}, at
	case tagTrue:
		return Value{kind: KindBool, bits: 1}, at
	case tagInt, tagTime:
		u, at := uvarint(s, at)
		v.kind, v.bits = KindInt, u>>1^-(u&1)
		if tag == tagTime {
			v.kind = KindTime
		}
		return v, at
	case tagFloat:
		for i := range 8 {
			v.bits |= uint64(s[at+i]) << (8 * i)
		}
		v.kind = KindFloat
		return v, at + 8
	case tagText:
		u, at := uvarint(s, at)
		return Value{kind: KindText, str: s[at : at+int(u)]}, at + int(u)
	}
	d := Decoder{Reader: wire.NewReader(s[at-1:]), Values: math.MaxInt}
	v = d.Value()
	return v, at - 1 + d.At()
}

// afterCell returns the offset of the end of the cell that begins at an offset.
func afterCell(s string, at int) int {
	switch tag := s[at]; tag {
	case tagNull, tagFalse, tagTrue:
		return at + 1
	case tagInt, tagTime:
		_, at = uvarint(s, at+1)
		return at
	case tagFloat:
		return at + 9
	case tagText:
		u, at := uvarint(s, at+1)
		return at + int(u)
	}
	_, at = cellAt(s, at)
	return at
}

func uvarint(s string, at int) (x uint64, next int) {
	for shift := 0; ; shift += 7 {
		c := s[at]
		at++
		x |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return x, at
		}
	}
}
