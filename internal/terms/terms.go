// Package terms names the parts of a declaration for the reader of an error. A Go programmer reads Go, an operator reads YAML. Errors use the
// Reader of the table's declaration, so the choice is made in one place.
package terms

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/internal/scalar"
)

// Reader is the kind of person who wrote a declaration, and reads the errors about it.
type Reader uint8

const (
	Go      Reader = iota // a Go programmer who uses package exosql
	Dynamic               // a Go programmer who uses package exosql/dynamic
	File                  // the author of a grant file
)

// of returns the text for the reader.
func (r Reader) of(inGo, dynamic, file string) string {
	switch r {
	case Dynamic:
		return dynamic
	case File:
		return file
	}
	return inGo
}

// Permit names a permission for writes through a facet. The argument inGo is the Go expression that makes it, and file is its form in a grant file.
func (r Reader) Permit(inGo, file, facet string) string {
	at := strings.TrimSpace("the facet " + facet)
	return r.of(fmt.Sprintf("Permit(%s) on %s", inGo, at), fmt.Sprintf("Permit(%q) on %s", file, at), fmt.Sprintf("`effects: [%s]` in %s", quoted(file), at))
}

// PermitName names a permission without its place.
func (r Reader) PermitName(inGo, file string) string {
	return r.of(inGo, strconv.Quote(file), "`"+file+"` under effects")
}

// PermitOfTable names a permission for writes by Go code.
func (Reader) PermitOfTable(inGo string) string { return fmt.Sprintf("Permit(%s) on the Table", inGo) }

// PermitOfAny names a permission for any write. It is for errors that know no facet.
func (Reader) PermitOfAny(inGo string) string {
	return fmt.Sprintf("Permit(%s) on the facet by which programs write, or on the Table for Go code; exosql.Written takes the same", inGo)
}

// Link names a link that a facet must show.
func (r Reader) Link(to string) string {
	return r.of("the link from it to "+to+" on its facet, by exosql.Via", "the link from it to "+to+" on its facet, by Facet.Add", "a link to a facet of "+to+" among the `links` of its facet")
}

// LinkOver names a link for Go code that writes its columns.
func (Reader) LinkOver(to string) string {
	return "a link over these columns, declared by exosql.One or exosql.Many, and a scope of " + to + " in the grant"
}

// NotInserted describes columns of a new row that programs can't set.
func (r Reader) NotInserted() string {
	return r.of("without AllowInsert of them", "without AllowInsert of them", "which `insert` does not list")
}

// NoInsert describes a facet through which programs insert no rows.
func (r Reader) NoInsert() string { return r.of("no AllowInsert", "no AllowInsert", "no `insert`") }

// Inserted returns, for an error, what the declaration must list so that programs can set a column in a new row.
func (r Reader) Inserted(column string) string {
	inGo := column + " among the columns of the facet and of AllowInsert"
	return r.of(inGo, inGo, fmt.Sprintf("%s among `columns` and `insert` of the facet", quoted(column)))
}

// RowLabel names the label of a table's rows.
func (r Reader) RowLabel(table string) string {
	inGo := "the same label for the rows of " + table + ", by WithLabel on the Table"
	return r.of(inGo, inGo, "the same `label` in the facet of "+table)
}

// Label names the declaration that gives a column these tags.
func (r Reader) Label(tags []string) string {
	list := listed(tags)
	return r.of("WithLabel("+list+")", "Label: []string{"+list+"}", "`label: ["+list+"]`")
}

// NoKey describes the declaration of a table without a key.
func (r Reader) NoKey() string {
	return r.of("Table.Keyless in its declaration", "no ColumnSpec with Key", "no `key` in the file")
}

// Key names the declaration of a key.
func (r Reader) Key(columns string) string {
	return r.of("exosql.NewKey for "+columns, "Key in the ColumnSpec of "+columns, "`key` with "+columns)
}

// OneOf names the declaration of a column's only values.
func (r Reader) OneOf(values []string) string {
	list := listed(values)
	return r.of("OneOf("+list+")", "OneOf: []string{"+list+"}", "`one_of: ["+list+"]`")
}

