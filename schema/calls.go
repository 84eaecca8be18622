package schema

import (
	"maps"
	"slices"
)

// notCalls are the words after which SQLite reads a parenthesis as a part of the
// expression. None of them can name a function without quotes.
var notCalls = map[string]bool{"AND": true, "OR": true, "NOT": true, "IN": true, "IS": true, "CAST": true, "CASE": true, "WHEN": true, "THEN": true,
	"ELSE": true, "BETWEEN": true, "ESCAPE": true, "DISTINCT": true, "FROM": true, "AS": true}

// operatorCalls are the operators of SQLite that are calls of functions with these names.
var operatorCalls = map[string]bool{"LIKE": true, "GLOB": true, "REGEXP": true, "MATCH": true, "->": true, "->>": true}

// VirtualCalls are the names, in lower case, of the functions that SQLite calls when it
// reads the column c of t: those of its expression if it is virtual, and of the virtual
// columns that the expression reads. The error is that an expression can't be read.
func (t *Table) VirtualCalls(c *Column) (calls []string, err error) {
	seen := map[string]bool{}
	for todo := []*Column{c}; len(todo) > 0; todo = todo[1:] {
		x := todo[0]
		if x.Generated != Virtual || seen[x.Name] {
			continue
		}
		seen[x.Name] = true
		names, read, err := callsOf(x.GenExpr)
		if err != nil {
			return nil, err
		}
		calls = append(calls, names...)
		for i := range t.Columns {
			if read[asciiFold(t.Columns[i].Name)] {
				todo = append(todo, &t.Columns[i])
			}
		}
	}
	slices.Sort(calls)
	return slices.Compact(calls), nil
}

// callsOf are the functions that an expression of SQLite calls, and every name in an expression of either engine that may be a column.
//
// What a word is by where it stands is not decided: a keyword is a column, too, where a table has one of that name (match, glob), and
// what follows AS is a type in one place and an alias in another, with more columns behind it. Whoever chose the names would hide a
// column from the rules about it. Only what a parenthesis follows is no column, in either engine.
func callsOf(expr string) (calls []string, read map[string]bool, err error) {
	toks, err := lex(expr)
	if err != nil {
		return nil, nil, err
	}
	read = map[string]bool{}
	inType := false // after AS of a CAST: DECIMAL(10, 2) is no call
	for i, t := range toks {
		open := i+1 < len(toks) && toks[i+1].punct("(")
		name := t.kind == tokWord || t.kind == tokName
		// To SQLite what stands in single quotes is a name after a dot: t.'a'.
		if name && !open || t.kind == tokString && i > 0 && toks[i-1].punct(".") {
			read[asciiFold(t.text)] = true
		}
		switch {
		case t.punct("("), t.punct(")"):
			inType = false
		case t.kind == tokPunct && operatorCalls[t.text], t.kind == tokWord && operatorCalls[t.up]:
			calls = append(calls, asciiFold(t.text))
		case t.kind == tokWord && t.up == "AS":
			inType = true
		case name && open && !inType && !notCalls[t.up]: // up is empty where a name is quoted
			calls = append(calls, asciiFold(t.text))
		}
	}
	return calls, read, nil
}

// readsOf are the names that an expression of either engine may read. What is in brackets is a name to SQLite, and an index or the
// items of an array to PostgreSQL, to which a backtick is an operator, with columns on both sides: both count.
func readsOf(expr string) (read map[string]bool, err error) {
	_, read, err = callsOf(expr)
	if err != nil {
		return nil, err
	}
	toks, _ := lex(expr) // callsOf has read it
	for _, t := range toks {
		if expr[t.pos] != '[' && expr[t.pos] != '`' {
			continue
		}
		within, err := readsOf(t.text)
		if err != nil {
			return nil, err
		}
		maps.Copy(read, within)
	}
	return read, nil
}

// named reports whether a column of t is among names. SQLite has three more for the key that it numbers rows by.
func (t *Table) named(c *Column, names map[string]bool) bool {
	rowid := c.Identity == ByDefault && t.PrimaryKey != nil && len(t.PrimaryKey.Columns) == 1 && t.PrimaryKey.Columns[0] == c.Name
	return names[asciiFold(c.Name)] || rowid && (names["rowid"] || names["oid"] || names["_rowid_"])
}

// Calculates reports whether the value of a generated column c of t may depend on one of some columns, also through other
// generated columns. Of an expression that can't be read it may.
func (t *Table) Calculates(c *Column, of func(column string) bool) bool {
	seen := map[string]bool{}
	for todo := []*Column{c}; len(todo) > 0; todo = todo[1:] {
		x := todo[0]
		if x.Generated == NotGenerated || seen[x.Name] {
			continue
		}
		seen[x.Name] = true
		read, err := readsOf(x.GenExpr)
		if err != nil {
			return true
		}
		for i := range t.Columns {
			if y := &t.Columns[i]; t.named(y, read) {
				if of(y.Name) {
					return true
				}
				todo = append(todo, y)
			}
		}
	}
	return false
}

// Reads reports whether an expression on a row of t may depend on one of some columns, also through generated columns, or on the
// row as a whole. One that can't be read may.
func (t *Table) Reads(expr string, of func(column string) bool) bool {
	read, err := readsOf(expr)
	if err != nil || read[asciiFold(t.Name.Name)] {
		return true
	}
	for i := range t.Columns {
		if c := &t.Columns[i]; t.named(c, read) && (of(c.Name) || t.Calculates(c, of)) {
			return true
		}
	}
	return false
}
