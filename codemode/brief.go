package codemode

import (
	"fmt"
	"slices"
	"sort"
)

const (
	// If the declarations have more tokens than defaultDeclarations, programs must search for tables. longDeclarations is this limit
	// if Options.Long is set. Each is about forty tables.
	defaultDeclarations = 4_000
	longDeclarations    = 10_000
	// briefTokens limits the text that a model reads instead of all declarations.
	briefTokens = 1000
)

// brief returns the text for a tool with too many declarations. It explains how to find them, declares as many grants as fit, and, if
// long is set, also what all tables share. The text has at most briefTokens.
func (d *declarer) brief(all *declarations, tables int, lookups []*lookup, long bool) string {
	head := fmt.Sprintf("// %d tables and services can be reached, too many to declare here. Find them inside the program; what it was given it can use at once:\n", tables)
	for _, l := range lookups {
		head += fmt.Sprintf("declare function %s(%s: string): Promise<%s>;%s\n", l.name, l.param, d.typ(l.result, asPlain), comment(l.doc))
	}
	// api declares the first n grants, so that as many as fit can be shown.
	api := func(n int) string {
		ms := all.api[:n:n]
		if more := len(all.api) - n; more > 0 {
			ms = append(ms, member{"[name: string]: object", fmt.Sprintf("%d more: %s tells their paths", more, lookups[0].name)})
		}
		return block("declare const api:", ms) + ";\n"
	}
	n := max(sort.Search(len(all.api)+1, func(n int) bool { return Tokens(head+api(n)) > briefTokens })-1, 0)
	tail, common := api(n), ""
	for _, x := range slices.Concat(all.shared, all.helpers) {
		if long && Tokens(head+common+x.text+"\n"+tail) <= briefTokens {
			common += x.text + "\n"
		}
	}
	return head + common + tail
}
