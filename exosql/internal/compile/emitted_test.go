package compile

import (
	"errors"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// leafExpr counts how often it is written, and ends the test where that goes on.
type leafExpr struct {
	t *testing.T
	n *int
}

func (e leafExpr) Type() expr.Type { return expr.Type{Kind: value.TypeBool} }

func (e leafExpr) SQL(*expr.From) sqlast.Expr {
	e.t.Helper()
	if *e.n++; *e.n > 2*expr.MaxEmitted {
		e.t.Fatalf("an operand was written %d times", *e.n)
	}
	return sqlast.Null
}

// Programs know no expression that doubles with each level, see TestLevelsDoNotDouble.
// If one is found, what is written of it is bounded, and the query is refused:
// part of it would be missing.
func TestDoublingIsRefused(t *testing.T) {
	for _, dialect := range []sqlast.Dialect{sqlast.SQLite, sqlast.Postgres} {
		n := 0
		f := newCompilerOn(expr.Engine{Dialect: dialect}, nil).newFrom(nil)
		var e expr.Expr = leafExpr{t, &n}
		for range 30 {
			e = expr.Apply(sqlast.Or, []expr.Expr{e, e}, e.Type())
		}
		f.where = append(f.where, e.SQL(&f.From))
		_, err := f.finish(&query{}, plan.RunCount, nil)
		if !errors.Is(err, fail.ErrLimit) || !strings.Contains(err.Error(), "repeats its expressions") {
			t.Errorf("dialect %v: %v", dialect, err)
		}
		if n == 0 || f.c.Emitted > expr.MaxEmitted+100 {
			t.Errorf("dialect %v: %d operations and %d operands were written", dialect, f.c.Emitted, n)
		}
	}
}
