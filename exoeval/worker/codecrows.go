package worker

import "github.com/exoagent/exoagent/exo"

// rowsLog numbers rows as they cross to the worker, alike on both sides.
type rowsLog struct {
	rows  []*exo.Rows
	index map[*exo.Rows]int
	sizes []int        // known for those that came back
	held  map[int]held // those whose cells have not crossed, by number
}

// held is what a worker knows of rows whose cells it does not have.
type held struct {
	rows, text int // how many; bytes of text in them
}

func (l *rowsLog) add(r *exo.Rows) {
	if l.index == nil {
		l.index = map[*exo.Rows]int{}
	}
	l.index[r] = len(l.rows)
	l.rows = append(l.rows, r)
}

// hold notes that the cells of the rows added last stay where they are.
func (l *rowsLog) hold(h held) {
	if l.held == nil {
		l.held = map[int]held{}
	}
	l.held[len(l.rows)-1] = h
}

// release gives the rows of number n to be fetched, which is so once.
func (l *rowsLog) release(n uint64) (*exo.Rows, bool) {
	if _, ok := l.held[int(n)]; !ok || n >= uint64(len(l.rows)) {
		return nil, false
	}
	delete(l.held, int(n))
	return l.rows[n], true
}

// size is how many bytes of text are in the rows of number n; ok is false for
// rows that no honest worker gives back as a number. It counts what the conversion
// of a result counts: by another measure an honest result would be too large.
func (l *rowsLog) size(n int) (text int, ok bool) {
	for len(l.sizes) < len(l.rows) {
		l.sizes = append(l.sizes, unknown)
	}
	if l.sizes[n] == unknown {
		if text, ok := l.rows[n].Plain(); ok {
			l.sizes[n] = text
		} else {
			l.sizes[n] = notPlain
		}
	}
	return l.sizes[n], l.sizes[n] != notPlain
}

// In place of sizes.
const unknown, notPlain = -1, -2

// maxInline is how many cells cross with the reply. More are fetched when the
// program looks at one: most programs return rows and never do.
const maxInline = 300

// holds says whether rows stay with the host: there are many, and all cells are
// plain, so that their number and the size of their text are all that the program's
// side needs to count them.
func holds(r *exo.Rows) (h held, ok bool) {
	if len(r.Cells) <= maxInline {
		return h, false
	}
	if h.text, ok = r.Plain(); !ok {
		return h, false
	}
	h.rows = r.Len()
	return h, true
}

func (w *valueWriter) rows(r *exo.Rows) {
	if w.back {
		if n, ok := w.sent.index[r]; ok {
			w.b = appendCount(append(w.b, tagSame), n)
			return
		}
	} else {
		w.sent.add(r)
		if h, ok := holds(r); ok {
			w.sent.hold(h)
			w.b = appendShape(append(w.b, tagHeld), r.Shape)
			w.b = appendCount(appendCount(w.b, h.rows), h.text)
			return
		}
	}
	w.b = appendShape(append(w.b, tagRows), r.Shape)
	w.cells(r)
}

func (w *valueWriter) cells(r *exo.Rows) {
	w.b = appendCount(w.b, len(r.Cells))
	w.items += len(r.Cells)
	for i := range r.Cells {
		switch c := &r.Cells[i]; c.Kind() {
		case exo.KindList, exo.KindRecord, exo.KindRows, exo.KindRef:
			w.value(c)
		default:
			w.b = appendScalar(w.b, c)
		}
	}
}

func (r *valueReader) rows(depth int) exo.Value {
	x := &exo.Rows{Shape: r.shape(0)}
	if r.sent != nil {
		r.sent.add(x)
	}
	r.cells(x, depth)
	return exo.RowsValue(x)
}

// heldRows reads rows without cells. Only a host sends any.
func (r *valueReader) heldRows() exo.Value {
	x := &exo.Rows{Shape: r.shape(0)}
	r.sent.add(x)
	r.sent.hold(held{rows: r.upTo(1 << 31), text: r.upTo(1 << 40)})
	return exo.RowsValue(x)
}

func (r *valueReader) cells(x *exo.Rows, depth int) {
	width, n := x.Shape.Width(), r.claim(1)
	if width == 0 && n > 0 || width > 0 && n%width != 0 {
		r.fail("rows that don't fit their shape")
		return
	}
	x.Cells = make([]exo.Value, 0, min(n, 64*maxAhead))
	for range n {
		switch tag := r.byte(); tag {
		case tagList, tagRecord, tagRows, tagRef:
			r.at--
			x.Cells = append(x.Cells, r.value(depth+1))
		default:
			x.Cells = append(x.Cells, r.scalar(tag))
		}
		if r.err != nil {
			return
		}
	}
}

// appendFetch asks for the cells of the rows of number n.
func appendFetch(b []byte, n int) []byte {
	return end(appendCount(begin(b, frameFetch), n))
}

func decodeFetch(s string) (n uint64, err error) {
	d := decoder{s: s}
	n = d.uint()
	return n, d.done()
}

func appendCells(b []byte, r *exo.Rows) []byte {
	w := valueWriter{b: begin(b, frameCells)}
	w.cells(r)
	return end(w.b)
}

// decodeCells is the worker's.
func decodeCells(s string, into *exo.Rows, rows int) error {
	r := valueReader{decoder: &decoder{s: s, items: 1 << 40}}
	if r.cells(into, 0); into.Len() != rows {
		r.fail("another number of rows than was announced")
	}
	return r.done()
}
