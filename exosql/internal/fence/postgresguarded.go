package fence

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// This file judges how PostgreSQL reads the guarded tables of a statement.

// guarded judges a node that reads a guarded table, including rows out of scope. PostgreSQL tries the
// conditions of a filter in the order in which it writes them, and stops at the first false one. Before the
// scope's last condition only these may come: conditions of the scope, a program's condition within CASE WHEN
// scope, and a declared link's condition. A condition that the planner derived from others is refused.
//
// The table may be read as a whole, or by an index with a value of a link or of the scope for each column. It
// may also be read by a bitmap of such conditions. None of these gives rows in an order that a program chose.
func (j *judge) guarded(t Table, node map[string]any) error {
	var first []string // first has conditions that every row meets before the filter
	switch kind := said(node, "Node Type"); kind {
	case "Seq Scan":
	case "Index Scan", "Index Only Scan":
		conds, err := j.byLink(t, node, true)
		if err != nil {
			return err
		}
		first = conds
	case "Bitmap Heap Scan":
		for _, p := range plansOf(node) {
			if said(p, "Parent Relationship") != "Outer" {
				continue
			}
			conds, err := j.bitmap(t, p)
			if err != nil {
				return err
			}
			again, err := conjuncts(said(node, "Recheck Cond"))
			if err != nil || !slices.Equal(slices.Compact(slices.Sorted(slices.Values(again))), slices.Compact(slices.Sorted(slices.Values(conds)))) {
				return fmt.Errorf("%s is checked again by other conditions", t.Alias)
			}
			first = conds
		}
	default:
		return fmt.Errorf("%s is read by a %s", t.Alias, kind)
	}
	if said(node, "Node Type") != "Seq Scan" && len(first) == 0 {
		return fmt.Errorf("%s is read by no index", t.Alias)
	}
	filter, err := conjuncts(said(node, "Filter"))
	if err != nil {
		return err
	}
	held := make([]bool, len(t.Scope))
	for _, cond := range append(first, filter...) {
		if strings.Contains(plainName().ReplaceAllString(cond, ""), `"`) { // a column's name can look like a condition
			return fmt.Errorf("%s is filtered by a column whose name has unusual characters", t.Alias)
		}
		scope := false
		for i, e := range t.Scope {
			if whole(pattern(e, t.Alias), cond) {
				held[i], scope = true, true
			}
		}
		if !slices.Contains(held, false) {
			return nil
		}
		if !scope && !j.behind(t, cond) && !linked(t, cond) {
			return fmt.Errorf("%s is filtered by another condition before its scope: %s", t.Alias, cond)
		}
	}
	return fmt.Errorf("%s is not filtered by its scope", t.Alias)
}

// bitmap returns the conditions that every row of a bitmap meets: those of its indexes. Its rows come in the order of
// the table, not of an index. BitmapOr is refused, since neither of its conditions is sure to be true.
func (j *judge) bitmap(t Table, node map[string]any) (conds []string, err error) {
	switch said(node, "Node Type") {
	case "Bitmap Index Scan":
		return j.byLink(t, node, false)
	case "BitmapAnd":
		for _, p := range plansOf(node) {
			more, err := j.bitmap(t, p)
			if err != nil {
				return nil, err
			}
			conds = append(conds, more...)
		}
		return conds, nil
	}
	return nil, fmt.Errorf("%s is read by several indexes", t.Alias)
}

