package dynamic

import (
	"reflect"
	"slices"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// Predicate is a condition on the rows of a table. [Facet.Grant] and [ScopeRows] apply it to their table. The zero Predicate is an error.
//
// A value must fit the type of the column:
//
// - integers of every size, floats and json.Number for int, float and decimal columns that can represent them exactly;
//
// - a text, bool, time.Time, [16]byte, []byte, and exosql's Decimal, Date and Interval for columns of their types;
//
// - a text also for a decimal, day, interval, UUID or time.
//
// A named type counts as its underlying type, and a pointer as its target. nil is no value: see [IsNull]. For any other value the error names its
// type.
type Predicate struct {
	op, col string
	vals    []any
	subs    []Predicate
}

func compare(op, column string, vs ...any) Predicate {
	return Predicate{op: op, col: column, vals: vs}
}

// Eq matches rows in which the column equals v. Like every comparison here, it matches no row in which the column is NULL.
func Eq(column string, v any) Predicate { return compare("eq", column, v) }

// Ne matches rows in which the column is neither v nor NULL.
func Ne(column string, v any) Predicate { return compare("ne", column, v) }

// Lt matches rows in which the column is less than v.
func Lt(column string, v any) Predicate { return compare("lt", column, v) }

// Le matches rows in which the column is at most v.
func Le(column string, v any) Predicate { return compare("le", column, v) }

// Gt matches rows in which the column is greater than v.
func Gt(column string, v any) Predicate { return compare("gt", column, v) }

// Ge matches rows in which the column is at least v.
func Ge(column string, v any) Predicate { return compare("ge", column, v) }

// Between matches rows in which the column is at least low and at most high.
func Between(column string, low, high any) Predicate { return compare("between", column, low, high) }

// In matches rows in which the column equals one of vs. Without vs it matches no row. A slice among vs counts as its elements: In("id", []int64{1,
// 2}) is In("id", 1, 2).
func In(column string, vs ...any) Predicate { return compare("in", column, elements(vs)...) }

// NotIn matches rows in which the column is not NULL and equals none of vs. Without vs it matches every row in which the column is not NULL. A
// slice among vs counts as its elements.
func NotIn(column string, vs ...any) Predicate { return compare("notIn", column, elements(vs)...) }

// elements replaces each slice by its elements, but keeps bytes as one value.
func elements(vs []any) []any {
	out := make([]any, 0, len(vs))
	for _, v := range vs {
		r := reflect.ValueOf(v)
		if !r.IsValid() || r.Kind() != reflect.Slice || r.Type().Elem().Kind() == reflect.Uint8 {
			out = append(out, v)
			continue
		}
		for i := range r.Len() {
			out = append(out, r.Index(i).Interface())
		}
	}
	return out
}

// IsNull matches rows in which the column is NULL.
func IsNull(column string) Predicate { return compare("isNull", column) }

// IsNotNull matches rows in which the column is not NULL.
func IsNotNull(column string) Predicate { return compare("isNotNull", column) }

// Like matches rows in which the text matches the pattern: % is any text, _ is one character, and \ makes the next character literal. Upper and
// lower case differ, on every engine.
func Like(column, pattern string) Predicate { return compare("like", column, pattern) }

// ILike matches like Like, but ignores case by Unicode's rules.
func ILike(column, pattern string) Predicate { return compare("ilike", column, pattern) }

// Includes matches rows in which the text contains s.
func Includes(column, s string) Predicate { return compare("includes", column, s) }

// StartsWith matches rows in which the text starts with s.
func StartsWith(column, s string) Predicate { return compare("startsWith", column, s) }

// EndsWith matches rows in which the text ends with s.
func EndsWith(column, s string) Predicate { return compare("endsWith", column, s) }

// Has matches rows in which v is an element of the array.
func Has(column string, v any) Predicate { return compare("has", column, v) }

// And matches rows that all ps match. Without ps it is an error.
func And(ps ...Predicate) Predicate { return Predicate{op: "and", subs: slices.Clone(ps)} }

// Or matches rows that at least one of ps matches. Without ps it is an error.
func Or(ps ...Predicate) Predicate { return Predicate{op: "or", subs: slices.Clone(ps)} }

// Not matches rows that p does not match. If p compares with NULL, neither p nor Not(p) matches.
func Not(p Predicate) Predicate { return Predicate{op: "not", subs: []Predicate{p}} }

// AllRows matches every row. It is the only predicate that does not narrow.
func AllRows() Predicate { return Predicate{op: "all"} }

// Check returns an error if the predicate does not fit rows of the table.
func (t *Table) Check(p Predicate) error {
	if t.zero() {
		return undeclared("Table", "Declarations.Table")
	}
	_, err := p.on(t)
	return err
}

// on converts the predicate to one of package decl, for rows of t.
func (p Predicate) on(t *Table) (*decl.Pred, error) {
	switch p.op {
	case "":
		return nil, wrong(t.t.Name, "the Predicate is zero and matches no row; use AllRows if you mean every row")
	case "all":
		return &decl.Pred{Op: "all"}, nil
	case "and", "or", "not":
		if len(p.subs) == 0 {
			return nil, wrong(t.t.Name, "the condition `%s` was given no predicates: want one or more", p.op)
		}
		out := &decl.Pred{Op: p.op}
		for _, s := range p.subs {
			sub, err := s.on(t)
			if err != nil {
				return nil, err
			}
			out.Subs = append(out.Subs, sub)
		}
		return out, nil
	}
	col, err := t.col(p.col)
	if err != nil {
		return nil, err
	}
	out := &decl.Pred{Op: p.op, Col: col}
	if out.Vals, err = p.values(col); err != nil {
		return nil, err
	}
	if out.Checked(); out.Err != nil {
		return nil, out.Err
	}
	return out, nil
}

// values returns the values that the column is compared with.
func (p Predicate) values(col *decl.Column) (out []value.Value, err error) {
	at := place(col)
	for _, x := range p.vals {
		var v value.Value
		switch p.op {
		case "like", "ilike", "includes", "startsWith", "endsWith":
			if col.Kind != value.TypeText {
				return nil, wrong(at, "the condition `%s` needs a text column; the column is %s", p.op, col.Kind)
			}
			if v = value.Text(x.(string)); v.IsZero() { // a pattern need not be a value of OneOf
				err = noValue(col.Table.Reader, at, col.Kind, x)
			}
		case "has":
			if col.Kind != value.TypeList {
				return nil, wrong(at, "the condition `has` needs an array column; the column is %s", col.Kind)
			}
			v, err = readValue(col.Table.Reader, at, col.Elem, nil, x)
		default:
			v, err = readValue(col.Table.Reader, at, col.Kind, col.Enum, x)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}
