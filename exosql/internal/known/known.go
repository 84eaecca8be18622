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
	table        schema.Name
	column, text string
}

type row struct {
	engine.Image
	content string // content is the text of the cells that the run determines, before new keys have names
}

// writer has what it takes to write rows without the keys that the database chose for new ones.
type writer struct {
	rows  []*row
	seen  map[schema.Name]bool // seen are the tables of which the program can read a column
	keys  map[string]bool      // keys are the new keys, as text
	fresh map[at]string        // fresh has the name of each new key; "?" before the rows are numbered
	to    map[at][]Refers      // to has the references of each column of a table
}

// Of describes the changes in images. The function refers lists the columns that contain keys; Of calls it only if there are new keys. The function sees reports whether
// the program can read a column, since a program can't have copied a key that it can't read. If a program can read no column of a table, a trigger wrote the table and
// may have copied keys. So there the word "new" replaces each new key in a text.
func Of(images []engine.Image, refers func() []Refers, sees func(t schema.Name, column string) bool) Known {
	w := writer{seen: map[schema.Name]bool{}, keys: map[string]bool{}, fresh: map[at]string{}, to: map[at][]Refers{}}
	readable := map[string]bool{} // the new keys that the program can read
	var k Known
	for _, im := range images {
		for _, key := range w.add(im, sees) {
			k.New, readable[key] = append(k.New, key), true
		}
	}
	if len(w.fresh) > 0 {
		for _, r := range refers() {
			w.to[at{r.Table, r.Column, ""}] = append(w.to[at{r.Table, r.Column, ""}], r)
		}
	}
	w.number()
	texts := make([]string, 0, len(w.rows))
	for _, r := range w.rows {
		texts = append(texts, w.write(r))
		if k.Copies == "" && w.seen[r.Table] {
			k.Copies = w.copies(r, readable)
		}
	}
	slices.Sort(texts)
	for _, t := range texts {
		k.Text = text(k.Text, t)
	}
	return k
}

// add adds a row. It returns the keys that the database chose for the row and that the program can read.
func (w *writer) add(im engine.Image, sees func(t schema.Name, column string) bool) (readable []string) {
	w.rows = append(w.rows, &row{Image: im})
	w.seen[im.Table] = w.seen[im.Table] || slices.ContainsFunc(im.Columns, func(c string) bool { return sees(im.Table, c) })
	for _, i := range w.rows[len(w.rows)-1].chosen() {
		w.fresh[at{im.Table, im.Columns[i], im.After[i].Text}] = "?"
		key := plain(im.After[i].Text)
		if w.keys[key] = true; sees(im.Table, im.Columns[i]) {
			readable = append(readable, key)
		}
	}
	return readable
}

// chosen returns the places of the key's columns for which the database chose a value. A row that is not new has none.
func (r *row) chosen() (out []int) {
	for _, i := range r.Filled {
		if r.Before == nil && slices.Contains(r.Key, i) && !r.After[i].Null {
			out = append(out, i)
		}
	}
	return out
}

// number names the new keys. New rows are numbered in an order that does not depend on the values that the database chose.
func (w *writer) number() {
	byTable := map[schema.Name][]*row{}
	for _, r := range w.rows {
		if r.Before == nil {
			r.content = w.write(r)
			byTable[r.Table] = append(byTable[r.Table], r)
		}
	}
	for table, of := range byTable {
		slices.SortStableFunc(of, func(a, b *row) int { return cmp.Compare(a.content, b.content) })
		for n, r := range of {
			for _, i := range r.chosen() {
				w.fresh[at{table, r.Columns[i], r.After[i].Text}] = fmt.Sprintf("new %d of %s", n+1, table.Name)
			}
		}
	}
}

// name returns the name of a new key in a cell, if the cell contains one.
func (w *writer) name(t schema.Name, column string, c engine.Cell) (string, bool) {
	if c.Null || len(w.fresh) == 0 {
		return "", false
	}
	if n, ok := w.fresh[at{t, column, c.Text}]; ok {
		return n, true
	}
	for _, r := range w.to[at{t, column, ""}] {
		if n, ok := w.fresh[at{r.To, r.Key, c.Text}]; ok {
			return n, true
		}
	}
	return "", false
}

// write returns the text of a row.
func (w *writer) write(r *row) string {
	b := text(text(nil, r.Table.Schema), r.Table.Name)
	for _, c := range r.Columns {
		b = text(b, c)
	}
	cells := func(of []engine.Cell, filled []int) {
		b = append(b, ';')
		for i, c := range of {
			switch n, isKey := w.name(r.Table, r.Columns[i], c); {
			case isKey:
				b = text(append(b, 'k'), n)
			case slices.Contains(filled, i):
				b = append(b, 'f')
			case c.Null:
				b = append(b, 'n')
			case !w.seen[r.Table]:
				b = text(append(b, 't'), unnamed(c.Text, w.keys))
			default:
				b = text(append(b, 't'), c.Text)
			}
		}
	}
	cells(r.Before, nil)
	cells(r.After, r.Filled)
	return string(b)
}

// text adds a text with its length, so that no two lists of texts are written alike.
func text(b []byte, s string) []byte {
	return append(append(strconv.AppendInt(b, int64(len(s)), 10), ':'), s...)
}

// copies returns where a row contains a new key in a value that is no key, or "".
func (w *writer) copies(r *row, keys map[string]bool) string {
	for i, c := range r.After {
		if c.Null || r.Before == nil && slices.Contains(r.Filled, i) || r.Before != nil && r.Before[i] == c {
			continue
		}
		if _, isKey := w.name(r.Table, r.Columns[i], c); isKey {
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
