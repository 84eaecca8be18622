//go:build unix

package repl

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/testutil/ttytest"
)

// plainRules are rules of a table as a plain screen has them.
func plainRules(s string) string { return strings.ReplaceAll(s, "─", "-") }

// TestTypesAtTerminal: a column of JSON leaves the others their types, also where the
// program had the rows in its hands, and decimals stand point under point.
func TestTypesAtTerminal(t *testing.T) {
	x := start(t, "shop", nil)
	x.Ends("owner 1>")
	for _, program := range []string{
		"api.goods.orderBy(g => g.id)",
		"const all = await api.goods.orderBy(g => g.id); return all.map(g => ({ ...g }))",
	} {
		if got := plainRules(x.answer(program)); !strings.HasPrefix(got, shopTable) {
			t.Errorf("%s:\n%s\nwant\n%s", program, got, shopTable)
		}
	}
	// A text that only looks like a number, and a name that means two types, are texts.
	if got := x.answer("[{ price: 'much' }, { price: '12.50' }]"); !strings.HasPrefix(got, "price\ntext\n") {
		t.Errorf("%s", got)
	}
}

// TestExpanded: what is too wide for the screen stands one below the other, unless
// somebody says otherwise.
func TestExpanded(t *testing.T) {
	x := start(t, "shop", nil)
	x.Ends("owner 1>")
	x.Resize(50, ttytest.Rows)
	const program = "api.goods.orderBy(g => g.id).limit(2)"
	const first = "id     1\nname   saw\nprice  12.5\nmeta   {\"a\":1}\nmade   2024-01-31\nat     2026-03-15T17:00Z\nkind   tool\n"
	if got := plainRules(x.answer(program)); !strings.HasPrefix(got, "-[ 1 ]-") || !strings.Contains(got, first+"-[ 2 ]-") {
		t.Errorf("too wide:\n%s", got)
	}
	if got := x.answer("api.goods.select(g => ({ id: g.id }))"); !strings.HasPrefix(got, " id\nint\n") {
		t.Errorf("narrow enough:\n%s", got)
	}
	x.answer(".expanded off")
	if got := x.answer(program); !strings.Contains(got, "… and ") || strings.Contains(got, "[ 1 ]") {
		t.Errorf("off:\n%s", got)
	}
	x.answer(`\x on`)
	if got := x.answer("api.goods.select(g => ({ id: g.id }))"); !strings.Contains(plainRules(got), "-[ 3 ]-") {
		t.Errorf("on:\n%s", got)
	}
	x.answer(`\x`)
	if got := x.answer(program); !strings.Contains(got, "… and ") {
		t.Errorf("turned:\n%s", got)
	}
	x.answer(".expanded auto")
	if got := plainRules(x.answer(program)); !strings.HasPrefix(got, "-[ 1 ]-") {
		t.Errorf("auto:\n%s", got)
	}
	if got := x.answer(".expanded maybe"); !strings.Contains(got, "after .expanded write on") {
		t.Errorf("%s", got)
	}
}

// TestPasteWithoutBrackets: a terminal that does not say what is pasted sends lines
// that end with Enter. They are the programs that they are, and not each line one.
func TestPasteWithoutBrackets(t *testing.T) {
	x := start(t, "notes", nil)
	x.Ends("owner 1>")
	if got := x.answer("(api) => api.me\r  .notes()\r  .where(n => n.id > 0)\r.count()"); !strings.HasSuffix(got, ".count()\n2\nT ms, 1 query in T ms; .sql shows it\n") || strings.Contains(got, ": ") {
		t.Errorf("a chain:\n%s", got)
	}
	if got := x.answer("async (api) => {\r  const n = await api.me.notes().count();\r\r  return n + 40;\r}"); !strings.HasSuffix(got, "}\n42\nT ms, 1 query in T ms; .sql shows it\n") || strings.Contains(got, ": ") {
		t.Errorf("a function with an empty line:\n%s", got)
	}
	x.Send("1 + 1\r.owner 2\rapi.me\r.notes().count()\r20 + 2\r")
	x.Shows("22\n")
	if s := times.ReplaceAllString(x.Ends("owner 2>"), "T ms"); !strings.HasSuffix(s, "2\nT ms\nowner 1> .owner 2\nowner 2> api.me\n.notes().count()\n1\nT ms, 1 query in T ms; .sql shows it\nowner 2> 20 + 2\n22\nT ms\nowner 2>") {
		t.Errorf("several parts:\n%s", s)
	}
	x.Send("\x1b[A") // each is an entry of its own
	x.Ends("owner 2> 20 + 2")
	x.Send("\x1b[A")
	x.Ends("owner 2> api.me\n         .notes().count()")
}

