package source

// This file writes the errors of the scan and the parser.

import (
	"strings"

	"github.com/exoagent/exoagent/exo/message"
)

// These are errors for forms that programs must not have. The checker uses them, too.
const (
	NoModules        = "no modules here: `import`, `export` and `require` are not available; remove the line: the granted objects are there by their names"
	NoForAwait       = "`for await` goes through a list: write `for await (const x of list) { ... }`"
	AwaitOutside     = "`await` works only directly inside an async function: write `async` before the parameters of the innermost function"
	NoAsyncGenerator = "async generators are not available; use an async function that returns an array"
	MixedLogic       = "`??` can't be combined with `&&` or `||` without parentheses: write (a && b) ?? c, or a && (b ?? c)"
)

// explain turns an error of goja's parser into the author's terms.
func explain(c message.Catalog, text string, off int, msg string) string {
	word, before := wordAt(text, off), strings.TrimRight(text[:off], " \t\r\n")
	prev := lastWord(before)
	at := func(s string) bool { return strings.HasPrefix(text[off:], s) }
	switch {
	case word == "import" || word == "export" || prev == "import" || prev == "export":
		return NoModules
	case lastWord(strings.TrimRight(strings.TrimSuffix(before, "*"), " ")) == "async" && strings.HasSuffix(before, "*"):
		return NoAsyncGenerator
	case word == "await" || prev == "await":
		return AwaitOutside
	case tsWords[word] || tsWords[prev],
		at(":") && before != "" && !strings.HasSuffix(before, "{") && !strings.HasSuffix(before, ","),
		at("?") && strings.HasPrefix(strings.TrimLeft(text[off+1:], " "), ":"), strings.HasSuffix(before, "?") && at(":"),
		strings.HasSuffix(before, "!") && (at(".") || at(";") || at(")") || at(",")),
		at("<"), (at(")") || at(">") || at("=")) && strings.HasSuffix(before, ">") && !strings.HasSuffix(before, "=>"):
		return "this TypeScript is not understood; write it in plain JavaScript (" + msg + ")"
	}
	if s := foreign(c, text, word, prev); s != "" {
		return s
	}
	if strings.HasPrefix(msg, "Logical expressions and coalesce") {
		return MixedLogic
	}
	msg = strings.ReplaceAll(msg, "Unexpected token ILLEGAL", "unexpected character or unterminated string")
	if msg == "Unexpected end of input" {
		return "syntax error: the program ends too early; a bracket, string or template is not closed"
	}
	if off >= len(text) {
		return "syntax error: the program ends where more is expected; check the brackets (" + msg + ")"
	}
	return "syntax error: " + msg
}

// foreign returns the JavaScript for a word of another language, "" if it is unknown.
func foreign(c message.Catalog, text, word, prev string) string {
	first := strings.ToUpper(wordAt(text, len(text)-len(strings.TrimLeft(text, " \t\r\n"))))
	if s := c.Say(nil, "begin:"+first, ""); s != "" {
		return s
	}
	for _, w := range []string{word, prev} {
		lower := strings.ToLower(w)
		if is := c.Say(nil, "word:"+lower, foreignWords[lower]); is != "" {
			return "`" + w + "` is no word of JavaScript: write " + is
		}
	}
	return ""
}

var foreignWords = map[string]string{"and": "&&", "or": "||", "not": "!"}

var tsWords = map[string]bool{"as": true, "satisfies": true, "implements": true, "enum": true, "interface": true, "type": true, "declare": true,
	"namespace": true, "abstract": true, "readonly": true, "private": true, "public": true, "protected": true}

func wordAt(s string, off int) string {
	end := off
	for end < len(s) && isWordByte(s[end]) {
		end++
	}
	return s[off:end]
}

func lastWord(s string) string {
	from := len(s)
	for from > 0 && isWordByte(s[from-1]) {
		from--
	}
	return s[from:]
}
