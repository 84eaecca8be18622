package compile

import (
	"errors"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// leafExpr counts how often it is written, and ends the test where that goes on.
type leafExpr struct {
	t *testing.T
	n *int
}

func (e leafExpr) Type() Type { return Type{kind: value.TypeBool} }

func (e leafExpr) SQL(*From) sqlast.Expr {
	e.t.Helper()
	if *e.n++; *e.n > 2*maxEmitted {
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
		f := newCompilerOn(Engine{Dialect: dialect}, nil).newFrom(nil)
		var e expr = leafExpr{t, &n}
		for range 30 {
			e = Operation{sqlast.Or, []expr{e, e}, e.Type()}
		}
		f.where = append(f.where, e.SQL(&f.From))
		_, err := f.finish(&query{}, plan.RunCount, nil)
		if !errors.Is(err, fail.ErrLimit) || !strings.Contains(err.Error(), "repeats its expressions") {
			t.Errorf("dialect %v: %v", dialect, err)
		}
		if n == 0 || f.c.emitted > maxEmitted+100 {
			t.Errorf("dialect %v: %d operations and %d operands were written", dialect, f.c.emitted, n)
		}
	}
}
