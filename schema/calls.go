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

// callsOf are the functions that an expression of SQLite calls, and every other name in it.
func callsOf(expr string) (calls []string, read map[string]bool, err error) {
	toks, err := lex(expr)
	if err != nil {
		return nil, nil, err
	}
	read = map[string]bool{}
	inType := false // after AS of a CAST: DECIMAL(10, 2) is no call
	for i, t := range toks {
		open := i+1 < len(toks) && toks[i+1].kind == tokPunct && toks[i+1].text == "("
		switch {
		case t.kind == tokPunct && (t.text == "(" || t.text == ")"):
			inType = false
		case t.kind == tokPunct && operatorCalls[t.text], t.kind == tokWord && operatorCalls[t.up]:
			calls = append(calls, asciiFold(t.text))
		case t.kind == tokWord && t.up == "AS":
			inType = true
		case inType, t.kind != tokWord && t.kind != tokName:
		case !open:
			read[asciiFold(t.text)] = true
		case !notCalls[t.up]: // up is empty where a name is quoted
			calls = append(calls, asciiFold(t.text))
		}
	}
	return calls, read, nil
}

// readsOf are the names that an expression of either engine may read. What is in brackets is a name to SQLite, and an index or the
// items of an array to PostgreSQL: both count.
func readsOf(expr string) (read map[string]bool, err error) {
	_, read, err = callsOf(expr)
	if err != nil {
		return nil, err
	}
	toks, _ := lex(expr) // callsOf has read it
	for _, t := range toks {
		if expr[t.pos] != '[' {
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
			if y := &t.Columns[i]; read[asciiFold(y.Name)] {
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
		if c := &t.Columns[i]; read[asciiFold(c.Name)] && (of(c.Name) || t.Calculates(c, of)) {
			return true
		}
	}
	return false
}
