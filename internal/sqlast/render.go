package sqlast

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	sq "github.com/Masterminds/squirrel"
)

// Render returns the text of s in dialect d, and the slots of its arguments: slots[i] is the slot of the i-th placeholder. A slot that occurs
// twice has two placeholders.
func Render(s *Select, d Dialect) (text string, slots []int, err error) {
	return RenderHiding(s, d, func(int) bool { return false })
}

// RenderHiding renders like Render, but hides the values of some slots from PostgreSQL's planner, even when it plans
// with all other values. The value of a slot that hide reports becomes the result of a subquery.
func RenderHiding(s *Select, d Dialect, hide func(slot int) bool) (text string, slots []int, err error) {
	if d != SQLite && d != Postgres {
		return "", nil, errors.New("sqlast: there is no such dialect: want SQLite or Postgres")
	}
	if _, err := check(s, d); err != nil {
		return "", nil, err
	}
	text, args, err := build(s, d).ToSql()
	if err != nil {
		return "", nil, fmt.Errorf("sqlast: %w", err)
	}
	for _, a := range args {
		slots = append(slots, a.(int))
	}
	text, err = finish(text, len(slots), d, func(i int) bool { return hide(slots[i]) })
	return text, slots, err
}

// finish writes placeholders and names in the form of dialect d. A question mark in a name would shift the arguments after it, and squirrel
// reads two in a row as one. So names have marks in place of question marks until finish restores them.
func finish(text string, slots int, d Dialect, hide func(i int) bool) (string, error) {
	if strings.Count(text, "?") != slots || strings.Contains(text, "??") {
		return "", errors.New("sqlast: the numbers of placeholders and arguments differ: this is a fault of exosql, please report it")
	}
	if d == Postgres {
		parts := strings.Split(text, "?")
		for i := range parts[1:] {
			arg := "$" + strconv.Itoa(i+1)
			if hide(i) {
				arg = "(SELECT " + arg + ")"
			}
			parts[i] += arg
		}
		text = strings.Join(parts, "")
	}
	return strings.ReplaceAll(text, mark, "?"), nil
}

// build gives a checked Select to squirrel. It starts with an empty builder, because squirrel.Select copies a package variable. It writes
// question marks at every depth.
func build(s *Select, d Dialect) sq.SelectBuilder {
	b := sq.SelectBuilder{}.PlaceholderFormat(sq.Question)
	if d == SQLite {
		s = apart(joined(s))
	}
	if s.DistinctOn > 0 {
		numbers := numbersTo(s.DistinctOn)
		b = b.Options("DISTINCT ON (" + strings.Join(numbers, ", ") + ")").OrderBy(numbers...)
	}
	for _, o := range s.Columns {
		b = b.Column(newFragment(d).add(o.Expr).write(" AS ").name(o.As))
	}
	b = first(b, s.From[0], d)
	for _, src := range s.From[1:] {
		b = b.JoinClause(join(src, d))
	}
	for _, e := range s.Where {
		b = b.Where(newFragment(d).add(e))
	}
	b = b.GroupBy(numbersTo(s.Group)...) // the text names columns by number, because an expression with placeholders never equals its repetition
	if len(s.Windows) > 0 {
		b = b.SuffixExpr(newFragment(d).windows(s.Windows))
	}
	for _, o := range s.OrderBy {
		b = b.OrderByClause(newFragment(d).order(o))
	}
	if len(s.Limit)+len(s.Offset) > 0 {
		b = b.SuffixExpr(newFragment(d).bounds(s))
	}
	return b
}

// numbersTo returns the numbers of the first n outputs, as texts.
func numbersTo(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i + 1)
	}
	return out
}

func first(b sq.SelectBuilder, src Source, d Dialect) sq.SelectBuilder {
	if src.Sub != nil || src.Recursion != nil {
		return b.FromSelect(derived(src, d), quote(src.Alias))
	}
	return b.From(path(src.In, src.name()) + " AS " + quote(src.Alias))
}

