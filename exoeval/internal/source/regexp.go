package source

// This file admits regular expressions, in literals and at run time, if Go's engine can run them in linear time.

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"

	"github.com/dop251/goja/parser"
)

const (
	maxRegexp     = 1000 // bounds the bytes of one expression
	maxRegexpCost = 2000 // bounds the compiled instructions of one expression, with repetitions multiplied out
)

// Regexp returns the pattern in the form for the engine, or why it is refused. The checker calls it for literals, the realm for patterns that
// are made at run time. goja uses a backtracking engine if Go's engine can't run a pattern. There /^(?=a)(a+)+$/ never returns on forty
// characters (ReDoS), and the interrupt does not end it. So Regexp asks goja's translation and Go's parser whether Go's engine can run the
// pattern.
func Regexp(pattern, flags string) (spelled, why string) {
	if len(pattern) > maxRegexp {
		return "", fmt.Sprintf("the regular expression is longer than %d bytes, the limit; use string functions", maxRegexp)
	}
	pattern, why = spellProperties(spellNonSpace(pattern), strings.Contains(flags, "u"))
	if why == "" {
		why = refusedRegexp(pattern, flags)
	}
	return pattern, why
}

func refusedRegexp(pattern, flags string) string {
	for i, f := range flags {
		if strings.ContainsRune(flags[:i], f) {
			return fmt.Sprintf("the flag `%c` of the regular expression is given twice; write it once", f)
		}
		if !strings.ContainsRune("gimsuy", f) {
			return fmt.Sprintf("the flag `%c` of the regular expression is not available; there are g, i, m, s, u and y", f)
		}
	}
	re2, err := parser.TransformRegExp(pattern, strings.Contains(flags, "s"), strings.Contains(flags, "u"))
	if err != nil {
		var incompatible parser.RegexpErrorIncompatible
		if !errors.As(err, &incompatible) {
			return "the regular expression is not valid: " + err.Error()
		}
		return backtracks(pattern, err.Error()) + " in regular expressions is not available; match without it and check with a second expression or string functions"
	}
	tree, err := syntax.Parse(re2, syntax.Perl)
	if err != nil {
		if e, ok := err.(*syntax.Error); ok && e.Code == syntax.ErrInvalidRepeatSize {
			return "the regular expression repeats a part more than 1000 times, the limit; use a smaller number"
		}
		return "the regular expression is not valid; write it in another way"
	}
	// (a{1000}){1000} has twelve characters, and takes a hundred megabytes when compiled.
	if regexpCost(tree) > maxRegexpCost {
		return "the regular expression is too large when its repetitions are multiplied out; use smaller repetitions"
	}
	return ""
}

func backtracks(pattern, why string) string {
	switch {
	case strings.Contains(why, "lookahead"):
		return "lookahead (`(?=` and `(?!`)"
	case strings.Contains(why, "lookbehind"):
		return "lookbehind (`(?<=` and `(?<!`)"
	case strings.Contains(why, "reference"):
		return "a reference to a group (`\\1`, `\\k<name>`)"
	case strings.Contains(why, "group name"):
		return "a group name with other characters than a-z and digits"
	}
	return "this construct"
}

// spellNonSpace writes \S inside a class as ranges. Authors write [\s\S] for any character, but goja's translation would leave it to the
// backtracking engine.
func spellNonSpace(p string) string {
	const nonSpace = `\x00-\x08\x0e-\x1f!-\x9f\u00a1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff\u3001-\ufefe\uff00-\uffff`
	var b strings.Builder
	class := false
	for i := 0; i < len(p); i++ {
		switch {
		case p[i] == '\\' && i+1 < len(p):
			if class && p[i+1] == 'S' {
				b.WriteString(nonSpace)
			} else {
				b.WriteString(p[i : i+2])
			}
			i++
			continue
		case p[i] == '[':
			class = true
		case p[i] == ']':
			class = false
		}
		b.WriteByte(p[i])
	}
	return b.String()
}

// regexpCost counts the instructions of a compiled pattern. Ranges count little, because the copies of a repeated class share them. Go's bound
// on the height of the tree bounds the recursion.
func regexpCost(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)/2
	if re.Op == syntax.OpCharClass {
		n = 1 + len(re.Rune)/32
	}
	for _, s := range re.Sub {
		n += regexpCost(s)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, 1<<20)
}
