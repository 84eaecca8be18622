package search

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// TestSeparators: the table is Unicode's, of the version that it says.
func TestSeparators(t *testing.T) {
	if unicode.Version != "15.0.0" {
		t.Skipf("Go has Unicode %s, and the table is of 15: a text is cut as before", unicode.Version)
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		word := unicode.In(r, unicode.L, unicode.M, unicode.N)
		between := unicode.In(r, unicode.P, unicode.S, unicode.Z, unicode.Cc, unicode.Cf)
		if word && separates(r) || between && !separates(r) {
			t.Fatalf("%U: %v", r, separates(r))
		}
	}
	for i, s := range separators {
		if s[0] > s[1] || i > 0 && separators[i-1][1] >= s[0] {
			t.Errorf("%X is not in order", s)
		}
	}
	if separates([]rune(joint)[1]) {
		t.Error("what stands between texts is a separator: a phrase would go from one to the next")
	}
}

// TestParse: what a query means, or what would be right.
func TestParse(t *testing.T) {
	const text = "The payment has failed twice: order_id=42, e-mail user@example.com; AT&T don't İstanbul ΣΊΣΥΦΟΣ naïve 日本 हिन्दी"
	for q, want := range map[string]any{
		"payment": true, "PAYMENT failed": true, "failed payment": true, "pay": false, "pay*": true, "paymen* fail*": true, `"payment has"`: true, `"payment failed"`: false, `"has fail*"`: true, `"has fail"*`: true,
		"“payment has”": true, "-refund": true, "-payment": false, "payment -failed": false, `payment -"failed payment"`: true, "-pay*": false, "refund OR payment": true, "refund OR chargeback": false,
		"refund OR payment failed": true, "failed refund OR payment OR x": true, "refund OR payment -twice": false, "payment AND failed": true, "payment NOT failed": false, "NOT refund": true, `NOT "has failed"`: false,
		"or": false, "order": true, "order_id": true, "id": true, "42": true, "4": false, "e-mail": true, "email": false, "user@example.com": true, "AT&T": true, "at&t": true, "don't": true, "dont": false, "t": true,
		"i̇stanbul": true, "istanbul": false, "σίσυφος": true, "ΣΊΣΥΦΟΣ": true, "naïve": true, "naive": false, "日本": true, "日": false, "日*": true, "हिन्दी": true, "हिन्द": false,
		"payment - failed": true, "payment & failed": true, "(payment) failed": true, "payment (failed, twice)": true, `"payment" "failed"`: true, `payment"has failed"`: true, "payment!": true, "50% payment": false, "order_id=42": true,
		"": "no word", " ": "no word", "*": "no word", "!!! ---": "no word", `""`: "no word", `"!"`: "no word", "-": "no word", `-""`: "no word", "AND": "no word", "-OR": true,
		`"payment`: "not closed", `payment"`: "not closed", "OR": "OR must be between", "OR payment": "OR must be between", "payment OR": "OR must be between", "payment OR OR failed": "OR must be between", "payment OR -failed": "OR must be between", "-payment OR failed": "OR must be between",
		"payment AND OR failed": "OR must be between", "payment OR AND failed": "OR must be between", "payment OR !!": "no word", "NOT": "NOT needs a word", "payment NOT": "NOT needs a word", "NOT OR a": "OR must be between",
		"payment | refund": "write OR", "payment|refund": "write OR", "payment || refund": "write OR", "!refund": "write -word", "payment & !refund": "write -word", "payment <-> failed": "in sequence", "pay:*": "write pay* in place of pay:*",
		"title:refund": `write "title refund"`, "NEAR(payment failed)": "no NEAR", "%pay%": "whole words", "*ment": "after the first letters", "p*y": "after the first letters", `"pay* failed"`: "after the first letters", "payment~": "~ and ^", "payment~2 failed": "~ and ^", "payment^3": "~ and ^",
		"(refund OR payment) failed": "parentheses don't group", "payment NOT (failed)": "parentheses don't group", "(payment) AND failed": "parentheses don't group", "https://example.com/x": false, "12:42": false,
		strings.Repeat("a ", 33): "more than 32 words", `"` + strings.Repeat("a ", 33) + `"`: "more than 32 words", strings.Repeat("a", 1001): "longer than 1000 bytes", "a\xff": "not valid Unicode", "AND payment": true,
	} {
		parsed, err := Parse(q)
		if says, wrong := want.(string); wrong {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%.40q: %v, want %s", q, err, says)
			}
		} else if err != nil || parsed.Matches(text) != want {
			t.Errorf("%q: %v, want %v", q, err, want)
		}
	}
}

