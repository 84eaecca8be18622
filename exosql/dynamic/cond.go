package dynamic

import (
	"slices"
	"strconv"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Cond is a condition on the rows of a table. The zero Cond is an error. Values are Go's: an
// int, int64, float64, string, bool or time.Time. A decimal, a day, an interval, a UUID and a
// time may be given as text.
type Cond struct {
	op   string
	col  string
	vals []any
	subs []Cond
}

// Eq holds where the column equals v; like every comparison here it does not hold for NULL.
func Eq(column string, v any) Cond { return Cond{op: "eq", col: column, vals: []any{v}} }

// Ne holds where the column is neither v nor NULL.
func Ne(column string, v any) Cond { return Cond{op: "ne", col: column, vals: []any{v}} }

// Lt holds where the column is less than v.
func Lt(column string, v any) Cond { return Cond{op: "lt", col: column, vals: []any{v}} }

// Le holds where the column is at most v.
func Le(column string, v any) Cond { return Cond{op: "le", col: column, vals: []any{v}} }

// Gt holds where the column is greater than v.
func Gt(column string, v any) Cond { return Cond{op: "gt", col: column, vals: []any{v}} }

// Ge holds where the column is at least v.
func Ge(column string, v any) Cond { return Cond{op: "ge", col: column, vals: []any{v}} }

// In holds where the column is one of vs; of none, nowhere.
func In(column string, vs ...any) Cond { return Cond{op: "in", col: column, vals: vs} }

// IsNull holds where the column is NULL.
func IsNull(column string) Cond { return Cond{op: "isNull", col: column} }

// IsNotNull holds where the column is not NULL.
func IsNotNull(column string) Cond { return Cond{op: "isNotNull", col: column} }

// And holds where all of cs hold.
func And(cs ...Cond) Cond { return Cond{op: "and", subs: cs} }

// Or holds where one of cs holds.
func Or(cs ...Cond) Cond { return Cond{op: "or", subs: cs} }

// Not holds where c does not hold.
func Not(c Cond) Cond { return Cond{op: "not", subs: []Cond{c}} }

// AllRows is the one condition that does not narrow.
func AllRows() Cond { return Cond{op: "all"} }

func (c Cond) pred(t *Table) (*decl.Pred, error) {
	switch c.op {
	case "":
		return nil, wrong(t.t.Name, "a zero Cond, which matches no row; use AllRows if you mean every row")
	case "all":
		return &decl.Pred{Op: "all"}, nil
	case "and", "or", "not":
		if len(c.subs) == 0 {
			return nil, wrong(t.t.Name, "%s of no conditions", c.op)
		}
		p := &decl.Pred{Op: c.op}
		for _, s := range c.subs {
			q, err := s.pred(t)
			if err != nil {
				return nil, err
			}
			p.Subs = append(p.Subs, q)
		}
		return p, nil
	}
	col, err := t.col(c.col)
	if err != nil {
		return nil, err
	}
	p := &decl.Pred{Op: c.op, Col: col}
	for _, x := range c.vals {
		v, err := value(col, x)
		if err != nil {
			return nil, err
		}
		p.Vals = append(p.Vals, v)
	}
	if p.Checked(); p.Err != nil {
		return nil, p.Err
	}
	return p, nil
}

// value is a Go value as one of the column's type. What has another type is an error: SQLite
// would compare it as whatever it looks like.
func value(col *decl.Column, x any) (exo.Value, error) {
	at := col.Table.Name + "." + col.Name
	v := exo.Value{}
	switch x := x.(type) {
	case int:
		v = number(col.Kind, int64(x))
	case int64:
		v = number(col.Kind, x)
	case float64:
		switch col.Kind {
		case exo.TypeFloat:
			v = exo.Float(x)
		case exo.TypeDecimal:
			v = plan.Canonical(col.Kind, strconv.FormatFloat(x, 'f', -1, 64))
		}
	case bool:
		if col.Kind == exo.TypeBool {
			v = exo.Bool(x)
		}
	case time.Time:
		if col.Kind == exo.TypeTime {
			v = exo.Time(x)
		}
	case string:
		switch col.Kind {
		case exo.TypeText:
			if col.Enum != nil && !slices.Contains(col.Enum, x) {
				return v, wrong(at, "%q is none of its values, which are %s", x, list(slices.Clone(col.Enum)))
			}
			v = exo.Text(x)
		case exo.TypeTime:
			if t, ok := scalar.ParseTime(x); ok {
				v = exo.Time(t)
			}
		case exo.TypeDecimal, exo.TypeDate, exo.TypeInterval, exo.TypeUUID:
			v = plan.Canonical(col.Kind, x)
		}
	}
	if v.IsZero() {
		return v, wrong(at, "the column is %s, and %v (%T) is no value of it", col.Kind, x, x)
	}
	return v, nil
}

func number(kind string, n int64) exo.Value {
	switch kind {
	case exo.TypeInt:
		return exo.Int(n)
	case exo.TypeFloat:
		return exo.Float(float64(n))
	case exo.TypeDecimal:
		return plan.Canonical(kind, strconv.FormatInt(n, 10))
	}
	return exo.Value{}
}
