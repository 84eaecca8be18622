package exosql

import (
	"cmp"
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

// Column is a column of type V in the table whose rows scan into T. The field function binds the column to a field, so a mismatch between column
// and struct does not compile.
//
// Some methods describe a column: Named, Doc, OneOf, WithLabel, MaxBytes, Trusted, StoredISO, AllowUnscopedLookup. They change the declaration and return
// the same column, so calls can be chained. They panic after a tool was made of the table, or a query ran.
type Column[T, V any] struct {
	c *decl.Column
	t *Table[T]
}

// core returns the declaration inside, or nil for a column that was not declared. The methods have pointer receivers because each is compiled for
// every type of row and value. Value receivers would double that code, and a package of five hundred tables has thousands of methods.
func (c *Column[T, V]) core() *decl.Column {
	if c == nil {
		return nil
	}
	return c.c
}

// NewColumn declares a column that is never NULL. V is a signed integer, float, string, bool or [16]byte (UUID) type, []byte, time.Time, Decimal,
// Date, Interval, JSON, or a slice of any of these but []byte, Interval and JSON (an array). Programs see the column under its name in camel case;
// see Named. The field function must return a pointer to a field of its argument, and each column needs another field. NewColumn calls it once, and
// panics if it returns anything else.
func NewColumn[T, V any](t *Table[T], name constant, field func(*T) *V) *Column[T, V] {
	c := newColumn[T, V](t, name, field)
	t.t.Add(c)
	t.sets = append(t.sets, func(row *T, v value.Value) bool { return setField(field(row), v) })
	return &Column[T, V]{c, t}
}

// NewKey declares a column of the table's primary key. Every table that is granted needs a key: it gives rows with equal values a fixed order, so
// that limit and first have one answer. Several NewKey columns make a composite key.
func NewKey[T, V any](t *Table[T], name constant, field func(*T) *V) *Column[T, V] {
	c := newColumn[T, V](t, name, field)
	c.Key = true
	t.t.Add(c)
	t.sets = append(t.sets, func(row *T, v value.Value) bool { return setField(field(row), v) })
	return &Column[T, V]{c, t}
}

// NewNullable declares a column that may be NULL. The field is a pointer: nil means NULL. V is the type without the pointer, so a link can join a
// nullable key to a key that is never NULL.
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
		panic("exosql: a column of " + t.Name + " has an empty name: want the column's name in the database")
	}
	if field == nil {
		panic(fmt.Sprintf("exosql: column %s.%s: the field function is nil; want one that returns a pointer to a field of its argument", t.Name, name))
	}
	row := new(T)
	table.bound.bind(t.Name, string(name), reflect.ValueOf(row).Elem(), func() any { return field(row) })
	c := &decl.Column{Table: t, Name: string(name), Guest: scalar.Camel(string(name))}
	of := reflect.TypeFor[V]()
	c.Kind, c.Elem = kindOf(of)
	c.Nulls = c.Kind == value.TypeList && of.Elem().Kind() == reflect.Pointer
	if c.Kind == "" {
		panic(fmt.Sprintf("exosql: column %s.%s: %v can't be the type of a column: use a type that the comment of NewColumn lists", t.Name, name, reflect.TypeFor[V]()))
	}
	if scalar.ReservedName(c.Guest) {
		c.Guest = "" // the column needs Named before a facet can show it
	}
	return c
}

// Named gives the column another name for programs.
func (c *Column[T, V]) Named(name constant) *Column[T, V] {
	c.core().Change()
	if scalar.ReservedName(string(name)) {
		panic(fmt.Sprintf("exosql: column %s.%s can't be named %q for programs: want letters, digits, _ and $, and not then, toJSON, constructor, prototype or __proto__", c.c.Table.Name, c.c.Name, name))
	}
	c.c.Guest = string(name)
	return c
}

// Doc adds a line to the column's description, which is mostly read by a model.
func (c *Column[T, V]) Doc(text constant) *Column[T, V] {
	c.core().Change()
	c.c.Doc = string(text)
	return c
}

// OneOf lists the only values of a text column. Programs see the list, and an error that shows it if they compare the column with another value.
func (c *Column[T, V]) OneOf(values ...V) *Column[T, V] {
	c.core().Change()
	if c.c.Kind != value.TypeText || len(values) == 0 {
		panic(fmt.Sprintf("exosql: column %s.%s: OneOf needs a text column and at least one value", c.c.Table.Name, c.c.Name))
	}
	for _, v := range values {
		c.c.Enum = append(c.c.Enum, reflect.ValueOf(v).String())
	}
	return c
}

