// Package known writes a text about the rows that a run changes. It has everything that the run determines, and nothing that the database chooses
// anew in each run. Two runs with the same text do the same.
//
// A key that the database chose for a new row has a name in the text, like "new 2 of orders". The name replaces it in the row and wherever a column
// refers to the row.
package known

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/schema"
)

// Refers is a column that contains keys of another table.
type Refers struct {
	Table  schema.Name
	Column string
	To     schema.Name
	Key    string // Key is the column of To
}

// Known describes the changes that a run determines.
type Known struct {
	Text   []byte
	New    []string // New are the keys that the database chose and the program can read, as text
	Copies string   // Copies is where a value contains a key in New, so that another run can't write the same value; "" if nowhere
}

type at struct {
	table  schema.Name
	column string
	text   string
}

type row struct {
	engine.Image
	content string // content is the text of the cells that the run determines, before new keys have names
}

// Of describes the changes in images. The function refers lists the columns that contain keys; Of calls it only if there are new keys. The function sees reports whether
// the program can read a column, since a program can't have copied a key that it can't read. If a program can read no column of a table, a trigger wrote the table and
// may have copied keys. So there the word "new" replaces each new key in a text.
func Of(images []engine.Image, refers func() []Refers, sees func(t schema.Name, column string) bool) Known {
	var k Known
	keys, seen := map[string]bool{}, map[schema.Name]bool{}
	fresh := map[at]string{}
	var rows []*row
	byTable := map[schema.Name][]*row{}
	for _, im := range images {
		r := &row{Image: im}
		if !seen[im.Table] {
			seen[im.Table] = slices.ContainsFunc(im.Columns, func(c string) bool { return sees(im.Table, c) })
		}
		if rows = append(rows, r); im.Before == nil {
			byTable[im.Table] = append(byTable[im.Table], r)
			for _, i := range im.Filled {
				if slices.Contains(im.Key, i) && !im.After[i].Null {
					fresh[at{im.Table, im.Columns[i], im.After[i].Text}] = "?"
					if keys[plain(im.After[i].Text)] = true; sees(im.Table, im.Columns[i]) {
						k.New = append(k.New, plain(im.After[i].Text))
					}
				}
			}
		}
	}
	to := map[at][]Refers{} // to has the references of each column of a table
	var all []Refers
	if len(fresh) > 0 {
		all = refers()
	}
	for _, r := range all {
		to[at{r.Table, r.Column, ""}] = append(to[at{r.Table, r.Column, ""}], r)
	}
	// name returns the name of a new key in a cell, if the cell contains one.
	name := func(t schema.Name, column string, c engine.Cell) (string, bool) {
		if c.Null || len(fresh) == 0 {
			return "", false
		}
		if n, ok := fresh[at{t, column, c.Text}]; ok {
			return n, true
		}
		for _, r := range to[at{t, column, ""}] {
			if n, ok := fresh[at{r.To, r.Key, c.Text}]; ok {
				return n, true
			}
		}
		return "", false
	}
	write := func(r *row) string {
		b := text(text(nil, r.Table.Schema), r.Table.Name)
		for _, c := range r.Columns {
			b = text(b, c)
		}
		cells := func(of []engine.Cell, filled []int) {
			b = append(b, ';')
			for i, c := range of {
				switch n, isKey := name(r.Table, r.Columns[i], c); {
				case isKey:
					b = text(append(b, 'k'), n)
				case slices.Contains(filled, i):
					b = append(b, 'f')
				case c.Null:
					b = append(b, 'n')
				case !seen[r.Table]:
					b = text(append(b, 't'), unnamed(c.Text, keys))
				default:
					b = text(append(b, 't'), c.Text)
				}
			}
		}
		cells(r.Before, nil)
		cells(r.After, r.Filled)
		return string(b)
	}
	for _, of := range byTable {
		for _, r := range of {
			r.content = write(r)
		}
	}
	for table, of := range byTable { // new rows are numbered in an order that does not depend on the values that the database chose
		slices.SortStableFunc(of, func(a, b *row) int { return cmp.Compare(a.content, b.content) })
		for n, r := range of {
			for _, i := range r.Filled {
				if !slices.Contains(r.Key, i) || r.After[i].Null {
					continue
				}
				if x := (at{table, r.Columns[i], r.After[i].Text}); fresh[x] != "" {
					fresh[x] = fmt.Sprintf("new %d of %s", n+1, table.Name)
				}
			}
		}
	}
	readable := map[string]bool{}
	for _, key := range k.New {
		readable[key] = true
	}
	texts := make([]string, 0, len(rows))
	for _, r := range rows {
		texts = append(texts, write(r))
		if k.Copies == "" && seen[r.Table] {
			k.Copies = r.copies(readable, name)
		}
	}
	slices.Sort(texts)
	for _, t := range texts {
		k.Text = text(k.Text, t)
	}
	return k
}

// text adds a text with its length, so that no two lists of texts are written alike.
func text(b []byte, s string) []byte {
	return append(append(strconv.AppendInt(b, int64(len(s)), 10), ':'), s...)
}

// copies returns where a row contains a new key in a value that is no key, or "".
func (r *row) copies(keys map[string]bool, name func(schema.Name, string, engine.Cell) (string, bool)) string {
	for i, c := range r.After {
		if c.Null || r.Before == nil && slices.Contains(r.Filled, i) || r.Before != nil && r.Before[i] == c {
			continue
		}
		if _, isKey := name(r.Table, r.Columns[i], c); isKey {
			continue
		}
		if key := changeset.Named(c.Text, keys); key != "" {
			return fmt.Sprintf("%s of %s is given %s", r.Columns[i], r.Table.Name, key)
		}
	}
	return ""
}

// unnamed replaces every new key in a text that the database wrote by "new".
func unnamed(text string, keys map[string]bool) string {
	for key := changeset.Named(text, keys); key != ""; key = changeset.Named(text, keys) {
		text = strings.ReplaceAll(text, key, "new")
	}
	return text
}

// plain returns the text of a cell without the quotes of a literal.
func plain(text string) string {
	if n := len(text); n > 1 && text[0] == '\'' && text[n-1] == '\'' {
		return strings.ReplaceAll(text[1:n-1], "''", "'")
	}
	return text
}

// Plain returns the text of a cell for a person to read.
func Plain(c engine.Cell) string {
	if c.Null {
		return "null"
	}
	return plain(c.Text)
}
