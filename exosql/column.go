package exosql

import (
	"fmt"
	"reflect"
	"slices"
	"sort"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/cellform"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sealed"
)

// Column is a column of type V in the table whose rows scan into T. The field
// function binds it, so a mismatch between column and struct does not compile.
//
// The methods that describe a column (Named, Doc, OneOf, WithLabel, MaxBytes, Trusted,
// StoredISO, AllowUnscopedLookup) change its declaration and return the same column, so that they chain where it is
// declared. They panic once a tool was made of the table, or a query ran.
type Column[T, V any] struct {
	c *decl.Column
	t *Table[T]
}

// core is nil for a column that was not declared. The methods have a pointer as
// receiver because each is compiled for every type of row and value: with values it
// would be twice, and a package of five hundred tables has thousands of them.
func (c *Column[T, V]) core() *decl.Column {
	if c == nil {
		return nil
	}
	return c.c
}

// NewColumn declares a column that is never NULL. V is a signed integer, float,
// string, bool or [16]byte (UUID) type, []byte, time.Time, Decimal, Date, Interval,
// JSON, or a slice of any of these but []byte, Interval and JSON (an array).
// Programs see it under its name in camel case; see Named. The field function returns a
// pointer to a field of its argument, which no other column of the table has; it is called
// here once, and NewColumn panics where it returns anything else.
func NewColumn[T, V any](t *Table[T], name constant, field func(*T) *V) *Column[T, V] {
	c := newColumn[T, V](t, name, field)
	t.t.Add(c)
	t.sets = append(t.sets, func(row *T, v value.Value) bool { return setField(field(row), v) })
	return &Column[T, V]{c, t}
}

// NewKey declares a column of the table's primary key. Every table that is granted needs one: it
// gives rows with equal values a fixed order, so that limit and first have one answer. Several keys
// make a composite one.
func NewKey[T, V any](t *Table[T], name constant, field func(*T) *V) *Column[T, V] {
	c := newColumn[T, V](t, name, field)
	c.Key = true
	t.t.Add(c)
	t.sets = append(t.sets, func(row *T, v value.Value) bool { return setField(field(row), v) })
	return &Column[T, V]{c, t}
}

// NewNullable declares a column that may be NULL; the field is a pointer, nil
// for NULL. The column keeps its V, so links over nullable keys compile.
func NewNullable[T, V any](t *Table[T], name constant, field func(*T) **V) *Column[T, V] {
	c := newColumn[T, V](t, name, field)
	c.Null = true
	t.t.Add(c)
	t.sets = append(t.sets, func(row *T, v value.Value) bool {
		p := field(row)
		if v.IsNull() {
			*p = nil
			return true
		}
		*p = new(V)
		return setField(*p, v)
	})
	return &Column[T, V]{c, t}
}

func newColumn[T, V, F any](table *Table[T], name constant, field func(*T) F) *decl.Column {
	t := table.must("column " + string(name))
	if name == "" {
		panic("exosql: a column of " + t.Name + " has an empty name")
	}
	if field == nil {
		panic(fmt.Sprintf("exosql: column %s.%s: the field function is nil", t.Name, name))
	}
	row := new(T)
	table.bound.bind(t.Name, string(name), reflect.ValueOf(row).Elem(), func() any { return field(row) })
	c := &decl.Column{Table: t, Name: string(name), Guest: scalar.Camel(string(name))}
	of := reflect.TypeFor[V]()
	c.Kind, c.Elem = kindOf(of)
	c.Nulls = c.Kind == value.TypeList && of.Elem().Kind() == reflect.Pointer
	if c.Kind == "" {
		panic(fmt.Sprintf("exosql: column %s.%s: no column type for %v", t.Name, name, reflect.TypeFor[V]()))
	}
	if scalar.ReservedName(c.Guest) {
		c.Guest = "" // it needs Named before a facet can show it
	}
	return c
}

// Named gives the column another name for programs.
func (c *Column[T, V]) Named(name constant) *Column[T, V] {
	c.core().Change()
	if scalar.ReservedName(string(name)) {
		panic(fmt.Sprintf("exosql: column %s.%s can't be named %q for programs", c.c.Table.Name, c.c.Name, name))
	}
	c.c.Guest = string(name)
	return c
}

