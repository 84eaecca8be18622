package codemode

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
)

const (
	// defaultDeclarations is the bound above which the declarations are searched,
	// in tokens: about fifty tables.
	defaultDeclarations = 10_000
	// briefTokens is the most that takes their place.
	briefTokens = 1000
)

// brief is what is declared where not everything is: how to find it, what was
// granted, and what all tables have in common, as far as there is room.
func (d *declarer) brief(all *declarations, tables int, lookups []*lookup, names []string) string {
	head := fmt.Sprintf("// %d tables and services can be reached, too many to declare here. Find them inside the program; what it was given it can use at once:\n", tables)
	for k, l := range lookups {
		head += fmt.Sprintf("declare function %s(%s: string): Promise<%s>;%s\n", names[k], l.param, d.typ(l.result, asPlain), comment(l.doc))
	}
	// A part of what was granted, with a line that says how many more there are.
	api := func(n int) string {
		ms := all.api[:n:n]
		if n < len(all.api) {
			ms = append(ms, member{"// and " + fmt.Sprint(len(all.api)-n) + " more: " + names[0] + " tells their paths", ""})
		}
		return strings.ReplaceAll(block("declare const api:", ms), "paths;", "paths") + ";\n"
	}
	n := len(all.api)
	for n > 0 && Tokens(head+api(n)) > briefTokens {
		n--
	}
	tail, common := api(n), ""
	for _, x := range slices.Concat(all.shared, all.helpers) {
		if Tokens(head+common+x.text+"\n"+tail) <= briefTokens {
			common += x.text + "\n"
		}
	}
	return head + common + tail
}

// lookupNames are what programs call search and describe: these names, unless
// something that was granted has them.
func lookupNames(lookups []*lookup, granted []exo.Granted) []string {
	taken := map[string]bool{}
	for _, g := range granted {
		taken[g.Name] = true
	}
	var names []string
	for _, l := range lookups {
		n := l.name
		for k := 2; taken[n]; k++ {
			n = fmt.Sprintf("%s%d", l.name, k)
		}
		taken[n] = true
		names = append(names, n)
	}
	return names
}
