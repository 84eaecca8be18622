package dynamic

import (
	"reflect"
	"slices"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// Predicate is a condition on the rows of a table; [Facet.Grant] and [ScopeRows] apply it to
// theirs. The zero Predicate is an error.
//
// Values have the type of the column. Integers of every size, floats and json.Number compare with
// int, float and decimal columns that can hold them exactly; a text, bool, time.Time, [16]byte and
// []byte, and exosql's Decimal, Date and Interval with columns of theirs. A decimal, day, interval,
// UUID or time may be given as text. For a named type, or a pointer, the value underneath counts;
// nil is no value: see [IsNull]. Whatever else a value is, the error names its type.
type Predicate struct {
	op   string
	col  string
	vals []any
	subs []Predicate
}

func compare(op, column string, vs ...any) Predicate {
	return Predicate{op: op, col: column, vals: vs}
}

// Eq holds where the column equals v; like every comparison here it does not hold for NULL.
func Eq(column string, v any) Predicate { return compare("eq", column, v) }

// Ne holds where the column is neither v nor NULL.
func Ne(column string, v any) Predicate { return compare("ne", column, v) }

// Lt holds where the column is less than v.
func Lt(column string, v any) Predicate { return compare("lt", column, v) }

// Le holds where the column is at most v.
func Le(column string, v any) Predicate { return compare("le", column, v) }

// Gt holds where the column is greater than v.
func Gt(column string, v any) Predicate { return compare("gt", column, v) }

// Ge holds where the column is at least v.
func Ge(column string, v any) Predicate { return compare("ge", column, v) }

// Between holds where the column is at least low and at most high.
func Between(column string, low, high any) Predicate { return compare("between", column, low, high) }

// In holds where the column is one of vs; of none, nowhere. A slice among vs stands for its
// elements, so In("id", []int64{1, 2}) is In("id", 1, 2).
func In(column string, vs ...any) Predicate { return compare("in", column, elements(vs)...) }

// NotIn holds where the column is none of vs and not NULL; of none, where it is not NULL. A
// slice among vs stands for its elements.
func NotIn(column string, vs ...any) Predicate { return compare("notIn", column, elements(vs)...) }

// elements puts those of a slice in its place. Bytes are one value.
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

// IsNull holds where the column is NULL.
func IsNull(column string) Predicate { return compare("isNull", column) }

// IsNotNull holds where the column is not NULL.
func IsNotNull(column string) Predicate { return compare("isNotNull", column) }

// Like holds where the text matches the pattern: % stands for any text, _ for one
// character, \ before one for itself. Case counts, on every engine.
func Like(column, pattern string) Predicate { return compare("like", column, pattern) }

// ILike is Like whatever the case, by Unicode's rules.
func ILike(column, pattern string) Predicate { return compare("ilike", column, pattern) }

// Includes holds where the text contains s.
func Includes(column, s string) Predicate { return compare("includes", column, s) }

// StartsWith holds where the text starts with s.
func StartsWith(column, s string) Predicate { return compare("startsWith", column, s) }

// EndsWith holds where the text ends with s.
func EndsWith(column, s string) Predicate { return compare("endsWith", column, s) }

// Has holds where v is one of the array's elements.
func Has(column string, v any) Predicate { return compare("has", column, v) }

// And holds where all of ps hold; of none is an error.
func And(ps ...Predicate) Predicate { return Predicate{op: "and", subs: slices.Clone(ps)} }

// Or holds where one of ps holds; of none is an error.
func Or(ps ...Predicate) Predicate { return Predicate{op: "or", subs: slices.Clone(ps)} }

// Not holds where p does not hold. A comparison with NULL neither holds nor does not: Not of
// it does not hold either.
func Not(p Predicate) Predicate { return Predicate{op: "not", subs: []Predicate{p}} }

// AllRows is the one predicate that does not narrow.
func AllRows() Predicate { return Predicate{op: "all"} }

// Check fails where the predicate is none on rows of the table.
func (t *Table) Check(p Predicate) error {
	if t.zero() {
		return undeclared("Table", "Declarations.Table")
	}
	_, err := p.on(t)
	return err
}

// on makes the core's predicate for the rows of t.
func (p Predicate) on(t *Table) (*decl.Pred, error) {
	switch p.op {
	case "":
		return nil, wrong(t.t.Name, "a zero Predicate, which matches no row; use AllRows if you mean every row")
	case "all":
		return &decl.Pred{Op: "all"}, nil
	case "and", "or", "not":
		if len(p.subs) == 0 {
			return nil, wrong(t.t.Name, "%s was given no predicates: want one or more", p.op)
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

// values are those that the column is compared with.
func (p Predicate) values(col *decl.Column) (out []value.Value, err error) {
	at := place(col)
	for _, x := range p.vals {
		var v value.Value
		switch p.op {
		case "like", "ilike", "includes", "startsWith", "endsWith":
			if col.Kind != value.TypeText {
				return nil, wrong(at, "%s needs a text column; this one is %s", p.op, col.Kind)
			}
			if v = value.Text(x.(string)); v.IsZero() { // a pattern may be none of OneOf's values
				err = noValue(col.Table.Reader, at, col.Kind, x)
			}
		case "has":
			if col.Kind != value.TypeList {
				return nil, wrong(at, "has needs an array column; this one is %s", col.Kind)
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
