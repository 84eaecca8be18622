// Package panics has a mistake that exosql finds when the package starts.
package panics

import "github.com/exoagent/exoagent/exosql"

type row struct{ ID int64 }

var (
	Rows = exosql.NewTable[row]("t")
	A    = exosql.NewKey(Rows, "id", func(r *row) *int64 { return &r.ID })
	B    = exosql.NewKey(Rows, "id", func(r *row) *int64 { return &r.ID })
)
