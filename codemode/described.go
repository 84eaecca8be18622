package codemode

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/internal/scalar"
)

// describe returns the declaration of an interface, a table in programs, or a grant, by its name. A
// hidden name and one that does not exist get the same answer.
func (c *catalogue) describe(asked string) (string, error) {
	name := strings.TrimSpace(asked)
	name = strings.TrimPrefix(name, "api.")
	name, _, _ = strings.Cut(name, "<")
	if c.texts[name] == "" && c.aliases[name] == "" {
		if first, _, ok := strings.Cut(name, "."); ok && (c.texts[first] != "" || c.aliases[first] != "") {
			name = first // the name has a member, like Task.dueAt
		}
	}
	if c.texts[name] == "" {
		name = c.aliases[name]
	}
	if name == "" {
		near := scalar.Nearest(asked, c.names)
		if near == "" {
			return "", fail.Errorf(fail.Denied, "", "nothing is named %q here; %s(\"…\") finds names by words that describe them", scalar.Shorten(asked, 60), c.searchName)
		}
		return "", fail.Errorf(fail.Denied, "", "nothing is named %q here; did you mean %s(%q)?", scalar.Shorten(asked, 60), c.describeName, near)
	}
	text := c.cut(c.texts[name])
	if e := c.entryOf(name); e != nil && len(e.paths) > 0 {
		text = "// " + strings.Join(e.paths, " or ") + "\n" + text
	}
	if more := c.mentioned(name, text); len(more) > 0 {
		text += "\n// " + c.describeName + " also knows: " + strings.Join(more, ", ")
	}
	return text, nil
}

// cut returns as many lines from the start of a declaration as fit.
func (c *catalogue) cut(text string) string {
	if len(text) <= maxText {
		return text
	}
	end := strings.LastIndexByte(text[:maxText], '\n') + 1
	return text[:end] + fmt.Sprintf("  // and %d more lines: %s finds the members by their words", strings.Count(text[end:], "\n")+1, c.searchName)
}

func (c *catalogue) entryOf(name string) *entry {
	name = cmp.Or(c.aliases[name], name)
	for n := range c.entries {
		if c.entries[n].name == name {
			return &c.entries[n]
		}
	}
	return nil
}

// mentioned returns the names in a declaration that have their own declarations.
func (c *catalogue) mentioned(name, text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !(r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)) }) {
		if c.texts[w] != "" && c.texts[w] != c.texts[name] && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	sort.Strings(out)
	return out[:min(len(out), maxNames)]
}
