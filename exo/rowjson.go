package exo

// RowWriter writes rows of one shape as JSON. The names and brackets, which all
// rows share, are made once.
type RowWriter struct {
	*RowReader
	before []string // what stands before each cell
	after  string   // and after the last
	fixed  int

	scratch []byte // see Size
}

// Writer makes a RowWriter for r.
func (r *Rows) Writer() *RowWriter {
	w := &RowWriter{RowReader: r.Reader()}
	if r.Shape == nil { // no rows, then
		return w
	}
	w.after = string(w.shape(nil, r.Shape))
	w.fixed = len(w.after)
	for _, s := range w.before {
		w.fixed += len(s)
	}
	return w
}

func (w *RowWriter) shape(b []byte, s *Shape) []byte {
	b = append(b, '{')
	for i, n := range s.Names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendJSONText(b, n), ':')
		if sub := s.Sub(i); sub != nil {
			b = w.shape(b, sub)
			continue
		}
		w.before = append(w.before, string(b))
		b = b[:0]
	}
	return append(b, '}')
}

// Fixed is how many bytes every row has besides its cells.
func (w *RowWriter) Fixed() int { return w.fixed }

// Append writes row i.
func (w *RowWriter) Append(b []byte, i int) ([]byte, error) {
	if w.rows.packed != nil {
		return w.packed(b, i)
	}
	cells := w.Cells(i)
	for k, s := range w.before {
		b = append(b, s...)
		var err error
		if b, err = cells[k].appendJSON(b); err != nil {
			return nil, err
		}
	}
	return append(b, w.after...), nil
}

func (w *RowWriter) packed(b []byte, i int) ([]byte, error) {
	cells, at := w.seek(i)
	for _, s := range w.before {
		b = append(b, s...)
		if cells[at] == tagText {
			u, from := uvarint(cells, at+1)
			at = from + int(u)
			b = appendJSONText(b, cells[from:at])
			continue
		}
		var v Value
		v, at = cellAt(cells, at)
		var err error
		if b, err = v.appendJSON(b); err != nil {
			return nil, err
		}
	}
	w.at, w.next = at, i+1
	return append(b, w.after...), nil
}

// Size is how many bytes Append writes for row i, and writes nothing. ok is false where
// that is not known without making values of the cells: then they are read with Cells.
func (w *RowWriter) Size(i int) (n int, ok bool) {
	if p := w.rows.packed; p == nil || !p.plain {
		return 0, false
	}
	cells, at := w.seek(i)
	n = w.fixed
	for range w.before {
		if cells[at] == tagText {
			u, from := uvarint(cells, at+1)
			at = from + int(u)
			n += textBytes(cells[from:at])
			continue
		}
		var v Value
		v, at = cellAt(cells, at)
		w.scratch, _ = v.appendJSON(w.scratch[:0]) // a number, a time: short, and a scalar has no error
		n += len(w.scratch)
	}
	w.at, w.next = at, i+1
	return n, true
}
