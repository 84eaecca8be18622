// Package flows selects flows for a person and writes them as text. A flow reports whether labelled values can leave by one way out: see exo.Flow.
package flows

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/exoagent/exoagent/exo"
)

// Usage describes the argument of Select.
const Usage = "a tag, or a tag and a way out, as in \"pii chat.post\" and \"untrusted result\", or all"

// Select returns the flows that asked names. Usage describes the form of asked.
func Select(all []exo.Flow, asked string) ([]exo.Flow, error) {
	words := strings.FieldsFunc(asked, func(r rune) bool { return r == ' ' || r == ',' })
	if len(words) == 0 || len(words) > 2 {
		return nil, fmt.Errorf("want %s, not %q", Usage, asked)
	}
	if len(words) == 1 && words[0] == "all" {
		return all, nil
	}
	names := [2][]string{}
	out := []exo.Flow{}
	for _, f := range all {
		if !slices.Contains(names[0], f.Tag) {
			names[0] = append(names[0], f.Tag)
		}
		if !slices.Contains(names[1], f.To) {
			names[1] = append(names[1], f.To)
		}
		if is(f.Tag, words[0]) && (len(words) == 1 || f.To == words[1]) {
			out = append(out, f)
		}
	}
	for i, w := range words {
		if !slices.ContainsFunc(names[i], func(n string) bool { return i == 0 && is(n, w) || n == w }) {
			what := []string{"is labelled", "is a way out"}[i]
			if len(names[i]) == 0 {
				return nil, fmt.Errorf("the grants have no labels, so there is no flow to ask about: leave out -flow")
			}
			return nil, fmt.Errorf("nothing %s %q: want one of %s", what, w, strings.Join(names[i], ", "))
		}
	}
	return out, nil
}

// is reports whether tag is the requested one. A request without readers means the tag with any readers.
func is(tag, asked string) bool {
	about, _, _ := strings.Cut(tag, "@")
	return tag == asked || about == asked
}

// Write writes a line for each flow.
func Write(w io.Writer, flows []exo.Flow) error {
	if len(flows) == 0 {
		_, err := io.WriteString(w, "nothing is labelled: all that is granted may leave by every way\n")
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range flows {
		may := "no"
		if f.May {
			may = "yes"
		}
		fmt.Fprintf(t, "%s (%s)\t-> %s\t%s: %s\n", f.Tag, strings.Join(f.From, ", "), f.To, may, f.How)
	}
	return t.Flush()
}