// Doc adds a line for the reader of the declarations, mostly a model.
func (c *Column[T, V]) Doc(text constant) *Column[T, V] {
	c.core().Change()
	c.c.Doc = string(text)
	return c
}

// OneOf lists the only values of a text column. Programs see the list, and a comparison with
// anything else is an error that shows it.
func (c *Column[T, V]) OneOf(values ...V) *Column[T, V] {
	c.core().Change()
	if c.c.Kind != value.TypeText || len(values) == 0 {
		panic(fmt.Sprintf("exosql: OneOf needs a text column and values: %s.%s", c.c.Table.Name, c.c.Name))
	}
	for _, v := range values {
		c.c.Enum = append(c.c.Enum, reflect.ValueOf(v).String())
	}
	return c
}

// WithLabel labels every value of the column. A tag like "pii" is of secrecy: a program that selects the column gets sealed
// values, which leave by sinks that admit the label and which it can't look at. A program that computes with it, be it in a
// condition only, has the label from then on, and so have all its effects and its result. See MaxBytes.
//
// [value.Untrusted] is of integrity: outsiders write the column. A program that reads it can answer and write, but ask for no
// effect that doesn't admit the tag, nor write a column that is Trusted.
func (c *Column[T, V]) WithLabel(tags ...string) *Column[T, V] {
	c.core().Change()
	if len(tags) == 0 || slices.Contains(tags, "") {
		panic(fmt.Sprintf("exosql: WithLabel needs tags, none of them empty: %s.%s", c.c.Table.Name, c.c.Name))
	}
	for _, tag := range value.NewLabel(tags...).Unnamed() {
		panic(fmt.Sprintf("exosql: WithLabel(%q) of %s.%s means that each value has a reader, but not who: call WithLabel with the tag alone, and ReadBy with the column of the reader's id", tag, c.c.Table.Name, c.c.Name))
	}
	if c.c.Readers != nil {
		panic(fmt.Sprintf("exosql: WithLabel after ReadBy, which names the readers of all tags: %s.%s", c.c.Table.Name, c.c.Name))
	}
	c.c.Label = c.c.Label.Join(value.NewLabel(tags...))
	return c
}

// ReadBy names who may read each value of a labelled column: the principals whose ids are in these columns of the same row.
//
//	MemberEmail.WithLabel("pii").ReadBy("member", MemberID)
//
// makes its label pii@member, and that of the value in the row of member 42 pii@member:42. A sink that admits value.ReaderTag("pii",
// "member", "42") takes that one sealed value and those of no other member; see service.AdmitsFor. What a program reads by a condition,
// an order or a sum is of all rows, and so has no single reader. A value in whose row an id is NULL is nobody's either.
//
// The ids are no secret: a facet that shows the column shows these too. Programs can't change them, nor write to the
// column what they have read with its tags. Ids are compared as texts, exactly. Name the kind once, as an untyped constant, for
// here and for value.ReaderTag.
//
// ReadBy panics where the column has no label, where an id is of another table or of another type than a whole number, a text or a UUID,
// and where it is said twice.
func (c *Column[T, V]) ReadBy(kind constant, ids ...ReaderID[T]) *Column[T, V] {
	c.core().Change()
	cols := make([]*decl.Column, len(ids))
	for i, id := range ids {
		if id != nil {
			cols[i] = id.reader(nil)
		}
	}
	if err := c.c.ReadBy(string(kind), cols); err != nil {
		panic(err.Error())
	}
	return c
}

// ReaderID is a column of a T that holds the id of a principal, a whole number, a text or a UUID: see Column.ReadBy.
type ReaderID[T any] interface {
	reader(*T) *decl.Column
}

func (c *Column[T, V]) reader(*T) *decl.Column { return c.core() }

// Trusted says that a program which has read what outsiders wrote (see value.Untrusted) can't write the column: who a task is
// assigned to, an amount. Reading it is not restricted.
func (c *Column[T, V]) Trusted() *Column[T, V] {
	c.core().Change()
	c.c.Trust = true
	return c
}

// Admits lets programs write to the column what they have read under these labels: readers of the column may learn it. It may also
// decide in which rows the column is changed, if nothing else is changed.
//
//	MemberNote.Admits("pii") // members.where(m => m.email === 'ann@a.example').update({ note: 'called' })
//
// What may not leave with the result is kept nowhere, so Options.Admits has to have the labels, too.
func (c *Column[T, V]) Admits(tags ...string) *Column[T, V] {
	c.core().Change()
	if err := c.c.Admit(value.NewLabel(tags...)); err != nil {
		panic(fmt.Sprintf("exosql: %s.%s", c.c.Table.Name, err))
	}
	return c
}