// TestNeedle: a needle is in each text that a query matches.
func TestNeedle(t *testing.T) {
	for q, want := range map[string]string{"a": "a", "a longer pay*": "longer", `x "of three words"`: "three", "a OR longer": "", "a OR longer b": "b", "-a": "", "a -longer": "a", "ΣΊΣΥΦΟΣ": "σίσυφοσ", "pay-ment": "ment"} {
		parsed, err := Parse(q)
		if err != nil || parsed.Needle() != want {
			t.Errorf("%q: %q %v, want %q", q, parsed.Needle(), err, want)
		}
	}
}

// TestRank: what a rank counts.
func TestRank(t *testing.T) {
	for _, x := range []struct {
		q     string
		texts []string
		want  int64
	}{
		{"a", []string{"a b a"}, 2}, {"a b", []string{"a b a"}, 3}, {`"a b"`, []string{"a b a b"}, 2}, {`"a a"`, []string{"a a a"}, 1}, {`a "a b"`, []string{"a b a"}, 2}, {"a* ab", []string{"ab a abc b"}, 3},
		{"a", []string{"a", "a"}, 5}, {"a", []string{"", "a a"}, 2}, {"a", []string{"a", "", "a"}, 17}, {"a", []string{strings.Repeat("a ", 20), "a"}, 41}, {"-a", []string{"b"}, 0}, {"a OR b", []string{"b a"}, 2}, {"c", []string{"a"}, 0}, {"a -b", []string{"a b"}, 1},
	} {
		q, err := Parse(x.q)
		if err != nil {
			t.Fatal(err)
		}
		if got := q.Rank(x.texts...); got != x.want {
			t.Errorf("%s in %q: %d, want %d", x.q, x.texts, got, x.want)
		}
	}
}

// TestTexts: texts are searched as one, and no phrase goes from one to the next; of a long one its beginning is.
func TestTexts(t *testing.T) {
	for q, want := range map[string]bool{"a d": true, `"b c"`: false, `"a b" "c d"`: true, "b -c": false, "e OR d": true} {
		p, err := Parse(q)
		if err != nil || p.Matches("a b", "c d") != want {
			t.Errorf("%s: %v, want %v", q, err, want)
		}
	}
	long := strings.Repeat("ä ", MaxText/2)
	for q, want := range map[string]bool{"ä": true, "end": false} {
		p, _ := Parse(q)
		if p.Matches(long+"end") != want || p.Matches(long[:len(long)-30]+" "+q) != true {
			t.Errorf("%s: want %v", q, want)
		}
	}
}

// words are drawn from few, so that they meet.
var drawn = []string{"a", "b", "ab", "abc", "Σ", "ς", "İ", "é", "e\u0301", "ß", "1", "42", "日"}

var between = []string{" ", ", ", "-", "\n", " . ", "_", "😀", "\u00a0", "'"}

