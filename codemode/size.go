package codemode

import (
	"math"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/scalar"
)

// sequence is what a list is cut from: the items of a list, or rows, of which
// none becomes a value as long as it fits.
type sequence interface {
	at(i int) exo.Value
	size(i, limit int) int
	append(b []byte, i int) ([]byte, error)
}

type items struct{ exo.Value }

func (l *items) at(i int) exo.Value                     { return l.At(i) }
func (l *items) size(i, limit int) int                  { return size(l.At(i), limit) }
func (l *items) append(b []byte, i int) ([]byte, error) { return l.At(i).AppendJSON(b) }

type rowItems struct {
	rows *exo.Rows
	w    *exo.RowWriter
}

func (r rowItems) at(i int) exo.Value                     { return r.rows.Row(i) }
func (r rowItems) append(b []byte, i int) ([]byte, error) { return r.w.Append(b, i) }

func (r rowItems) size(i, limit int) int {
	if n, ok := r.w.Size(i); ok {
		return n
	}
	n := r.w.Fixed()
	cells := r.w.Cells(i)
	for k := 0; k < len(cells) && n <= limit && n >= 0; k++ {
		n += size(cells[k], limit-n)
	}
	return n
}

// measure is how many bytes v has as JSON, or why it has none. Nothing of it is
// written for that: a result may be far larger than what is shown of it.
func measure(v exo.Value) (int, error) {
	n := size(v, math.MaxInt)
	if n < 0 {
		_, err := v.AppendJSON(nil) // the writer knows why
		return 0, err
	}
	return n, nil
}

// noData is the size of what has none: more than any sum of sizes makes up for.
const noData = math.MinInt / 2

// size is how many bytes v has as JSON, or some number above limit. It stops
// counting there, so that its cost is bounded by the limit and not by v. It is
// negative if it came upon something that is no data.
func size(v exo.Value, limit int) int {
	n := 0
	switch v.Type() {
	case exo.TypeNull:
		return len("null")
	case exo.TypeBool:
		if v.Bool() {
			return len("true")
		}
		return len("false")
	case exo.TypeInt:
		return intSize(v.Int())
	case exo.TypeTime:
		return len(scalar.TimeFormat) + len(`""`)
	case exo.TypeText:
		if len(v.Text()) > limit {
			return len(v.Text()) + len(`""`)
		}
		return textSize(v.Text())
	case exo.TypeList:
		for i := 0; i < v.Len() && n <= limit && n >= 0; i++ {
			n += size(v.At(i), limit-n) + len(",")
		}
		return listSize(n)
	case exo.TypeRows:
		if v.Len() == 0 {
			return len("[]")
		}
		rows := rowItems{v.Rows(), v.Rows().Writer()}
		for i := 0; i < v.Len() && n <= limit && n >= 0; i++ {
			n += rows.size(i, limit-n) + len(",")
		}
		return listSize(n)
	case exo.TypeRecord:
		for name, x := range v.Fields() {
			if n > limit || n < 0 {
				break
			}
			n += textSize(name) + len(":")
			n += size(x, limit-n) + len(",")
		}
		return listSize(n)
	}
	b, err := v.AppendJSON(make([]byte, 0, whole))
	if err != nil {
		return noData
	}
	return len(b)
}

// listSize adds the brackets to n, which counts a comma after each part.
func listSize(n int) int {
	if n < 0 {
		return noData
	}
	return max(n+1, 2)
}

func intSize(i int64) int {
	n, u := 1, uint64(i)
	if i > scalar.SafeInteger || i < -scalar.SafeInteger {
		n += len(`""`)
	}
	if i < 0 {
		n++
		u = -u
	}
	for u >= 10 {
		u /= 10
		n++
	}
	return n
}

func textSize(s string) int {
	n := len(s) + len(`""`)
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' {
			n += escaped(c) - 1
		}
	}
	return n
}

// escaped is how many bytes exo's JSON has for one byte of text.
func escaped(c byte) int {
	switch {
	case c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t':
		return 2
	case c < 0x20:
		return 6
	}
	return 1
}
