package sqlast

import (
	"errors"
	"fmt"
)

// Searched asks of the texts of one row, and of nothing else, whether they have what a query looks for, or how well
// they match it. Package exosql/internal/search says what that means.
type Searched struct {
	Query  Arg // SQLite: the program's text; Postgres: a regular expression that was made of it
	Texts  []Expr
	Rank   bool
	Needle Arg // Postgres, of no rank: a part of each text that the expression matches, which is looked for first
}

func (Searched) expr() {}

// MaxTexts is how many texts are searched together.
const MaxTexts = 8

// searched writes the texts on Postgres without regard to case, a space and a character that is in no word between them. The rank
// counts the expression's matches in each, to ten, and each four times as much as in the next.
//
// The expression is selected, as the pattern of Like is: a planner that knew it could try it on texts of
// its statistics, which are anybody's.
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

// folded writes a text as package search folds it. For ASCII alone, with a byte for each character, lower case is
// the same in all collations, and quicker without ICU. Most texts are that and short, so substr, which walks over
// the characters, is for the others.
func (f *fragment) folded(x Expr) *fragment {
	f.write("(CASE WHEN octet_length(").add(x).write(") <= 65536 AND octet_length(").add(x).write(") = char_length(").add(x).write(") THEN (lower(").add(x)
	f.write(` COLLATE "C") COLLATE "C") ELSE replace((lower(substr(coalesce(`).add(x)
	return f.write(`, ''), 1, 65536) COLLATE "und-x-icu") COLLATE "C"), U&'\03C2', U&'\03C3') END)`)
}

// searched checks that each text counts as often as it is written.
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
			return errors.New("searched: the expression is no text")
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