// WithLabel gives every value of the column these tags. A tag like "pii" is a secrecy tag: a program that selects the column gets sealed values.
// It can't look at them, and only sinks that admit the tag can open them. A program that computes with a value, even in a condition, has the tag
// from then on, and so do its effects and its result. See MaxBytes.
//
// [value.Untrusted] is an integrity tag: it marks a column that outsiders write. A program that has read the column may answer and write rows. It
// may not cause an effect that doesn't admit the tag, and may not write a Trusted column.
func (c *Column[T, V]) WithLabel(tags ...string) *Column[T, V] {
	c.core().Change()
	if len(tags) == 0 || slices.Contains(tags, "") {
		panic(fmt.Sprintf("exosql: column %s.%s: WithLabel needs at least one tag, and none may be empty", c.c.Table.Name, c.c.Name))
	}
	for _, tag := range value.NewLabel(tags...).Unnamed() {
		panic(fmt.Sprintf("exosql: column %s.%s: WithLabel(%q) means that each value has a reader, but does not name the reader. Call WithLabel with the tag alone, and ReadBy with the column of the reader's id", c.c.Table.Name, c.c.Name, tag))
	}
	if c.c.Readers != nil {
		panic(fmt.Sprintf("exosql: column %s.%s: WithLabel is called after ReadBy, which names the readers of all tags: call ReadBy last", c.c.Table.Name, c.c.Name))
	}
	c.c.Label = c.c.Label.Join(value.NewLabel(tags...))
	return c
}

// ReadBy names the principals who may read each value of a labelled column: those with an id in the given columns of the same row.
//
//	MemberEmail.WithLabel("pii").ReadBy("member", MemberID)
//
// This gives the column the label pii@member, and the value in the row of member 42 the label pii@member:42. A sink that admits
// value.ReaderTag("pii", "member", "42") takes the sealed value of member 42 and no other; see service.AdmitsFor. A condition, an order or a sum
// reads many rows, so its label has no single reader. A value in a row with a NULL id has no reader either.
//
// The ids are not secret: a facet that shows the column shows them too. Programs can't change the ids, and can't write to the column what they have
// read with its tags. Ids are compared as texts, exactly. Name the kind once, as an untyped constant, for here and for value.ReaderTag.
//
// ReadBy panics if the column has no label, if an id is a column of another table or is not a whole number, a text or a UUID, and if it is called
// twice.
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

// ReaderID is a column of T that contains the id of a principal, as a whole number, a text or a UUID: see Column.ReadBy.
type ReaderID[T any] interface {
	reader(*T) *decl.Column
}

func (c *Column[T, V]) reader(*T) *decl.Column { return c.core() }

// Trusted means that a program can't write the column after it has read outsiders' words (see value.Untrusted). It is for columns like a task's
// assignee or an amount. It does not restrict reading.
func (c *Column[T, V]) Trusted() *Column[T, V] {
	c.core().Change()
	c.c.Trust = true
	return c
}

// Admits lets programs write values that they have read under these tags into the column. Readers of the column may then learn those values. Such
// values may also choose the rows of an update that changes only columns that admit them.
//
//	MemberNote.Admits("pii") // members.where(m => m.email === 'ann@a.example').update({ note: 'called' })
//
// codemode.Options.Admits needs the tags too: a run whose result may not leave keeps no change.
func (c *Column[T, V]) Admits(tags ...string) *Column[T, V] {
	c.core().Change()
	if err := c.c.Admit(value.NewLabel(tags...)); err != nil {
		panic(fmt.Sprintf("exosql: %s.%s", c.c.Table.Name, err))
	}
	return c
}

// MaxBytes bounds the size of a labelled value; the default is 1 KiB. Limits count every sealed value as this large. At a sink a larger text
// becomes "[too large]", and a larger value of another type null.
func (c *Column[T, V]) MaxBytes(n int) *Column[T, V] {
	c.core().Change()
	if n <= 0 || n > sealed.Most {
		panic(fmt.Sprintf("exosql: column %s.%s: MaxBytes must be from 1 to %d; got %d", c.c.Table.Name, c.c.Name, sealed.Most, n))
	}
	c.c.Bytes = n
	return c
}

// StoredISO declares the exact form of a time column, so that comparing and sorting can use an index. On SQLite each time is stored as
// 2006-01-02T15:04:05.000Z. On PostgreSQL no time is finer than a millisecond, as in timestamptz(3). Without StoredISO the query normalises times,
// whatever form they have.
func (c *Column[T, V]) StoredISO() *Column[T, V] {
	c.core().Change()
	if c.c.Kind != value.TypeTime {
		panic(fmt.Sprintf("exosql: column %s.%s: StoredISO needs a time column; the column is %s", c.c.Table.Name, c.c.Name, c.c.Kind))
	}
	c.c.Stored = cellform.ISO
	return c
}

// StoredForm is the form of all cells of a column on SQLite, which has no type for times, days and truth values. It has no effect on PostgreSQL.
type StoredForm = cellform.Form

// These are the forms of times, in UTC. A day is stored as the time of its midnight.
const (
	StoredSQL         = cellform.Seconds    // '2006-01-02 15:04:05', the form of CURRENT_TIMESTAMP and Laravel
	StoredSQLFraction = cellform.Fraction   // '2006-01-02 15:04:05.999999', the form of Django, Rails and EF Core
	StoredGo          = cellform.Go         // '2006-01-02 15:04:05.999999999 +0000 UTC', the form of modernc.org/sqlite
	StoredOffset      = cellform.Offset     // '2006-01-02 15:04:05.999999999+00:00', the form of mattn/go-sqlite3
	StoredUnix        = cellform.Unix       // whole seconds since 1970
	StoredUnixMillis  = cellform.UnixMillis // whole milliseconds since 1970, the form of Prisma and Knex
)

