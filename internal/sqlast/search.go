package sqlast

import (
	"errors"
	"fmt"
)

// Searched tests whether the texts of one row, and nothing else, match a query, or how well they
// match. Package exosql/internal/search defines what that means.
type Searched struct {
	Query  Arg // SQLite: the program's text; Postgres: a regular expression made from it
	Texts  []Expr
	Rank   bool
	Needle Arg // Postgres, without Rank: a part of every text that matches, which is looked for first
}

func (Searched) expr() {}

// MaxTexts is how many texts can be searched together.
const MaxTexts = 8

// searched writes the texts on Postgres in lower case, with a space and a character that no word has between them. The
// rank counts up to ten matches of the expression in each text; each text counts four times as much as the next.
//
// The expression is a select, like the pattern of Like: a planner that knew it could try it on texts in its statistics,
// which are rows of any tenant.
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
		if i > 0 {
			f.write(" * 4 + ")
		}
		f.write("least(cardinality(regexp_split_to_array(").folded(x).write(", (SELECT ").arg(e.Query).write("))) - 1, 10)")
		if i > 0 {
			f.write(")")
		}
	}
	return f.write(" AS bigint)")
}

// joined writes the folded texts of a row as one.
func (f *fragment) joined(texts []Expr) *fragment {
	f.write("(")
	for i, x := range texts {
		if i > 0 {
			f.write(` || U&' \E000 ' || `)
		}
		f.folded(x)
	}
	return f.write(")")
}

// folded writes a text as package search folds it. ASCII text, with one byte for each character,
// has the same lower case in all collations, and is quicker without ICU. Most texts are short
// ASCII, so substr, which walks over all characters, is only for the others.
func (f *fragment) folded(x Expr) *fragment {
	f.write("(CASE WHEN octet_length(").add(x).write(") <= 65536 AND octet_length(").add(x).write(") = char_length(").add(x).write(") THEN (lower(").add(x)
	f.write(` COLLATE "C") COLLATE "C") ELSE replace((lower(substr(coalesce(`).add(x)
	return f.write(`, ''), 1, 65536) COLLATE "und-x-icu") COLLATE "C"), U&'\03C2', U&'\03C3') END)`)
}

// searched checks the texts, and counts each as often as it is written.
func (c *checker) searched(e Searched, sc *scope) error {
	if len(e.Texts) == 0 || len(e.Texts) > MaxTexts {
		return fmt.Errorf("searched: there have to be 1 to %d texts", MaxTexts)
	}
	if err := c.expr(e.Query, sc, 0); err != nil {
		return fmt.Errorf("searched: %w", err)
	}
	n := 1
	if c.dialect == Postgres {
		n = 5
		if e.Query.Cast != CastText || !e.Rank && e.Needle.Cast != CastText {
			return errors.New("searched: Query, and Needle without Rank, must have CastText")
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
