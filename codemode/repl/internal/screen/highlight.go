package screen

import (
	"strings"

	"github.com/exoagent/exoagent/codemode/repl/internal/js"
)

// Highlight colours JavaScript. It changes nothing but colour: without the
// sequences the text is what it was, so it serves for what is being typed as well.
func (s Screen) Highlight(code string) string {
	if !s.Color {
		return code
	}
	var b strings.Builder
	paint := func(style, text string) { // line by line, since an editor moves between lines
		for i, line := range strings.Split(text, "\n") {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(s.Paint(style, line))
		}
	}
	js.EachToken(code, func(t js.Token) { paint(tokenStyles[t.Kind], t.Text) })
	return b.String()
}

var tokenStyles = map[js.Kind]string{
	js.Keyword: magenta, js.Constant: Yellow, js.Number: Yellow, js.String: green,
	js.Regexp: Red, js.Comment: Dim, js.Member: Cyan,
}