// name returns the name of a table, or of the rows of a recursion.
func (src Source) name() string {
	if src.Step != "" {
		return treeName(src.Step)
	}
	return src.Table
}

func join(src Source, d Dialect) *fragment {
	f := newFragment(d)
	switch {
	case src.Left:
		f.write("LEFT JOIN ")
	case len(src.On) == 0:
		f.write("CROSS JOIN ")
	default:
		f.write("JOIN ")
	}
	if src.Sub != nil || src.Recursion != nil {
		f.built(derived(src, d))
	} else {
		f.path(src.In, src.name())
	}
	f.write(" AS ").name(src.Alias)
	for i, e := range src.On {
		if i == 0 {
			f.write(" ON ")
		} else {
			f.write(" AND ")
		}
		f.add(e)
	}
	return f
}

// fragment is finished SQL with the slots of its placeholders. squirrel gets no other Sqlizer from us.
type fragment struct {
	dialect Dialect
	text    strings.Builder
	slots   []any
	err     error
}

func newFragment(d Dialect) *fragment { return &fragment{dialect: d} }

// ToSql implements squirrel.Sqlizer. An empty fragment is an error, because squirrel would silently drop it: a condition would be missing.
func (f *fragment) ToSql() (string, []any, error) {
	if f.err == nil && f.text.Len() == 0 {
		return "", nil, errors.New("a part of the statement is empty: this is a fault of exosql, please report it")
	}
	return f.text.String(), f.slots, f.err
}

// write appends text that is constant in this package.
func (f *fragment) write(s constant) *fragment {
	f.text.WriteString(string(s))
	return f
}

// sep appends s before each item of a list but the first.
func (f *fragment) sep(i int, s constant) *fragment {
	if i > 0 {
		f.write(s)
	}
	return f
}

func (f *fragment) name(name string) *fragment {
	f.text.WriteString(quote(name))
	return f
}

// path writes the name of a table.
func (f *fragment) path(schema, table string) *fragment {
	f.text.WriteString(path(schema, table))
	return f
}

// path returns the name of a table with its schema, or without one if the schema is empty. The table's name may begin with the schema.
func path(schema, table string) string {
	if schema == "" {
		return quote(table)
	}
	return quote(schema) + "." + quote(strings.TrimPrefix(table, schema+"."))
}

// sub appends a select in parentheses.
func (f *fragment) sub(s *Select) *fragment { return f.built(build(s, f.dialect)) }

func (f *fragment) built(b sq.SelectBuilder) *fragment {
	text, args, err := b.ToSql()
	f.err = errors.Join(f.err, err)
	f.text.WriteString("(" + text + ")")
	f.slots = append(f.slots, args...)
	return f
}

// add appends an expression: a token, a function, or text in parentheses.
func (f *fragment) add(e Expr) *fragment {
	switch e := e.(type) {
	case Column:
		return f.name(e.Alias).write(".").name(e.Name)
	case Arg:
		return f.arg(e)
	case Const:
		return f.write(e.spelling(f.dialect))
	case Call:
		return f.call(e.Op.spelling(f.dialect), e.Args)
	case In:
		return f.in(e)
	case InSelect:
		f.write("(")
		if len(e.And) > 0 {
			f.call(function("("), append([]Expr{e.X}, e.And...))
		} else {
			f.add(e.X)
		}
		return f.write(" IN ").sub(e.Sub).write(")")
	case Beyond:
		op := constant(" > ")
		if e.Desc {
			op = " < "
		}
		return f.write("(").call(function("("), e.Left).write(op).call(function("("), e.Right).write(")")
	case Scalar:
		return f.sub(e.Sub)
	case Exists:
		if e.Not {
			return f.write("(NOT EXISTS ").sub(e.Sub).write(")")
		}
		return f.write("(EXISTS ").sub(e.Sub).write(")")
	case RowNumber:
		return f.rowNumber(e)
	case Aggregate:
		return f.aggregate(e)
	case Collected:
		return f.collected(e)
	case Windowed:
		return f.over(e)
	case Nested:
		return f.nested(e)
	case rowOf:
		return f.rowOf(e)
	case asked:
		return f.write("(SELECT ").add(e.x).write(")")
	case Searched:
		return f.searched(e)
	case Running:
		return f.write("SUM(octet_length(").add(e.X).write(") + 8) OVER (").window(e.PartitionBy, e.OrderBy).write(" ROWS UNBOUNDED PRECEDING)")
	}
	f.err = fmt.Errorf("%T is no expression of package sqlast: this is a fault of exosql, please report it", e)
	return f
}