// byLink returns the conditions of an index that is searched only for values of links or of the
// scope. If ordered is set, rows come in the order of the index.
func (j *judge) byLink(t Table, node map[string]any, ordered bool) ([]string, error) {
	name := said(node, "Index Name")
	conds, err := conjuncts(said(node, "Index Cond"))
	if err != nil {
		return nil, err
	}
	// If no condition covers a column of the index, rows come in the order of that column.
	if n := len(j.indexes(name)); n == 0 || len(conds) == 0 || len(conds) != n && ordered {
		return nil, fmt.Errorf("the index %s is searched by some of its columns", name)
	}
	for i, c := range conds {
		scope := slices.ContainsFunc(t.Scope, func(e Equality) bool { return whole(pattern(e, t.Alias), c) })
		if slices.Contains(conds[:i], c) || !scope && !linked(t, c) {
			return nil, fmt.Errorf("the index %s is searched by a condition that is not the link's: %s", name, c)
		}
	}
	return conds, nil
}

// behind reports whether a condition has the form CASE WHEN scope THEN … ELSE false END.
func (j *judge) behind(t Table, cond string) bool {
	cond, ok := strings.CutPrefix(cond, "CASE WHEN ")
	if !ok || !strings.HasSuffix(cond, " ELSE false END") {
		return false
	}
	when, _, ok := cutOutside(cond, " THEN ")
	if !ok {
		return false
	}
	parts, err := conjuncts(when)
	if err != nil {
		return false
	}
	for _, e := range t.Scope {
		if !slices.ContainsFunc(parts, func(c string) bool { return whole(pattern(e, t.Alias), c) }) {
			return false
		}
	}
	for _, c := range parts {
		if !slices.ContainsFunc(j.tables, func(t Table) bool {
			return slices.ContainsFunc(t.Scope, func(e Equality) bool { return whole(pattern(e, t.Alias), c) })
		}) {
			return false
		}
	}
	return true
}

// linked reports whether cond is the condition of a declared link of the table.
func linked(t Table, cond string) bool {
	return slices.ContainsFunc(t.Links, func(m Match) bool {
		ours, theirs := named(t.Alias, m.Column, false), named(m.Alias, m.Other, true)
		return whole(regexp.MustCompile(`\(`+ours+` = `+theirs+`\)`), cond) || whole(regexp.MustCompile(`\(`+theirs+` = `+ours+`\)`), cond)
	})
}

func whole(r *regexp.Regexp, s string) bool {
	at := r.FindStringIndex(s)
	return at != nil && at[0] == 0 && at[1] == len(s)
}

// conjuncts returns the conditions of a filter in PostgreSQL's order: one condition, or several in
// parentheses with AND between them.
func conjuncts(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	if _, _, err := cut(text, "\x00"); err != nil {
		return nil, err
	}
	return parts(text, " AND "), nil
}

// parts splits the text inside outer parentheses at each sep. If there are no such parentheses, it returns the whole text as one part.
func parts(text, sep string) (out []string) {
	inner, begins := strings.CutPrefix(text, "(")
	inner, ends := strings.CutSuffix(inner, ")")
	if !begins || !ends {
		return []string{text}
	}
	for {
		before, after, err := cut(inner, sep)
		if err != nil { // the first and the last parenthesis are no pair
			return []string{text}
		}
		if after == "" && before == inner {
			break
		}
		out = append(out, before)
		inner = after
	}
	if out == nil {
		return []string{text}
	}
	return append(out, inner)
}

// cutOutside cuts a text at the first sep that is outside parentheses, quoted texts and names.
func cutOutside(text, sep string) (before, after string, ok bool) {
	before, after, err := cut(text, sep)
	return before, after, err == nil && before != text
}

func cut(text, sep string) (before, after string, err error) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return "", "", fmt.Errorf("a condition can't be read: %s", text)
			}
		case '\'', '"':
			n := strings.IndexByte(text[i+1:], c) // a doubled quote begins the next text at once
			if n < 0 {
				return "", "", fmt.Errorf("a condition can't be read: %s", text)
			}
			i += n + 1
		default:
			if depth == 0 && strings.HasPrefix(text[i:], sep) {
				return text[:i], text[i+len(sep):], nil
			}
		}
	}
	if depth != 0 {
		return "", "", fmt.Errorf("a condition can't be read: %s", text)
	}
	return text, "", nil
}
