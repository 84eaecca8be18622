package repl

import "strings"

// highlight colours JavaScript. It changes nothing but colour: without the
// sequences the text is what it was, so it serves for what is being typed as well.
func (s screen) highlight(code string) string {
	if !s.color {
		return code
	}
	var b strings.Builder
	paint := func(style, text string) { // line by line, since an editor moves between lines
		for i, line := range strings.Split(text, "\n") {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(s.paint(style, line))
		}
	}
	eachToken(code, func(t token) { paint(tokenStyles[t.kind], t.text) })
	return b.String()
}

var tokenStyles = map[tokenKind]string{
	keywordToken: magenta, constantToken: yellow, numberToken: yellow, stringToken: green,
	regexpToken: red, commentToken: dim, memberToken: cyan,
}
