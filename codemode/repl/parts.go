package repl

import "strings"

// parts are the programs, questions and commands in text that was pasted at a terminal
// which does not say what is pasted: there every line ends with Enter. A program goes
// on while it is not complete, and with a line that can only be more of it.
func (c *console) parts(text string) []string {
	var out []string
	now := ""
	for _, line := range strings.Split(text, "\n") {
		switch {
		case now == "" && strings.TrimSpace(line) == "":
		case now == "":
			now = line
		case c.ended(now) && !goesOn(line):
			out, now = append(out, strings.TrimRight(now, "\n")), line
		default:
			now += "\n" + line
		}
	}
	if now != "" {
		out = append(out, now)
	}
	return out
}

// ended reports whether a part that was pasted can end here. An empty line ends it
// only where no bracket is open.
func (c *console) ended(text string) bool {
	if strings.HasSuffix(text, "\n") && !isFence(text) {
		return !open(text)
	}
	return c.whole(text)
}