// These are the forms of truth values.
const (
	StoredLetters = cellform.Letters // 't' and 'f'
	StoredWords   = cellform.Words   // 'true' and 'false'
)

// Stored declares how SQLite stores a column of times, days or truth values. Values that a program compares or writes are converted to that form.
// So an index of the column serves, and other tools can read new rows. A cell of another form is an error when it is read, and equals nothing in
// comparisons; Check looks at cells and warns of such cells. Without Stored a time is a text in any form, which no index serves, a day is
// '2006-01-02', and a truth value is 0 or 1.
func (c *Column[T, V]) Stored(form StoredForm) *Column[T, V] {
	c.core().Change()
	if !form.Fits(c.c.Kind) {
		panic(fmt.Sprintf("exosql: column %s.%s is %s and can't be Stored as %q: want %s", c.c.Table.Name, c.c.Name, c.c.Kind, string(form), cmp.Or(cellform.Texts(cellform.Of(c.c.Kind)), "a column of times, days or truth values")))
	}
	c.c.Stored = form
	return c
}

// AllowUnscopedLookup lets the database use an index on this column for programs' conditions, before it checks the scope. Without it, a program's
// conditions are tried only on rows in scope, except for = and in on a key. An index on the columns of the scope serves in both cases.
//
// The cost is that the time of a query may reveal whether rows out of scope have such values. Use it for columns like a date or a state, not for
// values that tenants must hide from one another.
func (c *Column[T, V]) AllowUnscopedLookup() *Column[T, V] {
	c.core().Change()
	c.c.UnscopedLookup = true
	return c
}

// Eq matches rows in which the column equals v. Like every comparison here, it matches no row in which the column is NULL.
func (c *Column[T, V]) Eq(v V) Predicate[T] { return c.compare("eq", v) }

// Ne matches rows in which the column is neither v nor NULL.
func (c *Column[T, V]) Ne(v V) Predicate[T] { return c.compare("ne", v) }

// Lt matches rows in which the column is less than v.
func (c *Column[T, V]) Lt(v V) Predicate[T] { return c.compare("lt", v) }

// Le matches rows in which the column is at most v.
func (c *Column[T, V]) Le(v V) Predicate[T] { return c.compare("le", v) }

// Gt matches rows in which the column is greater than v.
func (c *Column[T, V]) Gt(v V) Predicate[T] { return c.compare("gt", v) }

// Ge matches rows in which the column is at least v.
func (c *Column[T, V]) Ge(v V) Predicate[T] { return c.compare("ge", v) }

// In matches rows in which the column equals one of vs. Without vs it matches no row.
func (c *Column[T, V]) In(vs ...V) Predicate[T] { return c.compare("in", vs...) }

// NotIn matches rows in which the column is not NULL and equals none of vs. Without vs it matches every row in which the column is not NULL.
func (c *Column[T, V]) NotIn(vs ...V) Predicate[T] { return c.compare("notIn", vs...) }

// Between matches rows in which the column is at least low and at most high.
func (c *Column[T, V]) Between(low, high V) Predicate[T] { return c.compare("between", low, high) }

// IsNull matches rows in which the column is NULL.
func (c *Column[T, V]) IsNull() Predicate[T] { return c.test("isNull") }

// IsNotNull matches rows in which the column is not NULL.
func (c *Column[T, V]) IsNotNull() Predicate[T] { return c.test("isNotNull") }

func (c *Column[T, V]) test(op string) Predicate[T] {
	if c.core() == nil {
		return Predicate[T]{}
	}
	return Predicate[T]{&decl.Pred{Op: op, Col: c.c}}
}

// Asc sorts rows by the column, with NULL first. JSON and arrays have no order.
func (c *Column[T, V]) Asc() Order[T] { return Order[T]{col: c.core()} }

// Desc sorts rows by the column in descending order, with NULL last.
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

// fields maps the offset of a field in a row to the name of its column.
type fields map[uintptr]string

// bind notes the field that belongs to a column. It panics if the field function returns no field of the row, or another column's field. If the
// function returned a variable of the host, all queries would write into it, and two users would read each other's values. With two columns for
// one field, one of their values would be lost.
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

// pointer calls the field function with a new row, as each query does, and returns its result. A panic of the function gets the column's name.
func pointer(table, column string, field func() any) reflect.Value {
	defer func() {
		if p := recover(); p != nil {
			panic(fmt.Sprintf("exosql: column %s.%s: the field function panics on a new row, as it would in each query; want one that returns a pointer to a field of its argument: %v", table, column, p))
		}
	}()
	return reflect.ValueOf(field())
}

// within reports whether v, or a part of it at any depth, has the type typ and the address at. The type matters because a struct and its first
// field have the same address.
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
