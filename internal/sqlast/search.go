package sqlast

import (
	"errors"
	"fmt"
)

// Searched tests whether the texts of one row match a query, or how well they match. No other row counts. Package exosql/internal/search
// defines a match.
type Searched struct {
	Query  Arg // the program's text on SQLite; on Postgres a regular expression made from it
	Texts  []Expr
	Rank   bool
	Needle Arg // a part of every matching text, which Postgres searches first; only without Rank
}

func (Searched) expr() {}

// MaxTexts is the most texts that can be searched together.
const MaxTexts = 8

// searched writes a search. On Postgres the texts are in lower case, and separated by a character that no word has. The rank counts up to ten
// matches in each text. Each text counts four times as much as the next.
//
// The regular expression is the result of a select, like the pattern of Like. A planner that knew it could try it on texts in its statistics,
// which come from rows of any tenant.
func (f *fragment) searched(e Searched) *fragment {
	if f.dialect == SQLite {
		s := function("exo_search(")
		if e.Rank {
			s = function("exo_rank(")
		}
		return f.call(s, append([]Expr{e.Query}, e.Texts...))
	}
	if !e.Rank {
		f.write("(CASE WHEN strpos(").joined(e.Texts).write(", (SELECT ").arg(e.Needle).write(")) > 0 THEN ")
		return f.joined(e.Texts).write(" ~ (SELECT ").arg(e.Query).write(") ELSE false END)")
	}
	f.write("CAST(")
	for range e.Texts[1:] {
		f.write("(")
	}
	for i, x := range e.Texts {
		f.sep(i, " * 4 + ").write("least(cardinality(regexp_split_to_array(").folded(x).write(", (SELECT ").arg(e.Query).write("))) - 1, 10)")
		if i > 0 {
			f.write(")")
		}
	}
	return f.write(" AS bigint)")
}

// joined writes the folded texts of a row as one text.
func (f *fragment) joined(texts []Expr) *fragment {
	f.write("(")
	for i, x := range texts {
		f.sep(i, ` || U&' \E000 ' || `).folded(x)
	}
	return f.write(")")
}

// folded writes a text as package search folds it. ASCII text has the same lower case in all collations, and is quicker without ICU. Most
// texts are short ASCII. So substr, which reads every character, is only for others.
func (f *fragment) folded(x Expr) *fragment {
	f.write("(CASE WHEN octet_length(").add(x).write(") <= 65536 AND octet_length(").add(x).write(") = char_length(").add(x).write(") THEN (lower(").add(x)
	f.write(` COLLATE "C") COLLATE "C") ELSE replace((lower(substr(coalesce(`).add(x)
	return f.write(`, ''), 1, 65536) COLLATE "und-x-icu") COLLATE "C"), U&'\03C2', U&'\03C3') END)`)
}

// searched checks the texts, and counts each as often as the text of the statement repeats it.
func (c *checker) searched(e Searched, sc *scope) error {
	if len(e.Texts) == 0 || len(e.Texts) > MaxTexts {
		return fmt.Errorf("searched: the field Texts must have 1 to %d texts", MaxTexts)
	}
	if err := c.expr(e.Query, sc, 0); err != nil {
		return fmt.Errorf("searched: %w", err)
	}
	n := 1
	if c.dialect == Postgres {
		n = 5
		if e.Query.Cast != CastText || !e.Rank && e.Needle.Cast != CastText {
			return errors.New("searched: the Cast of Query, and that of Needle without Rank, must be CastText")
		}
		if !e.Rank {
			n = 10
			if err := c.expr(e.Needle, sc, 0); err != nil {
				return fmt.Errorf("searched: %w", err)
			}
		}
	}
	for _, x := range e.Texts {
		for range n {
			if err := c.expr(x, sc, 0); err != nil {
				return fmt.Errorf("searched: %w", err)
			}
		}
	}
	return nil
}
