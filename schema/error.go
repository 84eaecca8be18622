package schema

import "fmt"

// ReadError says which part of a live database can't be read.
type ReadError struct {
	What string // "the columns", "table orders"
	Err  error
}

func (e *ReadError) Error() string {
	return Printable(fmt.Sprintf("schema: read %s: %v", e.What, e.Err))
}
func (e *ReadError) Unwrap() error { return e.Err }
