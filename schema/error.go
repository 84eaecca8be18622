package schema

import "fmt"

// ReadError is an error while one part of a live database's catalogue was read.
type ReadError struct {
	What string // What is that part, like "the columns" or "table orders"
	Err  error
}

func (e *ReadError) Error() string {
	return Printable(fmt.Sprintf("schema: read %s: %v", e.What, e.Err))
}
func (e *ReadError) Unwrap() error { return e.Err }
