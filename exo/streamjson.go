package exo

import "io"

// streamBytes is how much of a value's JSON stands in memory while it is written away: so
// much, and one item of a list or one row more.
const streamBytes = 16 << 10

// WriteJSON writes what AppendJSON gives, piece by piece: a large value is not held a
// second time as a text. An error of w ends it; so does a value that has no JSON, after parts of it
// may have been written.
func (v Value) WriteJSON(w io.Writer) error {
	s := &jsonStream{w: w, b: make([]byte, 0, streamBytes+streamBytes/4)}
	s.value(&v)
	s.flush(0)
	return s.err
}

// jsonStream writes values until the first error.
type jsonStream struct {
	w   io.Writer
	b   []byte // what is not written yet
	err error
}

func (s *jsonStream) value(v *Value) {
	switch v.kind {
	case kindList:
		s.list(len(v.ref.([]Value)), func(i int) { s.value(&v.ref.([]Value)[i]) })
	case kindRecord:
		fields := v.ref.([]Field)
		s.b = append(s.b, '{')
		for i := 0; i < len(fields) && s.err == nil; i++ {
			if i > 0 {
				s.b = append(s.b, ',')
			}
			s.b = append(appendJSONText(s.b, fields[i].Name), ':')
			s.value(&fields[i].Value)
		}
		s.b = append(s.b, '}')
	case kindRows:
		if v.Rows().Len() == 0 {
			s.b = append(s.b, "[]"...)
			return
		}
		rows := v.Rows().Writer()
		s.list(v.Rows().Len(), func(i int) { s.took(rows.Append(s.b, i)) })
	default:
		s.took(v.appendJSON(s.b))
	}
}

func (s *jsonStream) list(n int, item func(i int)) {
	s.b = append(s.b, '[')
	for i := 0; i < n && s.err == nil; i++ {
		if i > 0 {
			s.b = append(s.b, ',')
		}
		item(i)
	}
	s.b = append(s.b, ']')
}

// took takes what an Append has returned.
func (s *jsonStream) took(b []byte, err error) {
	if err != nil {
		s.b, s.err = s.b[:0], err
		return
	}
	s.b = b
	s.flush(streamBytes)
}

// flush writes what is there if it is more than so many bytes.
func (s *jsonStream) flush(most int) {
	if s.err != nil || len(s.b) <= most {
		return
	}
	n, err := s.w.Write(s.b)
	if err == nil && n < len(s.b) {
		err = io.ErrShortWrite
	}
	s.b, s.err = s.b[:0], err
}