// TestGoesOnAtThePrompt: a line that begins with .name( runs the program before it again.
func TestGoesOnAtThePrompt(t *testing.T) {
	x := start(t, "notes", nil)
	x.Ends("owner 1>")
	if got := x.answer(".notes()"); !strings.Contains(got, "none has run yet") {
		t.Errorf("%s", got)
	}
	x.answer("api.me;")
	x.answer(".notes()")
	if got := x.answer(".count()"); got != "2\nT ms, 1 query in T ms; .sql shows it\n" {
		t.Errorf("%s", got)
	}
	file := filepath.Join(t.TempDir(), "x.js")
	x.answer(".save " + file)
	if b, err := os.ReadFile(file); err != nil || string(b) != "api.me\n.notes()\n.count()\n" {
		t.Errorf("%q %v", b, err)
	}
}

// TestWordsAtTerminal: those who come from psql or a shell get out, and find help.
func TestWordsAtTerminal(t *testing.T) {
	for _, word := range []string{"exit", "quit", "exit;", `\q`} {
		x := start(t, "notes", nil)
		x.Ends("owner 1>")
		x.Send(word + "\r")
		if code := x.Exit(); code != exitOK {
			t.Errorf("%s: exit %d", word, code)
		}
	}
	x := start(t, "notes", nil)
	x.Ends("owner 1>")
	for word, says := range map[string]string{"help": "Type a program:", `\?`: "Type a program:", `\d`: "Note: id, text, stars", `\d note`: "a whole number or null", `\d nothing`: "there is no table nothing; there are Note, Owner", `\copy x`: `there is no command \copy`} {
		if got := x.answer(word); !strings.Contains(got, says) {
			t.Errorf("%s:\n%s", word, got)
		}
	}
	if got := x.answer("'exit'"); !strings.HasPrefix(got, "\"exit\"\n") {
		t.Errorf("a program: %s", got)
	}
}

// TestEnumsComplete: Tab offers the values that a column can have.
func TestEnumsComplete(t *testing.T) {
	x := start(t, "shop", nil)
	x.Ends("owner 1>")
	x.Send("api.goods.where(g => g.kind === 'tool\t).count()")
	x.Ends("owner 1> api.goods.where(g => g.kind === 'tool').count()")
	if got := x.answer(""); !strings.Contains(got, "\n1\n") && !strings.HasPrefix(got, "1\n") {
		t.Errorf("%s", got)
	}
	x.Send("api.goods.where(g => g.kind !== \t")
	x.Shows("'toy'")
	x.Send("\x03")
	if strings.Contains(x.Written(), "\x1b[2J") {
		t.Error("a value of the catalogue drove the terminal")
	}
}

// TestInterruptSaysOnce: Ctrl-C is said in one line.
func TestInterruptSaysOnce(t *testing.T) {
	x := start(t, "slow", nil)
	x.Ends("owner 1>")
	x.Send("while (true) {} return 1\r")
	x.Shows("Ctrl-C stops it")
	x.Send("\x03")
	if s := x.Ends("owner 1>"); !strings.HasSuffix(s, "cancelled: Ctrl-C stopped the program\nowner 1>") {
		t.Errorf("%s", s)
	}
}

// cutService is an endpoint whose replies end at the bound of tokens.
func cutService(t *testing.T) []string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, `data: {"choices":[{"delta":{"content":"There are tw"},"finish_reason":"length"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	return []string{"OPENAI_BASE_URL=" + s.URL, "OPENAI_API_KEY=x", "GOOGLE_GENERATIVE_AI_API_KEY=", "ANTHROPIC_API_KEY="}
}

// TestCutAnswer: an answer that ends in the middle is never shown as if it were whole.
func TestCutAnswer(t *testing.T) {
	env := cutService(t)
	x := start(t, "models", env, "-model", "openai:test")
	x.Ends("owner 1>")
	if got := x.answer("how many?"); !strings.HasPrefix(got, "There are tw\n"+cutNotice) {
		t.Errorf("at the prompt:\n%s", got)
	}
	x = start(t, "models", env, "-model", "openai:test", "-ask", "how many?")
	if code := x.Exit(); code != exitOK || !strings.HasPrefix(x.Screen(), "There are tw\n"+cutNotice) {
		t.Errorf("-ask at a terminal: %d\n%s", code, x.Screen())
	}
	for _, e := range env {
		name, v, _ := strings.Cut(e, "=")
		t.Setenv(name, v)
	}
	var out, errs strings.Builder
	if code := ttyApps["models"].Run([]string{"-model", "openai:test", "-ask", "how many?"}, strings.NewReader(""), &out, &errs); code != exitOK || out.String() != "There are tw\n" || errs.String() != "notes: "+cutNotice+"\n" {
		t.Errorf("-ask: %d %q %q", code, out.String(), errs.String())
	}
	out.Reset()
	errs.Reset()
	code := ttyApps["models"].Run([]string{"-model", "openai:test"}, strings.NewReader(".ask how many?\n1\n"), &out, &errs)
	if got, _, _ := strings.Cut(out.String(), `,"model"`); code != exitOK || got != `{"answer":"There are tw","cut":true` || !strings.HasSuffix(out.String(), "}\n1\n") || errs.String() != "" {
		t.Errorf("from a pipe: %d %q %q", code, out.String(), errs.String())
	}
}
