package language

import (
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// These methods search the texts of rows, if the host declared a search. Search is a method of a
// query; Matches and Rank (window.go) are methods of a row in a callback.
const (
	Search  = "search"
	Matches = "matches"
)

// searched returns the parameter for the searched text. It is a value of the program and not a column, for which the query would be parsed again for
// each row.
func searched(opt bool) []message.Param {
	return []message.Param{{Name: "the words", Want: con(value.TypeText), Opt: opt}}
}

// QuerySearch returns the search method of a query. label is that of the searched texts.
func QuerySearch(label value.Label) *message.Method {
	return &message.Method{Name: Search, Doc: `rows with all words of a text, best first; "a phrase", pay*, -without, a OR b`, Params: searched(false), Result: v("self"), Label: label}
}

// RowSearch returns the search methods of a row.
func RowSearch(label value.Label) []*message.Method {
	return []*message.Method{
		{Name: Matches, Doc: "a condition, like search", Params: searched(false), Result: boolExpr, Label: label},
		{Name: Rank, Doc: "how well it matches; of .search(…) without a text", Params: searched(true), Result: whole, Label: label},
	}
}

// These phrases answer names for a search in other libraries and SQL, by the place of their use.
var (
	searchPhrases = [][3]string{
		{"as.textSearch as.fullTextSearch as.fullText as.fts as.searchText as.match as.matching", "search", "search"},
		{".contains .matches .tsquery .rankBy .orderByRank .orderByRelevance", "search orderBy *.rank *.desc", "write .search('words'): the best come first; in a callback .orderBy(({ row }) => row.rank('words').desc())"},
		{".search .textSearch .fullTextSearch .fullText .fts .matches .matching", "where *.search *.matches", "write .search('words') on the rows before they are joined, renamed, selected or grouped; in a callback .where(({ row }) => row.matches('words'))"},
		{"to_tsvector() to_tsquery() plainto_tsquery() phraseto_tsquery() websearch_to_tsquery() match() MATCH() fts() search() matches()", "*.search *.matches", "query.search('words'), or in a callback row.matches('words')"},
		{"ts_rank() bm25() score() relevance()", "*.search *.rank", "row.rank('words') in a callback, or query.search('words'), which sorts by it"},
	}
	rowSearchPhrases = [][3]string{
		{"as.search as.match as.fullText as.textSearch as.fullTextSearch as.matching", "matches", "matches"},
		{".score .relevance .ts_rank .bm25 .searchRank", "rank", "write row.rank('words')"},
	}
	columnSearch = [3]string{".match .matchAll .search .test .matches .matching .fullText .fullTextSearch .textSearch .fts .tsquery", "*.search *.matches includes", "whole words are searched by row.matches('…'), or query.search('…'); for a part of a text write column.includes('…')"}
)
