package exosql

import (
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// To look for one text in another takes PostgreSQL the product of their lengths at
// worst, for a row, and neither a deadline nor the host's switch can stop it meanwhile. So
// what is looked for is short, and what is put together to be looked through has a
// bound for the whole statement. A stored text has none: it is the host's.
const (
	maxNeedle   = 200 // bytes; a longer text of a row has no value then. Also in sqlast.Short
	maxSearched = 32 << 20
)

// search gives the operands of includes. startsWith and endsWith take a step for each
// character.
func (f *from) search(args []expr) []expr {
	needle := args[1]
	if v, ok := value(needle); ok {
		v.src.needle = true
		needle = textExpr{v}
	} else if !isNull(needle) {
		t := exprType{kind: exo.TypeText, size: digits{whole: maxNeedle}}
		if f.c.dialect == sqlast.Postgres {
			needle = opExpr{sqlast.Short, []expr{needle, needle}, t}
		} else {
			needle = opExpr{sqlast.Short, []expr{needle}, t}
		}
	}
	f.searched(args[0])
	return []expr{args[0], needle}
}

// searched counts a text that is looked through.
func (f *from) searched(e expr) {
	if _, value := value(e); !value {
		f.c.searched += e.typ().size.whole
	}
}
