package worker

import (
	"encoding/binary"

	"github.com/exoagent/exoagent/exo"
)

// valueWriter writes values to the other side. Where the two sides differ it
// is by what they may hold: the host sends references, the worker sends rows
// back by the number under which they came.
type valueWriter struct {
	b     []byte
	items int
	typ   func(id uint32) *exo.Type // the host's: of a reference
	sent  *rowsLog                  // rows in the order in which they were sent, or came
	back  bool                      // it is the worker's: rows that came go back as their number
	types func([]byte, *exo.Type) []byte
}

func (w *valueWriter) value(v *exo.Value) {
	w.items++
	switch v.Kind() {
	case exo.KindList:
		w.b = appendCount(append(w.b, tagList), v.Len())
		for i := range v.Len() {
			x := v.At(i)
			w.value(&x)
		}
	case exo.KindRecord:
		w.b = appendCount(append(w.b, tagRecord), v.Len())
		for n, x := range v.Fields() {
			w.b = appendText(w.b, n)
			w.value(&x)
		}
	case exo.KindRows:
		w.rows(v.Rows())
	case exo.KindRef:
		w.b = append(w.b, tagRef)
		if w.types == nil { // no reference ever goes to the host
			w.b[len(w.b)-1] = tagNone
			return
		}
		w.b = binary.AppendUvarint(w.b, uint64(v.RefID()))
		w.b = w.types(w.b, w.typ(v.RefID()))
	default:
		w.b = appendScalar(w.b, v)
	}
}

// valueReader reads values of the other side. The zero valueReader reads plain
// data and nothing else.
type valueReader struct {
	*decoder
	sent  *rowsLog
	typed func(id uint32, t *exo.Type) // the worker's: it learns of a reference; nil: none may come
	back  bool                         // the host's: rows may come as their number
	same  int                          // bytes of text in the rows that came as a number
	given int                          // cells of those rows
}

// maxSame bounds the text of rows that come as numbers, which cost the sender nothing. It is
// above what the conversion of an honest worker admits.
const maxSame = 40 << 20

// maxAhead is how many values memory is taken for before they are there: a
// count says nothing of what follows it, and counts can be nested.
const maxAhead = 64

// claim reads a count that the frame may still hold.
func (r *valueReader) claim(size int) int {
	n := r.count(size)
	if n > r.items {
		r.fail("too many values")
		return 0
	}
	return n
}

func (r *valueReader) value(depth int) exo.Value {
	if r.items--; r.items < 0 || depth > maxDepth {
		r.fail("too many values, or nested too deeply")
		return exo.Value{}
	}
	switch tag := r.byte(); {
	case tag == tagList:
		n := r.claim(1)
		items := make([]exo.Value, 0, min(n, maxAhead))
		for range n {
			if items = append(items, r.value(depth+1)); r.err != nil {
				return exo.Value{}
			}
		}
		return exo.List(items...)
	case tag == tagRecord:
		return r.record(depth)
	case tag == tagRows && !r.back:
		return r.rows(depth)
	case tag == tagHeld && !r.back:
		return r.heldRows()
	case tag == tagSame && r.back:
		if n := r.upTo(uint64(len(r.sent.rows))); n < len(r.sent.rows) {
			rows := r.sent.rows[n]
			// Counted each time: a list of one array a thousand times over is small here,
			// and huge as text.
			r.given += len(rows.Cells)
			text, ok := r.sent.size(n)
			if r.same += text; !ok || r.same > maxSame || r.given > maxItems {
				r.fail("more rows than a result holds, or other ones")
				return exo.Value{}
			}
			return exo.RowsValue(rows)
		}
		r.fail("rows that were never sent")
		return exo.Value{}
	case tag == tagRef && r.typed != nil:
		id := r.upTo(1<<32 - 1)
		r.typed(uint32(id), r.typ())
		return exo.RefNumber(uint32(id))
	default:
		return r.scalar(tag)
	}
}

func (r *valueReader) record(depth int) exo.Value {
	n := r.claim(2)
	r.items -= n // names count like values
	fields := make([]exo.Field, 0, min(n, maxAhead))
	var seen map[string]bool
	if n > 12 {
		seen = map[string]bool{}
	}
	for i := range n {
		name := r.text()
		if exo.Text(name).Kind() == exo.NoValue {
			r.fail("no such name")
		}
		// Two fields of one name would be two readings of one record.
		if seen != nil {
			if seen[name] {
				r.fail("a name that is given twice")
			}
			seen[name] = true
		} else {
			for k := range i {
				if fields[k].Name == name {
					r.fail("a name that is given twice")
				}
			}
		}
		fields = append(fields, exo.Field{Name: name, Value: r.value(depth + 1)})
		if r.err != nil {
			return exo.Value{}
		}
	}
	return exo.Record(fields...)
}
