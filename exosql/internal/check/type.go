package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/cellform"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// typeNames are the names of types in SQLite and in PostgreSQL.
var typeNames = map[string][2]string{
	value.TypeInt: {"INTEGER", "bigint"}, value.TypeFloat: {"REAL", "double precision"}, value.TypeBool: {"BOOLEAN", "boolean"}, value.TypeText: {"TEXT", "text"},
	value.TypeTime: {"TEXT", "timestamptz"}, value.TypeDecimal: {"TEXT", "numeric"}, value.TypeDate: {"TEXT", "date"}, value.TypeInterval: {"TEXT", "interval"},
	value.TypeUUID: {"TEXT", "uuid"}, value.TypeBytes: {"BLOB", "bytea"}, value.TypeJSON: {"TEXT", "jsonb"},
}

func (c *Checker) typeName(col *decl.Column) string {
	if c.Live.Engine == schema.SQLite {
		if col.Kind == value.TypeList {
			return "TEXT"
		}
		return typeNames[col.Kind][0]
	}
	if col.Kind == value.TypeList {
		return typeNames[col.Elem][1] + "[]"
	}
	return typeNames[col.Kind][1]
}

// sqliteHolds lists, for each declared type, the kinds of SQLite columns that can store it:
// exosql/doc.go has the forms. A column without a type stores anything.
var sqliteHolds = map[string][]schema.Kind{
	value.TypeInt: {schema.Int, schema.Bool}, value.TypeFloat: {schema.Float, schema.Int, schema.Decimal}, value.TypeBool: {schema.Bool, schema.Int},
	value.TypeText:    {schema.Text, schema.Date, schema.Time, schema.JSON, schema.UUID, schema.Interval, schema.Bool, schema.Int, schema.Float, schema.Decimal},
	value.TypeTime:    {schema.Time, schema.Text},
	value.TypeDecimal: {schema.Decimal, schema.Text, schema.Int, schema.Float}, value.TypeDate: {schema.Date, schema.Text}, value.TypeInterval: {schema.Interval, schema.Text},
	value.TypeUUID: {schema.UUID, schema.Text}, value.TypeBytes: {schema.Bytes}, value.TypeJSON: {schema.JSON, schema.Text}, value.TypeList: {schema.JSON, schema.Text},
}

// columnType compares a column's type, and the values that its declaration lists, with the database. listed are the values in the column's CHECK.
func (c *Checker) columnType(t *decl.Table, col *decl.Column, x *schema.Column, listed []string) {
	if !c.holds(col, x) {
		is := x.Type
		if x.Domain != nil {
			is = x.Domain.String() + ", " + is + ","
		}
		f := Finding{Kind: TypeMismatch, Table: t.Name, Column: col.Name, Problem: fmt.Sprintf("is declared %s and is %s in the database", declaredType(col), is)}
		switch to := goType(x); {
		case to != "":
			f.Fix = t.Reader.Type(string(x.Kind), to)
		case c.Live.Engine == schema.Postgres:
			name, typ := sqlname.Plain(col.Name), c.typeName(col) // without USING, PostgreSQL converts only between few types
			f.Fix = fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s TYPE %s USING %s::text::%s", c.declared(t), name, typ, name, typ)
		default:
			f.Fix = "a column of type " + c.typeName(col)
		}
		c.Add(f)
		return
	}
	c.cells(t, col, x)
	if col.Enum == nil || col.Kind != value.TypeText {
		return
	}
	has, of, fails := listed, "a CHECK of the database", "no row has such a value, and no write may give one"
	if x.Enum != nil { // PostgreSQL fails if an enum is compared with a value that it lacks
		has, of, fails = c.Live.Values(x), "the enum "+x.Enum.String(), "comparing with it fails"
	}
	if has == nil {
		return
	}
	f := Finding{Kind: TypeMismatch, Table: t.Name, Column: col.Name, Fix: t.Reader.OneOf(has)}
	if more := without(col.Enum, has); more != "" {
		f.Problem = fmt.Sprintf("%s lists %s, which %s does not have: %s", t.Reader.OneOfName(), more, of, fails)
	} else if less := without(has, col.Enum); less != "" { // the host may intend to list fewer values
		f.Problem, f.Warning = fmt.Sprintf("%s has %s, which %s does not list: programs can't ask for it", of, less, t.Reader.OneOfName()), true
	} else {
		return
	}
	c.Add(f)
}