// MaxBytes says how large a value of a labelled column may be; 1 KiB where it is left out. Limits count each value that is shown
// sealed as this large, whatever it holds, and a larger text is "[too large]" where it leaves (other values: null).
func (c *Column[T, V]) MaxBytes(n int) *Column[T, V] {
	c.core().Change()
	if n <= 0 || n > sealed.Most {
		panic(fmt.Sprintf("exosql: MaxBytes must be from 1 to %d: %s.%s", sealed.Most, c.c.Table.Name, c.c.Name))
	}
	c.c.Bytes = n
	return c
}

// StoredISO says that a time column on SQLite is stored exactly as
// 2006-01-02T15:04:05.000Z, and one on PostgreSQL holds nothing finer than a
// millisecond, as timestamptz(3) does: then comparing and sorting can use an
// index. Without it times are normalised in the query, whatever form they have.
func (c *Column[T, V]) StoredISO() *Column[T, V] {
	c.core().Change()
	if c.c.Kind != value.TypeTime {
		panic(fmt.Sprintf("exosql: StoredISO needs a time column: %s.%s", c.c.Table.Name, c.c.Name))
	}
	c.c.Stored = cellform.ISO
	return c
}

// StoredForm is how all cells of a column are written on SQLite, which has no type for times, days and truth values. It means nothing on
// PostgreSQL.
type StoredForm = cellform.Form

// The forms of times, in UTC, and of days, which are midnight in them.
const (
	StoredSQL         = cellform.Seconds    // '2006-01-02 15:04:05', as CURRENT_TIMESTAMP and Laravel write it
	StoredSQLFraction = cellform.Fraction   // '2006-01-02 15:04:05.999999': Django, Rails, EF Core
	StoredGo          = cellform.Go         // '2006-01-02 15:04:05.999999999 +0000 UTC': modernc.org/sqlite
	StoredOffset      = cellform.Offset     // '2006-01-02 15:04:05.999999999+00:00': mattn/go-sqlite3
	StoredUnix        = cellform.Unix       // whole seconds since 1970
	StoredUnixMillis  = cellform.UnixMillis // whole milliseconds since 1970: Prisma, Knex
)

// The forms of truth values.
const (
	StoredLetters = cellform.Letters // 't' and 'f'
	StoredWords   = cellform.Words   // 'true' and 'false'
)

// Stored says how SQLite holds a column of times, days or truth values. What a program compares with the column, and writes into it, becomes a
// cell of that form, so an index of the column serves and other tools read what was written. A cell of another form is an error where
// it is shown, and no value in comparisons; Check looks at cells and warns of such. Without Stored a time is a text in any form, which no index
// serves, a day is '2006-01-02', and a truth value 0 or 1.
func (c *Column[T, V]) Stored(form StoredForm) *Column[T, V] {
	c.core().Change()
	if !form.Fits(c.c.Kind) {
		panic(fmt.Sprintf("exosql: a column of the type %s can't be Stored as %q: %s.%s", c.c.Kind, string(form), c.c.Table.Name, c.c.Name))
	}
	c.c.Stored = form
	return c
}

// AllowUnscopedLookup lets conditions of programs that compare the column with values be looked up
// in an index before the scope is. Without it a program's conditions are tried on rows
// in scope only, but for = and in on a key: an index on what the scope compares still
// serves, one on this column does not.
//
// The price: the time of a query can then reveal whether rows out of scope have such values. It is
// for columns like a date or a state, and not for what one customer must not learn of another.
func (c *Column[T, V]) AllowUnscopedLookup() *Column[T, V] {
	c.core().Change()
	c.c.UnscopedLookup = true
	return c
}

// Eq holds where the column equals v; like every comparison here it does not hold for NULL.
func (c *Column[T, V]) Eq(v V) Predicate[T] { return c.compare("eq", v) }

// Ne holds where the column is neither v nor NULL.
func (c *Column[T, V]) Ne(v V) Predicate[T] { return c.compare("ne", v) }