func (f *fragment) arg(e Arg) *fragment {
	f.slots = append(f.slots, e.Slot)
	switch {
	case e.Cast == CastBytea && f.dialect == Postgres: // bytes are bound as hexadecimal text
		return f.write("decode(?, 'hex')")
	case e.Cast == CastBytea:
		return f.write("unhex(?)")
	case f.dialect == Postgres && e.Cast != NoCast:
		return f.write("CAST(? AS ").write(casts[e.Cast]).write(")")
	}
	return f.write("?")
}

func (f *fragment) call(s spelling, args []Expr) *fragment {
	f.write(s.open)
	for i, e := range args {
		if i > 0 {
			f.write(s.sep(i - 1))
		}
		f.add(e)
	}
	return f.write(s.close)
}

// alone reports whether the list is a single query.
func (e In) alone() bool {
	if len(e.List) != 1 {
		return false
	}
	_, query := e.List[0].(Scalar)
	return query
}

// in writes X IN (List...). For an empty list it writes the constant result: Postgres has no (), and for SQLite IN () is FALSE even for a NULL X.
func (f *fragment) in(e In) *fragment {
	switch {
	case len(e.List) == 0 && e.Not:
		return f.add(True)
	case len(e.List) == 0:
		return f.add(False)
	}
	f.write("(").add(e.X)
	if f.dialect == Postgres && !arguments(e.List) {
		// Postgres turns IN with expressions into a comparison for each, with a copy of X. In nested lists that would double the plan with each level,
		// so in writes = ANY (ARRAY[...]) instead.
		op := constant(" = ANY (ARRAY")
		if e.Not {
			op = " <> ALL (ARRAY"
		}
		return f.write(op).call(spelling{"[", []constant{", "}, "]"}, e.List).write("))")
	}
	if e.Not {
		f.write(" NOT")
	}
	list := e.List
	if e.alone() { // SQLite reads IN ((SELECT …)) as IN (SELECT …): without a row it would be an empty list instead of NULL
		list = []Expr{Call{Unindexed, list}}
	}
	return f.write(" IN ").call(function("("), list).write(")")
}

// arguments reports whether a list has the same values for all rows.
func arguments(list []Expr) bool {
	for _, x := range list {
		switch x := x.(type) {
		case Arg, Const:
		case Call:
			if !arguments(x.Args) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func (f *fragment) rowNumber(e RowNumber) *fragment {
	return f.write("ROW_NUMBER() OVER (").window(e.PartitionBy, e.OrderBy).write(")")
}

func (f *fragment) window(partition []Expr, order []Order) *fragment {
	if len(partition) > 0 {
		f.call(spelling{"PARTITION BY ", []constant{", "}, " "}, partition)
	}
	return f.write("ORDER BY ").orders(order)
}

func (f *fragment) orders(list []Order) *fragment {
	for i, o := range list {
		f.sep(i, ", ").order(o)
	}
	return f
}

// order writes one term of an order. For Postgres, which treats NULL as the largest value, it also writes where NULL is sorted. SQLite needs no such
// clause, and with one would not use an index.
func (f *fragment) order(o Order) *fragment {
	f.add(o.Expr)
	switch nulls := f.dialect == Postgres && !o.NotNull; {
	case o.Desc && nulls:
		f.write(" DESC NULLS LAST")
	case o.Desc:
		f.write(" DESC")
	case nulls:
		f.write(" NULLS FIRST")
	}
	return f
}
