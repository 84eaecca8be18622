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
			s, err := render(d, Searched{Query: q, Texts: []Expr{x, x}, Rank: rank})
			if err != nil || strings.Count(s, "(") != strings.Count(s, ")") {
				t.Errorf("%s, %v", s, err)
			}
		}
		many := Searched{Query: q}
		for range MaxTexts + 1 {
			many.Texts = append(many.Texts, x)
		}
		for name, e := range map[string]Searched{"no text": {Query: q}, "too many": many, "a column out of sight": {Query: q, Texts: []Expr{Column{"b", "x"}}}, "a slot": {Query: Arg{Slot: -1, Cast: CastText}, Texts: []Expr{x}}} {
			if s, err := render(d, e); err == nil {
				t.Errorf("%s: %s", name, s)
			}
		}
	}
	if s, err := render(Postgres, Searched{Query: Arg{}, Texts: []Expr{x}}); err == nil {
		t.Errorf("an expression that is no text: %s", s)
	}
	wide := Call{Op: Concat}
	for range 300 {
		wide.Args = append(wide.Args, x)
	}
	large := Call{Op: Or}
	for range 50 {
		large.Args = append(large.Args, Searched{Query: q, Texts: []Expr{wide}})
	}
	if _, err := render(SQLite, large); err != nil {
		t.Errorf("what fits is refused: %v", err)
	}
	if _, err := render(Postgres, large); err == nil {
		t.Error("a text that is written four times counts once")
	}
}
