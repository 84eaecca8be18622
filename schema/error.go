package schema

import "fmt"

// SyntaxError says where the text of a definition can't be read, and what would be
// right there.
type SyntaxError struct {
	Line, Column int // from 1; columns count characters
	Msg          string
}

func (e *SyntaxError) Error() string {
	return Printable(fmt.Sprintf("schema: %d:%d: %s", e.Line, e.Column, e.Msg))
}

// ReadError says which part of a live database can't be read.
type ReadError struct {
	What string // "the columns", "table orders"
	Err  error
}

func (e *ReadError) Error() string {
	return Printable(fmt.Sprintf("schema: read %s: %v", e.What, e.Err))
}
func (e *ReadError) Unwrap() error { return e.Err }
