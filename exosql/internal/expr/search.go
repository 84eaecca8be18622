package expr

import (
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// Nothing stops an engine while it reads the texts of one row: no deadline, and no switch of the
// host. Each operator copies and reads a calculated text, so the operators of a row have a bound
// together. Stored texts that are only compared or searched have none, since the host stored them.
const (
	MaxHandled = 64 << 20  // MaxHandled bounds the bytes of calculated texts, weighted by the operators' work on each
	MaxHeld    = 128 << 20 // MaxHeld bounds the bytes of all texts calculated for a row: on SQLite they are in the host's memory
)

// search returns the operands of includes, with a bound on the size of the text to look for.
// (startsWith and endsWith need no bound: they take one step for each character.)
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

// Handle counts an operator's work on calculated texts, and the texts that it makes. The weights follow
// from the time for a byte: folding or searching takes about 60 ns, reading 8 and copying 1.5.
func (f *From) Handle(op sqlast.Op, args []Expr) {
	for _, a := range args {
		if _, val := asArgument(a); val || a.Type().Kind != value.TypeText {
			continue
		}
		n := a.Type().Size.Whole
		switch op {
		case sqlast.Lower, sqlast.Upper: // these operators also bound a stored text
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
