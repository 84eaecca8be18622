package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/fail"
)

// What would nest too deeply in the parser is refused, in every form, and what nests as programs do is parsed.
func TestNesting(t *testing.T) {
	rep := strings.Repeat
	for _, c := range []struct{ name, src, twin string }{
		{"parens", rep("(", 101) + "1" + rep(")", 101), rep("(", 90) + "1" + rep(")", 90)},
		{"arrays", rep("[", 30000), rep("[", 90) + rep("]", 90)},
		{"functions", rep("(function(){", 5000), rep("(function(){", 30) + rep("})", 30)},
		{"templates", rep("`${", 5000), rep("`${", 40) + "1" + rep("}`", 40)},
		{"not", rep("!", 60000) + "1", rep("!", 300) + "1"},
		{"minus", rep("- ", 30000) + "1", rep("- ", 300) + "1"},
		{"typeof", rep("typeof ", 9000) + "1", rep("typeof ", 300) + "1"},
		{"await", rep("await ", 9000) + "1", rep("await ", 300) + "1"},
		{"new", rep("new ", 9000) + "Error", "new Error"},
		{"assign", "let a;" + rep("a=", 30000) + "1", "let a;" + rep("a=", 300) + "1"},
		{"arrow", rep("a=>", 20000) + "1", rep("a=>", 200) + "1"},
		{"async arrow", rep("async a=>", 7000) + "1", rep("async a=>", 200) + "1"},
		{"conditional", rep("1?1:", 15000) + "1", rep("1?1:", 300) + "1"},
		{"conditional inside", rep("1?", 30000) + "1" + rep(":1", 300), rep("1?", 300) + "1" + rep(":1", 300)},
		{"power", rep("1**", 20000) + "1", rep("1**", 300) + "1"},
		{"if", rep("if(1)", 13000) + "1", rep("if(1)", 300) + ";"},
		{"else if", rep("if(1);else ", 5000) + ";", rep("if(1);else ", 200) + ";"},
		{"for", rep("for(;;)", 9000) + ";", rep("for(;;)", 300) + ";"},
		{"while", rep("while(1)", 8000) + ";", rep("while(1)", 300) + ";"},
		{"do", rep("do ", 20000) + ";", rep("do ", 300) + ";" + rep("while(0);", 300)},
		{"label", func() string {
			var b strings.Builder
			for i := range 8000 {
				fmt.Fprintf(&b, "a%d:", i)
			}
			return b.String() + ";"
		}(), "a:b:c:;"},
		{"class", rep("class extends (", 4000), "class A extends (class extends Array {}) {}; 1"},
		{"reparse", rep("(a=", 20) + "1" + rep(")=>1", 20), rep("(a=", 3) + "1" + rep(")=>1", 3)},
		{"reparse async", rep("async(a=", 20) + "1" + rep(")=>1", 20), rep("async(a=", 3) + "1" + rep(")=>1", 3)},
		{"yields", "function*g(){" + rep("yield;", 5000) + "}", "function*g(){" + rep("yield;", 500) + "}; 1"},
		{"hidden in a template", "a b /`/ " + rep("(", 20000) + "1" + rep(")", 20000) + "/`/", "const b = `" + rep("(", 300) + rep(")", 300) + "`"},
	} {
		if _, f := Parse(nil, c.src, 100); f == nil || f.Kind != fail.Limit || !strings.Contains(f.msg, "limit") && !strings.Contains(f.msg, "more than") {
			t.Errorf("%s: %v", c.name, f)
		}
		if _, f := Parse(nil, c.twin, 100); f != nil {
			t.Errorf("%s twin: %v", c.name, f.In(c.twin))
		}
	}
	// Brackets inside literals and comments are no nesting.
	for _, src := range []string{"'" + rep("(", 500) + "'", "// " + rep("{", 500) + "\n1", "/* " + rep("[", 500) + " */ 1", "`" + rep("(", 500) + "`", "/[" + rep("(", 500) + "]/", "1 / 2; '" + rep("(", 500) + "' / 2"} {
		if _, f := Parse(nil, src, 100); f != nil {
			t.Errorf("%.20q: %v", src, f.In(src))
		}
	}
}

// A text above the limit is refused before anything reads it.
func TestSourceBytes(t *testing.T) {
	const limit = 4000
	if _, f := Clean("1"+strings.Repeat(" ", limit-1), limit); f != nil {
		t.Errorf("at the limit: %v", f.msg)
	}
	for _, src := range []string{"1" + strings.Repeat(" ", limit), strings.Repeat("(", limit+1), strings.Repeat("\xff", limit+1)} {
		if _, f := Clean(src, limit); f == nil || f.Kind != fail.Limit || !strings.Contains(f.msg, "source size") {
			t.Errorf("above the limit: %v", f)
		}
	}
}
