package sqlast

import (
	"strings"
	"testing"
)

// TestSearched: texts are searched by an argument alone, so many together, and each counts as often as it is written.
func TestSearched(t *testing.T) {
	x := Column{"a", "x"}
	render := func(d Dialect, e Expr) (string, error) {
		s, _, err := Render(&Select{Columns: []Output{{Expr: Column{"a", "id"}, As: "id"}}, From: []Source{{Table: "t", Alias: "a"}}, Where: []Expr{e}}, d)
		return s, err
	}
	q := Arg{Slot: 0, Cast: CastText}
	for _, d := range []Dialect{SQLite, Postgres} {
		for _, rank := range []bool{false, true} {
			s, err := render(d, Searched{Query: q, Needle: q, Texts: []Expr{x, x}, Rank: rank})
			if err != nil || strings.Count(s, "(") != strings.Count(s, ")") {
				t.Errorf("%s, %v", s, err)
			}
		}
		many := Searched{Query: q, Needle: q}
		for range MaxTexts + 1 {
			many.Texts = append(many.Texts, x)
		}
		for name, e := range map[string]Searched{"no text": {Query: q, Needle: q}, "too many": many, "a column out of sight": {Query: q, Needle: q, Texts: []Expr{Column{"b", "x"}}}, "a slot": {Query: Arg{Slot: -1, Cast: CastText}, Needle: q, Texts: []Expr{x}}} {
			if s, err := render(d, e); err == nil {
				t.Errorf("%s: %s", name, s)
			}
		}
	}
	for name, e := range map[string]Searched{
		"an expression that is no text": {Needle: q, Texts: []Expr{x}}, "a needle that is no text": {Query: q, Texts: []Expr{x}}, "a slot": {Query: q, Needle: Arg{Slot: -1, Cast: CastText}, Texts: []Expr{x}},
	} {
		if s, err := render(Postgres, e); err == nil {
			t.Errorf("%s: %s", name, s)
		}
	}
	wide := Call{Op: Concat}
	for range 300 {
		wide.Args = append(wide.Args, x)
	}
	for _, rank := range []bool{false, true} {
		large := Call{Op: Or}
		for range 50 {
			large.Args = append(large.Args, Searched{Query: q, Needle: q, Texts: []Expr{wide}, Rank: rank})
		}
		if _, err := render(SQLite, large); err != nil {
			t.Errorf("what fits is refused: %v", err)
		}
		if _, err := render(Postgres, large); err == nil {
			t.Error("a text that is written several times counts once")
		}
	}
}
