package screen

import (
	"strings"

	"github.com/exoagent/exoagent/codemode/repl/internal/js"
)

// Highlight colours JavaScript. It only adds escape sequences, so it can be used while the user
// types.
func (s Screen) Highlight(code string) string {
	if !s.Color {
		return code
	}
	var b strings.Builder
	paint := func(style, text string) { // each line is painted separately, since an editor moves between lines
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
