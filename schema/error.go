package schema

import "fmt"

// ReadError is an error in reading one part of a live database's catalogue.
type ReadError struct {
	What string // "the columns", "table orders"
	Err  error
}

func (e *ReadError) Error() string {
	return Printable(fmt.Sprintf("schema: read %s: %v", e.What, e.Err))
}
func (e *ReadError) Unwrap() error { return e.Err }