// Lt holds where the column is less than v.
func (c *Column[T, V]) Lt(v V) Predicate[T] { return c.compare("lt", v) }

// Le holds where the column is at most v.
func (c *Column[T, V]) Le(v V) Predicate[T] { return c.compare("le", v) }

// Gt holds where the column is greater than v.
func (c *Column[T, V]) Gt(v V) Predicate[T] { return c.compare("gt", v) }

// Ge holds where the column is at least v.
func (c *Column[T, V]) Ge(v V) Predicate[T] { return c.compare("ge", v) }

// In holds where the column is one of vs; of none, nowhere.
func (c *Column[T, V]) In(vs ...V) Predicate[T] { return c.compare("in", vs...) }

// NotIn holds where the column is none of vs and not NULL; of none, where it is not NULL.
func (c *Column[T, V]) NotIn(vs ...V) Predicate[T] { return c.compare("notIn", vs...) }

// Between holds where the column is at least low and at most high.
func (c *Column[T, V]) Between(low, high V) Predicate[T] { return c.compare("between", low, high) }

// IsNull holds where the column is NULL.
func (c *Column[T, V]) IsNull() Predicate[T] { return c.test("isNull") }

// IsNotNull holds where the column is not NULL.
func (c *Column[T, V]) IsNotNull() Predicate[T] { return c.test("isNotNull") }

func (c *Column[T, V]) test(op string) Predicate[T] {
	if c.core() == nil {
		return Predicate[T]{}
	}
	return Predicate[T]{&decl.Pred{Op: op, Col: c.c}}
}

// Asc orders by the column, NULL first. JSON and arrays have no order.
func (c *Column[T, V]) Asc() Order[T] { return Order[T]{col: c.core()} }

// Desc orders by the column backwards, NULL last.
func (c *Column[T, V]) Desc() Order[T] { return Order[T]{col: c.core(), desc: true} }

func (c *Column[T, V]) compare(op string, vs ...V) Predicate[T] {
	if c.core() == nil {
		return Predicate[T]{}
	}
	p := &decl.Pred{Op: op, Col: c.c}
	for _, v := range vs {
		p.Vals = append(p.Vals, toValue(v))
	}
	return Predicate[T]{p.Checked()}
}

// Order is one term of an order of rows of T.
type Order[T any] struct {
	col  *decl.Column
	desc bool
}

// fields are the columns of a table by where their fields begin in a row.
type fields map[uintptr]string

// bind keeps which field of a row is the column's. It panics where that is none, or another
// column's. A variable of the host's would be written by each query for itself, so two users
// would read one another's values there; and of two columns of one field, one is lost.
func (fs *fields) bind(table, column string, row reflect.Value, field func() any) {
	at := pointer(table, column, field)
	if !within(row, at.Pointer(), at.Type().Elem()) {
		panic(fmt.Sprintf("exosql: column %s.%s: the field function does not return a field of its argument; want func(row *%v) … { return &row.Field }", table, column, row.Type()))
	}
	offset := at.Pointer() - row.Addr().Pointer()
	if other, taken := (*fs)[offset]; taken && other != column {
		panic(fmt.Sprintf("exosql: column %s.%s: the field function returns the field of column %s.%s; each column needs a field of its own", table, column, table, other))
	}
	if *fs == nil {
		*fs = fields{}
	}
	(*fs)[offset] = column
}

// pointer is what the field function returns for a new row, as each query calls it.
func pointer(table, column string, field func() any) reflect.Value {
	defer func() {
		if p := recover(); p != nil {
			panic(fmt.Sprintf("exosql: column %s.%s: the field function panics on a new row, as it would in each query: %v", table, column, p))
		}
	}()
	return reflect.ValueOf(field())
}

// within reports whether v, or a part of it however deep, is of the type and at that address.
// A struct and its first field have one address, so the type decides.
func within(v reflect.Value, at uintptr, typ reflect.Type) bool {
	for v.Addr().Pointer() != at || v.Type() != typ {
		n, part := 0, v.Field
		switch v.Kind() {
		case reflect.Struct:
			n = v.NumField()
		case reflect.Array:
			n, part = v.Len(), v.Index
		}
		next := sort.Search(n, func(i int) bool { return part(i).Addr().Pointer() > at })
		if next == 0 {
			return false
		}
		v = part(next - 1)
	}
	return true
}