// TestAgainstWords: a query is what a reader of single words finds, who compares each with each.
func TestAgainstWords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var text strings.Builder
		var words []string
		for range r.IntN(8) {
			w := drawn[r.IntN(len(drawn))]
			words = append(words, lower(w))
			text.WriteString(w + between[r.IntN(len(between))])
		}
		query, want := drawQuery(r, words)
		q, err := Parse(query)
		if err != nil {
			t.Fatalf("%q: %v", query, err)
		}
		if want && !strings.Contains(Fold(text.String()), q.Needle()) {
			t.Fatalf("%q: %q is not in %q, which matches", query, q.Needle(), text.String())
		}
		if got := q.Matches(text.String()); got != want {
			t.Fatalf("%q in %q: %v, want %v", query, text.String(), got, want)
		}
	}
}

// lower is a word without regard to case, of those that are drawn.
func lower(w string) string {
	return map[string]string{"Σ": "σ", "ς": "σ", "İ": "i\u0307"}[w] + map[bool]string{true: "", false: w}[slices.Contains([]string{"Σ", "ς", "İ"}, w)]
}

// drawQuery draws a query, and whether it is found among words.
func drawQuery(r *rand.Rand, words []string) (string, bool) {
	term := func() (string, bool) {
		var of []string
		for range 1 + r.IntN(5)/3 {
			of = append(of, drawn[r.IntN(len(drawn))])
		}
		prefix := r.IntN(4) == 0
		found := false
		for i := range words {
			same := i+len(of) <= len(words)
			for k := 0; same && k < len(of); k++ {
				w := lower(of[k])
				same = words[i+k] == w || prefix && k == len(of)-1 && strings.HasPrefix(words[i+k], w)
			}
			found = found || same
		}
		s := strings.Join(of, between[r.IntN(3)])
		if prefix {
			s += "*"
		}
		if len(of) > 1 || r.IntN(5) == 0 {
			s = `"` + s + `"`
		}
		return s, found
	}
	query, all := "", true
	for range 1 + r.IntN(3) {
		s, found := term()
		switch r.IntN(5) {
		case 0:
			s, found = "-"+s, !found
		case 1:
			other, too := term()
			s, found = s+" OR "+other, found || too
		}
		query, all = query+" "+s, all && found
	}
	return query, all
}

var plainWord = regexp.MustCompile(`^(?:[0-9a-z]|[^\x00-\x7f])+$`)

// TestRegexpSyntax: no character of a program is syntax in an expression.
func TestRegexpSyntax(t *testing.T) {
	for _, s := range []string{`a.b|c(d)[e]{2}\w$^?+`, `".*" \y`, "***:=a", "(?i)a", `a\u0041`, "[[:alpha:]]", "a{1,1000}", `x' OR 1=1 --`} {
		q, err := Parse(s)
		if err != nil {
			continue
		}
		for _, g := range append(q.groups, q.not) {
			for _, term := range g {
				for _, w := range term.words {
					if !plainWord.MatchString(w) {
						t.Errorf("%q: %q", s, w)
					}
				}
			}
		}
	}
}

// FuzzParse: whatever a query says, it is refused with words, or its words are no syntax of an
// expression and are found in a text of its own words.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"payment failed", `"a b" -c d* OR e`, "title:x", `"`, "OR", "-", "a:*", "İ ς", "NOT (a)", "\xff", "“a”*", "a\u0000b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q, err := Parse(s)
		if err != nil {
			if m := err.Error(); m == "" || len(m) > 1000 {
				t.Errorf("%q: %q", s, m)
			}
			return
		}
		var own []string
		n := 0
		for _, g := range append(slices.Clip(q.groups), q.not) {
			for _, term := range g {
				for _, w := range term.words {
					if n++; !plainWord.MatchString(w) {
						t.Errorf("%q: the word %q", s, w)
					}
				}
			}
		}
		for _, g := range q.groups {
			own = append(own, strings.Join(g[0].words, " "))
		}
		if n == 0 || n > MaxWords {
			t.Errorf("%q: %d words", s, n)
		}
		text := strings.Join(own, " . ")
		if len(q.not) == 0 && (!q.Matches(text) || q.Rank(text) < 1) {
			t.Errorf("%q is not found in %q", s, text)
		}
		q.Regexp()
		q.Counting()
	})
}
