// Package naming turns the names of tables and columns into names for Go and for programs, singular or plural. Different names may become the
// same.
package naming

import (
	"strings"
	"unicode"

	"github.com/exoagent/exoagent/internal/scalar"
)

// Words returns the words of a name. A word ends before a capital that begins another one, and at a character that is no letter or digit.
func Words(name string) []string {
	var out []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			out = append(out, string(word))
			word = nil
		}
	}
	rs := []rune(name)
	for i, r := range rs {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			end()
			continue
		}
		if i > 0 && unicode.IsUpper(r) {
			next := i+1 < len(rs) && unicode.IsLower(rs[i+1])
			if !unicode.IsUpper(rs[i-1]) || next && len(word) > 0 {
				end() // split albumId and HTTPServer before the last capital
			}
		}
		word = append(word, r)
	}
	end()
	return out
}

// initialisms are written in capitals, as in Go.
var initialisms = map[string]bool{"api": true, "css": true, "dns": true, "html": true, "http": true, "https": true, "id": true, "ip": true, "isbn": true,
	"json": true, "sku": true, "sql": true, "ssl": true, "tls": true, "ui": true, "uri": true, "url": true, "utc": true, "utf8": true, "uuid": true, "vat": true, "xml": true}

// Pascal writes a name as an exported Go identifier. Different names may become the same
// identifier.
func Pascal(name string) string {
	var b strings.Builder
	for _, w := range Words(name) {
		b.WriteString(title(w))
	}
	s := b.String()
	if r := []rune(s); len(r) == 0 || !unicode.IsUpper(r[0]) {
		return "X" + s // the text begins with a digit, or a letter without a capital, which no exported name can
	}
	return s
}

func title(w string) string {
	low := strings.ToLower(w)
	if initialisms[low] {
		return strings.ToUpper(low)
	}
	if strings.HasSuffix(low, "s") && initialisms[low[:len(low)-1]] {
		return strings.ToUpper(low[:len(low)-1]) + "s" // the plural of an initialism, like IDs for ids
	}
	r := []rune(low)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

// Lower writes a name in the style of programs: dueAt. It leaves out letters that names in programs can't have.
func Lower(name string) string {
	var b strings.Builder
	for i, w := range Words(name) {
		low := strings.ToLower(w)
		if i > 0 {
			r := []rune(low)
			r[0] = unicode.ToUpper(r[0])
			low = string(r)
		}
		for _, r := range low {
			if r < 0x250 {
				b.WriteRune(r)
			}
		}
	}
	s := b.String()
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return "x" + s
	}
	return s
}

// The rest of this file forms English plurals and singulars, well enough for tables. A wrong form is ugly but harmless.

var uncountable = map[string]bool{"staff": true, "news": true, "series": true, "species": true, "equipment": true, "information": true,
	"metadata": true, "data": true, "media": true, "sheep": true, "fish": true, "money": true, "feedback": true}

var irregular = map[string]string{"person": "people", "child": "children", "man": "men", "woman": "women", "mouse": "mice", "datum": "data",
	"index": "indexes", "status": "statuses", "bus": "buses", "alias": "aliases", "address": "addresses", "process": "processes", "class": "classes",
	"quiz": "quizzes", "analysis": "analyses", "axis": "axes", "basis": "bases", "crisis": "crises", "movie": "movies", "cookie": "cookies", "zombie": "zombies",
	"shoe": "shoes", "cache": "caches", "axe": "axes", "lens": "lenses", "canvas": "canvases", "gas": "gases", "virus": "viruses", "campus": "campuses", "bonus": "bonuses"}

// Singular returns a name for one row of a table, with the words joined as in name.
func Singular(name string) string { return inflect(name, toSingular) }

// Plural returns a name for several rows, with the words joined as in name.
func Plural(name string) string { return inflect(name, toPlural) }

// inflect changes the last word of a name.
func inflect(name string, change func(string) string) string {
	ws := Words(name)
	if len(ws) == 0 {
		return name
	}
	last := ws[len(ws)-1]
	at := strings.LastIndex(name, last)
	return name[:at] + change(last) + name[at+len(last):]
}

func toSingular(w string) string {
	low := strings.ToLower(w)
	if uncountable[low] || irregular[low] != "" {
		return w
	}
	for one, many := range irregular {
		if low == many && one != "axe" && one != "datum" {
			return match(w, one)
		}
	}
	switch {
	case len(w) < 4 && low != "ids", strings.HasSuffix(low, "ss"), strings.HasSuffix(low, "us"), strings.HasSuffix(low, "is"), !strings.HasSuffix(low, "s"):
		return w
	case strings.HasSuffix(low, "ies"):
		return w[:len(w)-3] + match(w[len(w)-3:], "y")
	case strings.HasSuffix(low, "sses"), strings.HasSuffix(low, "shes"), strings.HasSuffix(low, "ches"), strings.HasSuffix(low, "xes"), strings.HasSuffix(low, "zes") && !strings.HasSuffix(low, "izes"):
		return w[:len(w)-2]
	}
	return w[:len(w)-1]
}

func toPlural(w string) string {
	low := strings.ToLower(w)
	one := strings.ToLower(toSingular(w))
	if uncountable[low] || one != low { // the word is already singular
		return w
	}
	if many := irregular[low]; many != "" {
		return match(w, many)
	}
	end := w[len(w)-1:]
	switch {
	case strings.HasSuffix(low, "y") && len(low) > 1 && !strings.ContainsRune("aeiou", rune(low[len(low)-2])):
		return w[:len(w)-1] + match(end, "ies")
	case strings.HasSuffix(low, "s"), strings.HasSuffix(low, "x"), strings.HasSuffix(low, "z"), strings.HasSuffix(low, "ch"), strings.HasSuffix(low, "sh"):
		return w + match(end, "es")
	}
	return w + match(end, "s")
}

// match writes s in the case of w: all capitals, a first capital, or unchanged.
func match(w, s string) string {
	switch {
	case strings.ToUpper(w) == w && strings.ToLower(w) != w:
		return strings.ToUpper(s)
	case unicode.IsUpper([]rune(w)[0]):
		return strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}

// Linkable reports whether a link can have this name. Methods of queries have another meaning, so their names are refused.
func Linkable(name string) bool { return !scalar.ReservedName(name) && !QueryWords[name] }

// QueryWords are the names of queries' methods.
var QueryWords = map[string]bool{"join": true, "leftJoin": true, "groupBy": true, "sum": true, "avg": true, "min": true, "max": true, "countDistinct": true, "countBy": true, "distinctBy": true, "partitionBy": true, "median": true, "where": true, "select": true, "distinct": true, "orderBy": true, "limit": true,
	"offset": true, "as": true, "execute": true, "first": true, "page": true, "count": true, "exists": true, "some": true, "every": true, "none": true, "union": true, "unionAll": true, "concat": true, "intersect": true, "except": true}
