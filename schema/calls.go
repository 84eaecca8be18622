package schema

import (
	"maps"
	"slices"
)

// notCalls are words after which SQLite reads a parenthesis as part of the expression. A function with such a name would need quotes.
var notCalls = map[string]bool{"AND": true, "OR": true, "NOT": true, "IN": true, "IS": true, "CAST": true, "CASE": true, "WHEN": true, "THEN": true,
	"ELSE": true, "BETWEEN": true, "ESCAPE": true, "DISTINCT": true, "FROM": true, "AS": true}

// operatorCalls are SQLite's operators that call a function of the same name.
var operatorCalls = map[string]bool{"LIKE": true, "GLOB": true, "REGEXP": true, "MATCH": true, "->": true, "->>": true}

// VirtualCalls returns the names, in lower case, of the functions that SQLite calls to read the column c of t. A virtual column calls the
// functions in its expression, and those of the virtual columns that the expression reads. VirtualCalls fails if an expression can't be parsed.
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

// callsOf returns the functions that a SQLite expression calls, and every name in an expression of either engine that may be a column.
//
// It does not decide what a word means from its place, because hostile names could then hide a column from the rules about it. A keyword is a
// column if the table has a column of that name (match, glob). After AS comes a type in one place, and an alias with more columns after it in
// another. Only a name before a parenthesis is no column, in either engine.
func callsOf(expr string) (calls []string, read map[string]bool, err error) {
	toks, err := lex(expr)
	if err != nil {
		return nil, nil, err
	}
	read = map[string]bool{}
	inType := false // inType: after the AS of a CAST, DECIMAL(10, 2) is no call
	for i, t := range toks {
		open := i+1 < len(toks) && toks[i+1].punct("(")
		name := t.kind == tokWord || t.kind == tokName
		// SQLite reads a text in single quotes after a dot as a name, like t.'a'.
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
		case name && open && !inType && !notCalls[t.up]: // t.up is empty if the name is quoted
			calls = append(calls, asciiFold(t.text))
		}
	}
	return calls, read, nil
}

// readsOf returns the names that an expression of either engine may read. In SQLite, brackets and backticks quote a name. In PostgreSQL,
// brackets contain an index or the items of an array, and a backtick is an operator with a column on each side. Both readings count.
func readsOf(expr string) (read map[string]bool, err error) {
	_, read, err = callsOf(expr)
	if err != nil {
		return nil, err
	}
	toks, _ := lex(expr) // callsOf has parsed the expression, so lex returns no error
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

// named reports whether a column of t is among names. SQLite's rowid key also has the names rowid, oid and _rowid_.
func (t *Table) named(c *Column, names map[string]bool) bool {
	rowid := c.Identity == ByDefault && t.PrimaryKey != nil && len(t.PrimaryKey.Columns) == 1 && t.PrimaryKey.Columns[0] == c.Name
	return names[asciiFold(c.Name)] || rowid && (names["rowid"] || names["oid"] || names["_rowid_"])
}

// Calculates reports whether the value of a generated column c of t may depend on one of some columns, also through other generated columns. It
// returns true if an expression can't be read.
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

// Reads reports whether an expression on a row of t may depend on one of some columns, also through generated columns, or on the whole row. It
// returns true if the expression can't be read.
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
