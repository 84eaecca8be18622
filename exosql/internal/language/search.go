package language

import "github.com/exoagent/exoagent/exo"

// What programs search the texts of rows by, where the host declared which. Search is of a query, Matches and Rank (see
// window.go) of a row in a callback.
const (
	Search  = "search"
	Matches = "matches"
)

// The text that is searched for is a value of the program and no column: of each row it would be read anew.
func searched(opt bool) []exo.Param {
	return []exo.Param{{Name: "the words", Want: con(exo.TypeText), Opt: opt}}
}

// QuerySearch is the method of a query. label is that of the texts.
func QuerySearch(label exo.Label) *exo.Method {
	return &exo.Method{Name: Search, Doc: `rows with all words of a text, best first; "a phrase", pay*, -without, a OR b`, Params: searched(false), Result: v("self"), Label: label}
}

// RowSearch are the methods of a row.
func RowSearch(label exo.Label) []*exo.Method {
	return []*exo.Method{
		{Name: Matches, Doc: "a condition, like search", Params: searched(false), Result: boolExpr, Label: label},
		{Name: Rank, Doc: "how well it matches; of .search(…) without a text", Params: searched(true), Result: whole, Label: label},
	}
}
