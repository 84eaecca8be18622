package expr

import (
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// Nothing stops an engine within the texts of one row: no deadline, and no switch of the host.
// Each operator copies and reads a calculated text, so all operators together have a bound. A
// stored text that is only compared or searched has none: the host put it there.
const (
	MaxHandled = 64 << 20  // bytes of calculated texts, weighted by the operator's work on each
	MaxHeld    = 128 << 20 // bytes of all texts calculated for a row: on SQLite they take the host's memory
)

// search returns the operands of includes. (startsWith and endsWith only take a step for each
// character.)
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

// Handle counts an operator's work on calculated texts, and the texts that it makes. A byte
// takes about 60 ns to fold or to search, 8 to read, and 1.5 to copy.
func (f *From) Handle(op sqlast.Op, args []Expr) {
	for _, a := range args {
		if _, val := asArgument(a); val || a.Type().Kind != value.TypeText {
			continue
		}
		n := a.Type().Size.Whole
		switch op {
		case sqlast.Lower, sqlast.Upper: // also a stored text, which gets a bound for this
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
