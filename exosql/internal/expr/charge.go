package expr

// This file calculates charges: how much a sealed cell counts if it is calculated from labelled columns.

import (
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/sealed"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// MaxMadeSealed bounds, in bytes, what an engine may make for the sealed cells of one row. Without it, a text that joins many labelled
// values could make the row too large, and the error would reveal its length. Together with maxSealed plain columns, these cells fit
// in engine.MaxRow.
const MaxMadeSealed = 24 << 20

// ChargeOf returns the largest size that an expression's value can have, by the declarations of its
// columns. 0 means unknown: then limits count the size of the largest column.
func ChargeOf(e Expr) int {
	switch x := e.(type) {
	case Column:
		return sizeOfColumn(x.Col)
	case Argument:
		return sealed.Size(x.Kind)
	case Null:
		return 1
	case Text:
		return ChargeOf(x.X)
	case Native:
		return ChargeOf(x.x)
	case Operation:
		if x.of.Kind != value.TypeText {
			return sealed.Size(x.of.Kind)
		}
		switch x.Op {
		case sqlast.Brief, sqlast.Trim:
			return ChargeOf(x.Args[0]) // on PostgreSQL Brief has its operand twice in Args
		case sqlast.Lower, sqlast.Upper:
			return 3 * ChargeOf(x.Args[0]) // a letter may become up to three in the other case: see textSize
		case sqlast.Concat, sqlast.Coalesce:
			sum := 0
			for _, a := range x.Args {
				n := ChargeOf(a)
				if n == 0 {
					return 0
				}
				sum += n
			}
			return sum
		}
	}
	return 0
}

// sizeOfColumn returns the largest size of a column's value, labelled or not.
func sizeOfColumn(c *decl.Column) int {
	if c.Bytes > 0 {
		return c.Bytes
	}
	return sealed.Size(c.Kind)
}
