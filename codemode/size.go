package codemode

import (
	"github.com/exoagent/exoagent/exo/value"
)

// sequence is the source of a list that may be cut: the items
// of a list, or rows. Rows that fit do not become values.
type sequence interface {
	at(i int) value.Value
	size(i, limit int) int
	append(b []byte, i int) ([]byte, error)
}

type items struct{ value.Value }

func (l *items) at(i int) value.Value                   { return l.At(i) }
func (l *items) size(i, limit int) int                  { return size(l.At(i), limit) }
func (l *items) append(b []byte, i int) ([]byte, error) { return l.At(i).AppendJSON(b) }

type rowItems struct {
	rows *value.Rows
	w    *value.RowWriter
}

func (r rowItems) at(i int) value.Value                   { return r.rows.Row(i) }
func (r rowItems) append(b []byte, i int) ([]byte, error) { return r.w.Append(b, i) }

func (r rowItems) size(i, limit int) int {
	n, _ := r.w.Size(i, limit)
	return n
}

// size returns the bytes of v as JSON, or some number above limit. render has checked that all of v is data.
func size(v value.Value, limit int) int {
	n, _ := v.JSONSize(limit)
	return n
}
