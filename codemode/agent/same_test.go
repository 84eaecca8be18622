package agent

import (
	"encoding/json"
	"strings"
	"testing"
)

func program(s string) ToolCall {
	b, _ := json.Marshal(map[string]string{"code": s})
	return ToolCall{Args: string(b)}
}

func TestSame(t *testing.T) {
	const p = "await mail.send({to: 'a', text: 'x'});\nnull.x"
	for _, q := range []string{
		p, p + " //", p + ";", p + "\n;;\n", "/**/" + p, "// again\n" + p, strings.ReplaceAll(p, "'", `"`), strings.ReplaceAll(p, "'", "`"),
		strings.ReplaceAll(p, "'x'", "'x', "), strings.ReplaceAll(p, "await mail", "await/* now */mail"), strings.ReplaceAll(p, "\n", "\r\n\t"),
		strings.ReplaceAll(p, " ", "\n"), p + "/*", p + "//\n/* \n */", strings.ReplaceAll(p, "mail.", "mail\n  ."),
	} {
		if !same(program(p), program(q)) {
			t.Errorf("not the same: %s: %s", q, bare(q))
		}
	}
	for _, pair := range [][2]string{
		{p, strings.ReplaceAll(p, "'a'", "'b'")}, {p, strings.ReplaceAll(p, "'x'", "'x '")}, {p, strings.ReplaceAll(p, "'x'", "'x;'")},
		{"f('a b')", "f('ab')"}, {"f('//a')", "f('//b')"}, {`f("/*a*/")`, `f("/*b*/")`}, {"f(`a\n//b`)", "f(`a\n//c`)"}, {"return x", "returnx"},
		{`f('\'//a')`, `f('\'//b')`}, {`/\//.test(a)`, `/\//.test(b)`}, {"f('a') // f('b')", "f('a')\nf('b')"}, {"it's // a\nb", "it's // a\nc"},
		{"f(',)')", "f(')')"}, {"f('`')", "f(`'`)"}, {"a\\", "b\\"}, {"é a", "éa"}, {"`${a}`", "'${a}'"},
	} {
		if same(program(pair[0]), program(pair[1])) {
			t.Errorf("the same: %q, %q: %s", pair[0], pair[1], bare(pair[0]))
		}
	}
	if none := (ToolCall{Args: "{}"}); same(none, none) || same(none, program("")) {
		t.Error("what is no program is the same as something")
	}
}

func FuzzBare(f *testing.F) {
	for _, s := range []string{"", "'", "`${`", "/", "\\", "a //\n'b'", ",)", "/*"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if p := bare(s); len(p) > len(s) || bare("/* x */\n"+s) != p {
			t.Errorf("%q is %q", s, p)
		}
	})
}
