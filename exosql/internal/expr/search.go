package expr

import (
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// Nothing stops what an engine does with the texts of one row: no deadline, and no switch of
// the host. Each operator copies and reads a text that is put together, so all of them
// together have a bound. A stored text that is only compared or searched has none: it is
// the host's.
const (
	MaxHandled = 64 << 20  // bytes of made texts, weighed by what an operator does with each
	MaxHeld    = 128 << 20 // bytes of all texts that are made for a row: on SQLite they are the host's memory
)

// search gives the operands of includes. startsWith and endsWith take a step for each
// character.
func (f *From) search(args []Expr) []Expr {
	needle := args[1]
	if v, ok := asArgument(needle); ok {
		v.Src.Needle = true
		needle = Text{v}
	} else if !isNull(needle) {
		t := Type{Kind: value.TypeText, Size: Digits{Whole: plan.MaxNeedle}}
		if f.c.Dialect == sqlast.Postgres {
			needle = Operation{sqlast.Short, []Expr{needle, needle}, t}
		} else {
			needle = Operation{sqlast.Short, []Expr{needle}, t}
		}
	}
	return []Expr{args[0], needle}
}

// Handle counts what an operator does with texts that are put together, and what it
// makes of them. A byte costs it some 60 ns to fold or to search, 8 to read, and 1.5
// to copy.
func (f *From) Handle(op sqlast.Op, args []Expr) {
	for _, a := range args {
		if _, val := asArgument(a); val || a.Type().Kind != value.TypeText {
			continue
		}
		n := a.Type().Size.Whole
		switch op {
		case sqlast.Lower, sqlast.Upper: // also a stored text, which is bounded for it
			n = max(n, plan.MaxBrief)
			f.c.Held += 3 * n
		case sqlast.Includes, sqlast.Like:
		case sqlast.Concat:
			n = max(n, plan.MaxBrief)
			f.c.Held += n
			n /= 32
		default:
			n /= 4
		}
		f.c.Handled += n
	}
}