// cells compares the declared form of a column of SQLite with a sample of its cells. If no cell has that
// form, all answers about the column are wrong, so the finding is an error. cells skips columns that no
// granted object reads.
func (c *Checker) cells(t *decl.Table, col *decl.Column, x *schema.Column) {
	if u := c.uses[t]; u.granted && !u.reads[col] {
		return
	}
	misfits := x.Misfits
	if x.Kind == schema.Unknown {
		misfits = x.Untyped[schema.Kind(col.Kind)]
	} else if string(x.Kind) != col.Kind {
		return
	}
	if x.Finer < 0 && col.Iso() {
		c.Add(Finding{Kind: OtherForm, Table: t.Name, Column: col.Name, Warning: true, Problem: "the table could not be read to look at its times, so a time may be finer than a millisecond",
			Fix: "a new check when nothing locks the table and SELECT " + sqlname.Plain(col.Name) + " FROM " + c.declared(t) + " LIMIT 1 returns"})
	}
	if x.Finer > 0 && col.Iso() {
		c.Add(Finding{Kind: OtherForm, Table: t.Name, Column: col.Name, Warning: true,
			Problem: fmt.Sprintf("%d of the cells that were looked at are finer than a millisecond, though %s declares that none is: programs read them in milliseconds, and a condition with such a value finds no row", x.Finer, t.Reader.ISO()),
			Fix:     "a declaration without " + t.Reader.ISO()})
	}
	if misfits > 0 {
		c.Add(Finding{Kind: OtherForm, Table: t.Name, Column: col.Name, Warning: true,
			Problem: fmt.Sprintf("%d of the cells that were looked at are not of the type %s: programs read null there, with a notice, and conditions, orders and sums treat them as null", misfits, col.Kind),
			Fix:     "values of the type instead; this finds the cells: " + finds(t, col)})
	}
	if x.Cells == nil {
		return
	}
	if col.Stored.Number() && strings.HasPrefix(strings.ToUpper(x.Default), "CURRENT_") {
		c.Add(Finding{Kind: OtherForm, Table: t.Name, Column: col.Name, Warning: true, Problem: "has the default " + x.Default + ", which is a text, but " + t.Reader.Stored(string(col.Stored)) + " declares numbers: a row that is inserted without a value reads as null there",
			Fix: "a default like (unixepoch()), or (unixepoch() * 1000) for milliseconds"})
	}
	fit, what := x.Cells.Plain, "need "+t.Reader.StoredName()+" in the declaration"
	if col.Stored != "" {
		fit, what = x.Cells.Forms[string(col.Stored)], "do not have the form that "+t.Reader.Stored(string(col.Stored))+" declares, like "+col.Stored.Example()
	}
	if fit == x.Cells.Held {
		return
	}
	f := Finding{Kind: OtherForm, Table: t.Name, Column: col.Name, Warning: fit > 0 || col.Stored != "",
		Problem: fmt.Sprintf("%d of the %d cells that were looked at %s: programs read null there, and can't find these rows by the column. This finds the cells: %s", x.Cells.Held-fit, x.Cells.Held, what, finds(t, col))}
	if form, n := x.Cells.Form(x.Kind); form != "" && n > fit {
		f.Fix = fmt.Sprintf("%s, which %d of them have", t.Reader.Stored(form), n)
	} else {
		f.Fix = "one form for all cells of the column, from " + cellform.Texts(cellform.Of(col.Kind)) + "; or " + t.Reader.Type(value.TypeText, "string") + ", which shows them as they are"
	}
	c.Add(f)
}

func without(a, b []string) string {
	var out []string
	for _, s := range a {
		if !slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	return quotedTexts(out)
}

func quotedTexts(s []string) string {
	out := scalar.Each(s, func(x string) string { return fmt.Sprintf("%q", x) })
	return strings.Join(out, ", ")
}

// Holds reports whether a column of the database can be declared with col's type, because its
// values can be read as that type.
func Holds(live *schema.Database, col *decl.Column, x *schema.Column) bool {
	return (&Checker{Live: live}).holds(col, x)
}

func (c *Checker) holds(col *decl.Column, x *schema.Column) bool {
	if c.Live.Engine == schema.SQLite {
		if col.Stored.Number() && x.Kind == schema.Text { // SQLite turns every number into text in a text column
			return false
		}
		numbers, flag := col.Stored.Number() && (x.Kind == schema.Int || x.Kind == schema.Decimal), col.Kind == value.TypeBool && col.Stored != "" && x.Kind == schema.Text
		return x.Kind == schema.Unknown || slices.Contains(sqliteHolds[col.Kind], x.Kind) || numbers || flag
	}
	switch {
	case col.Kind == value.TypeText && x.Kind == schema.Unknown:
		return true // a column of any type can be compared and shown as text
	case col.Kind == value.TypeList:
		return x.Kind == schema.List && (string(x.Elem) == col.Elem || col.Elem == value.TypeText && x.Elem == schema.Unknown)
	}
	return string(x.Kind) == col.Kind
}

func declaredType(col *decl.Column) string {
	if col.Kind == value.TypeList {
		return "a list of " + col.Elem
	}
	return col.Kind
}

// goTypes are the Go types of fields, by the kind of their column.
var goTypes = map[schema.Kind]string{
	schema.Bool: "bool", schema.Int: "int64", schema.Float: "float64", schema.Text: "string", schema.Time: "time.Time", schema.Decimal: "exosql.Decimal",
	schema.Date: "exosql.Date", schema.Interval: "exosql.Interval", schema.UUID: "[16]byte", schema.Bytes: "[]byte", schema.JSON: "exosql.JSON",
}

func goType(x *schema.Column) string {
	if x.Kind != schema.List {
		return goTypes[x.Kind]
	}
	if of := goTypes[x.Elem]; of != "" {
		return "[]" + of
	}
	return ""
}
