package undocmd

// This file shows rows as an undo finds them and as it leaves them.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/schema"
)

// line shows one row, before and after the undo. Changed columns that no facet of the table shows are only counted.
func line(f *grantfile.File, database string, im exosql.RowImage) string {
	shown := func(column string) bool {
		return slices.ContainsFunc(f.Facets, func(x grantfile.Facet) bool {
			return (x.Database.Text == database || x.Database.Text == "") && (x.Table.Text == im.Table.Name || x.Table.Text == im.Table.Schema+"."+im.Table.Name) &&
				slices.ContainsFunc(x.Columns, func(c grantfile.Column) bool { return strings.EqualFold(c.Text, column) })
		})
	}
	what, others := "change ", im.Others
	switch {
	case im.Before == nil:
		what = "insert "
	case im.After == nil:
		what = "delete "
	}
	var parts []string
	for i, c := range im.Columns {
		switch {
		case im.Before != nil && im.After != nil && im.Before[i] == im.After[i] || slices.Contains(im.Key, i) && shown(c):
		case !shown(c):
			others++
		case im.Before == nil:
			parts = append(parts, c+" "+text(im.After[i]))
		case im.After == nil:
			parts = append(parts, c+" "+text(im.Before[i]))
		default:
			parts = append(parts, c+" "+text(im.Before[i])+" → "+text(im.After[i]))
		}
	}
	if others == 1 {
		parts = append(parts, "another column")
	} else if others > 1 {
		parts = append(parts, fmt.Sprintf("%d other columns", others))
	}
	return what + rowName(im) + ": " + strings.Join(parts, ", ")
}

func rowName(im exosql.RowImage) string {
	row, keys := im.Before, []string(nil)
	if row == nil {
		row = im.After
	}
	for _, i := range im.Key {
		keys = append(keys, text(row[i]))
	}
	if keys == nil {
		return schema.Printable(im.Table.Name) + ", a row without a key"
	}
	return schema.Printable(im.Table.Name) + " " + strings.Join(keys, ", ")
}

// maxShown is how many characters of a value are shown.
const maxShown = 200

func text(c exosql.RowLiteral) string {
	if c.Null {
		return "NULL"
	}
	s := schema.Printable(c.Text)
	if r := []rune(s); len(r) > maxShown {
		s = string(r[:maxShown]) + "…"
	}
	return s
}
