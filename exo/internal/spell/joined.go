package spell

// This file makes the text of what a program joined.

import (
	"strings"

	"github.com/exoagent/exoagent/exo/value"
)

// Joined returns the text of parts: texts as they are, everything else as JSON. If it has more than most bytes, it is "[too large]".
func Joined(parts []value.Value, most int) string {
	var b strings.Builder
	for _, p := range parts {
		if b.Len() > most {
			break
		}
		switch p.Kind() {
		case value.KindText:
			b.WriteString(p.Text())
		default:
			out, err := p.AppendJSON(nil)
			if err != nil {
				out = []byte("[not a text]")
			}
			b.Write(out)
		}
	}
	if b.Len() > most {
		return "[too large]"
	}
	return b.String()
}
