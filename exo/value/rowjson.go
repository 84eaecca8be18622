package value

// This file writes rows as JSON. It makes the text that all rows share only once.

// RowWriter writes rows of one shape as JSON. The names and brackets, which all
// rows share, are made once.
type RowWriter struct {
	*RowReader
	before []string // the text before each cell
	after  string   // the text after the last cell

	scratch []byte // a buffer for Size
}

// Writer makes a RowWriter for r.
func (r *Rows) Writer() *RowWriter {
	w := &RowWriter{RowReader: r.Reader()}
	if r.Shape == nil { // a value without a shape has no rows
		return w
	}
	w.after = string(w.shape(nil, r.Shape))
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

// Append writes row i.
func (w *RowWriter) Append(b []byte, i int) ([]byte, error) {
	j := jsonWriter{b: b}
	w.row(&j, i)
	return j.all()
}

// Size returns the size of row i as [Value.JSONSize] does.
func (w *RowWriter) Size(i, limit int) (int, error) {
	j := jsonWriter{b: w.scratch, counts: true, limit: limit}
	w.row(&j, i)
	w.scratch = j.b
	return j.n, j.err
}

func (w *RowWriter) row(j *jsonWriter, i int) {
	if w.rows.packed != nil {
		cells, at := w.seek(i)
		for _, s := range w.before {
			j.raw(s)
			if cells[at] == tagText {
				u, from := uvarint(cells, at+1)
				at = from + int(u)
				j.text(cells[from:at])
				continue
			}
			var v Value
			v, at = cellAt(cells, at)
			j.value(&v)
		}
		w.at, w.next = at, i+1
	} else {
		cells := w.Cells(i)
		for k, s := range w.before {
			if j.raw(s); j.err != nil || j.counts && j.n > j.limit {
				break
			}
			j.value(&cells[k])
		}
	}
	j.raw(w.after)
}