// OneOfName names the property that lists the values of a column.
func (r Reader) OneOfName() string { return r.of("OneOf", "OneOf", "`one_of`") }

// ISO names the property of a column that stores times as text in one form.
func (r Reader) ISO() string { return r.of("StoredISO()", "StoredISO", "`iso: true`") }

// Stored names the property with the form in which SQLite stores a column.
func (r Reader) Stored(form string) string {
	return r.of("Stored("+strconv.Quote(form)+")", "Stored: "+strconv.Quote(form), "`stored: "+form+"`")
}

// StoredName names that property without its value.
func (r Reader) StoredName() string { return r.of("Stored", "Stored", "`stored`") }

// Type names the declaration that gives a column its type. The argument inGo is the Go type of the field.
func (r Reader) Type(kind, inGo string) string {
	return r.of("a field of type "+inGo, "the Type "+strconv.Quote(kind), "`type: "+kind+"`")
}

// TypeName names the property with a column's type.
func (r Reader) TypeName() string { return r.of("Type", "Type", "`type`") }

// ListType names the declaration of a list's element type.
func (r Reader) ListType() string {
	return r.of("a slice", "its type in Elem", "its type between brackets, like `type: [text]`")
}

// As names the property with a column's other name for programs.
func (r Reader) As() string { return r.of("Named", "ColumnSpec.As", "`as`") }

// Search names the declaration that lets programs search.
func (r Reader) Search() string { return r.of("Facet.Search", "Facet.Search", "`search`") }

// MeasureName names the property with a measure's name.
func (r Reader) MeasureName() string { return r.of("As", "MeasureSpec.Name", "a key of `measures`") }

// Nullable describes a column that may be NULL.
func (r Reader) Nullable() string {
	return r.of("exosql.NewNullable with a pointer field", "a column that the catalogue knows as nullable", "a column that the database knows as nullable")
}

// NotNull describes a column that is never NULL.
func (r Reader) NotNull() string {
	return r.of("exosql.NewColumn", "a column that the catalogue knows as never NULL", "a column that the database knows as never NULL")
}

// Table names a declaration of a table with this name.
func (r Reader) Table(name string) string {
	return r.of(fmt.Sprintf("exosql.NewTable[…](%q)", name), fmt.Sprintf("the table %q", name), fmt.Sprintf("`table: %s`", name))
}

// Readers names the property that lists the readers of a value.
func (r Reader) Readers() string { return r.of("ReadBy", "Readers", "`readers`") }

// MaxBytes names the property with the largest size of a labelled value.
func (r Reader) MaxBytes() string { return r.of("MaxBytes", "MaxBytes", "`max_bytes`") }

// LabelName names the property that gives a label.
func (r Reader) LabelName() string { return r.of("WithLabel", "Label", "`label`") }

// Scope names the declaration of a table's rows in scope. The argument link names a link through which the table can be reached.
func (r Reader) Scope(link string) string {
	return r.of("as a further argument of Grant: ScopeVia(the link "+link+"), or ScopeRows, or ScopeShared for all rows",
		"as a further argument of Grant: ScopeVia(the link "+link+"), or ScopeRows, or ScopeShared for all rows",
		"by `scope: via "+link+"`, a condition, or `shared`")
}

// Filled describes a scope that gives a column its value.
func (r Reader) Filled(column string) string {
	return r.of("a scope with "+column+".Eq(…)", "a scope with Eq("+strconv.Quote(column)+", …)", "a `scope` with "+column+" = …")
}

// Value describes a Go value that does not fit a column.
func (r Reader) Value(x any, shown string) string {
	if r != File {
		return fmt.Sprintf("%stype %T", shown, x)
	}
	switch x.(type) {
	case string:
		return "the text " + strings.TrimSuffix(shown, " of ")
	case bool:
		return strings.TrimSuffix(shown, " of ")
	}
	return "the number " + strings.Trim(strings.TrimSuffix(shown, " of "), `"`) // the text of a json.Number is quoted
}

// quoted writes a text in double quotes, which YAML and Go both read.
func quoted(s string) string { return strconv.Quote(s) }

func listed(texts []string) string { return strings.Join(scalar.Each(texts, quoted), ", ") }
