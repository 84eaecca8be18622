package proof

import (
	"strings"
	"unicode"

	"github.com/exoagent/exoagent/exosql"
)

// Facets are searched by all texts that they show, in their order. A search is a query (search) or a part of an expression about the
// row Name of the callback Bind, whose facet is N (matches, rank). Its Names are terms that all have to hold: words with spaces between, with "-" before or "*" behind,
// and "|" between two of which one is enough.

func (f *Facet) searched() (cols []int) {
	for _, c := range f.Cols {
		if slots[c].kind == Text {
			cols = append(cols, c)
		}
	}
	return cols
}

// search declares it.
func (f *Facet) search(t *declared) exosql.Search[Row] {
	var cols []exosql.Searched[Row]
	for _, c := range f.searched() {
		cols = append(cols, t.member(c).(exosql.Searched[Row]))
	}
	return exosql.NewSearch(t.table, cols...)
}

// sought are words of the texts that rows have, in some spelling, and words that stand in none.
var sought = strings.Fields("a b aa B ä Ä 日本 q ab a_b ß İ i\u0307 ος ΟΣ ΟΣ e\u0301 é É zq0x0k zq1x1k ZQ0X1K b z")

// terms draws what is searched for.
func (g *generator) terms() (out []string) {
	for range 1 + g.n(5)/3 {
		t := pick(g.draws, sought)
		if g.oneIn(6) {
			t += " " + pick(g.draws, sought)
		}
		if g.oneIn(3) {
			t += "*"
		}
		switch {
		case g.oneIn(4):
			t = "-" + t
		case g.oneIn(5):
			t += "|" + pick(g.draws, sought)
		}
		out = append(out, t)
	}
	return out
}

// searching draws a search in an expression, or nil.
func (g *generator) searching(in []callback, op string, k Kind) *Node {
	b := pick(g.draws, in)
	m := pick(g.draws, b.ns)
	if len(g.s.Facets[m.facet].searched()) == 0 {
		return nil
	}
	return &Node{Op: op, Bind: b.bind, Name: m.alias, N: m.facet, Names: g.terms(), K: k}
}

// sought writes what is searched for.
func (p *speller) sought(terms []string) string {
	var out []string
	for _, t := range terms {
		not, t := strings.HasPrefix(t, "-"), strings.TrimPrefix(t, "-")
		alternatives := strings.Split(t, "|")
		for i, a := range alternatives {
			if strings.Contains(a, " ") || p.n(4) == 3 {
				alternatives[i] = `"` + a + `"`
			}
		}
		s := strings.Join(alternatives, " OR ")
		if not {
			s = []string{"-", "NOT "}[p.n(2)] + s
		}
		out = append(out, s)
	}
	return p.text(strings.Join(out, []string{" ", "  ", " ,\n"}[p.n(3)]))
}

// wordsOf cuts a text, without regard to case.
func wordsOf(s string) (words []string) {
	word := ""
	for _, r := range s + " " {
		switch {
		case !unicode.In(r, unicode.L, unicode.M, unicode.N):
			if word != "" {
				words = append(words, word)
			}
			word = ""
		case r == 'İ':
			word += "i\u0307"
		case r == 'Σ' || r == 'ς':
			word += "σ"
		default:
			word += string(unicode.ToLower(r))
		}
	}
	return words
}

// begins is how many words of a text one of the terms stands for where the text begins; 0 is none.
func begins(terms []string, text []string) int {
	most := 0
	for _, t := range terms {
		of := wordsOf(strings.TrimSuffix(t, "*"))
		fits := len(of) <= len(text) && len(of) > most
		for i := 0; fits && i < len(of); i++ {
			fits = of[i] == text[i] || i == len(of)-1 && strings.HasSuffix(t, "*") && strings.HasPrefix(text[i], of[i])
		}
		if fits {
			most = len(of)
		}
	}
	return most
}

// texts are those of a row that are searched, as words; of a row that a left join found none for they are empty.
func (x *slow) texts(e entry) (out [][]string) {
	for _, c := range x.s.Facets[e.facet].searched() {
		out = append(out, wordsOf(x.cell(e, c).S))
	}
	return out
}

func (x *slow) matches(e entry, terms []string) bool {
	for _, t := range terms {
		not, t := strings.HasPrefix(t, "-"), strings.TrimPrefix(t, "-")
		found := false
		for _, text := range x.texts(e) {
			for i := range text {
				found = found || begins(strings.Split(t, "|"), text[i:]) > 0
			}
		}
		if found == not {
			return false
		}
	}
	return true
}

func (x *slow) rank(e entry, terms []string) Value {
	var all []string
	for _, t := range terms {
		if !strings.HasPrefix(t, "-") {
			all = append(all, strings.Split(t, "|")...)
		}
	}
	rank := int64(0)
	for _, text := range x.texts(e) {
		n := int64(0)
		for i := 0; i < len(text); i++ {
			if k := begins(all, text[i:]); k > 0 {
				n, i = n+1, i+k-1
			}
		}
		rank = rank*4 + min(n, 10)
	}
	return Value{Kind: Int, I: rank}
}

// searches are how many ranks sort a query, behind all else.
func searches(n *Node) int {
	switch n.Op {
	case "grant", "walk", "follow":
		return 0
	}
	k := searches(n.Args[0])
	switch n.Op {
	case "search":
		k++
	case "join", "leftJoin":
		k += searches(n.Args[1])
	}
	return k
}
