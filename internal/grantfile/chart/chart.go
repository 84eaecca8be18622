// Package chart draws what a grant file reaches.
package chart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

// Mermaid draws a manifest as a flow chart: grants lead to facets, and facets by links to others. Excluded tables are in a separate group.
func Mermaid(m *grantfile.Manifest) string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	ids := map[string]string{}
	for i, f := range m.Facets {
		ids[f.Name] = fmt.Sprintf("f%d", i)
		var rights []string
		for _, r := range []struct {
			what string
			on   bool
		}{{"insert", len(f.Insert) > 0}, {"update", len(f.Update) > 0}, {"delete", f.Delete}} {
			if r.on {
				rights = append(rights, r.what)
			}
		}
		columns := scalar.Each(f.Columns, func(c grantfile.ManifestColumn) string { return c.Name })
		fmt.Fprintf(&b, "  f%d[%s]\n", i, label(f.Name+" of "+f.Table, f.Scope, strings.Join(columns, ", "), strings.Join(append([]string{"read"}, rights...), ", ")))
	}
	for i, g := range m.Grants {
		fmt.Fprintf(&b, "  g%d([%s]) --> %s\n", i, label(g.Name, g.Where), ids[g.Facet])
	}
	for i, s := range m.Services {
		calls := strings.Join(append(append(append([]string(nil), s.Reads...), s.Acts...), s.Immediate...), ", ")
		fmt.Fprintf(&b, "  s%d([%s]) --> w%[1]d[[%[3]s]]\n", i, label(s.Name), label(s.Where, calls))
	}
	for _, f := range m.Facets {
		for _, l := range f.Links {
			fmt.Fprintf(&b, "  %s -->|%s| %s\n", ids[f.Name], label(l.Name), ids[l.To])
		}
	}
	if len(m.Excluded) > 0 {
		b.WriteString("  subgraph excluded\n")
		for i, t := range m.Excluded {
			fmt.Fprintf(&b, "    x%d[%s]\n", i, label(t.Table, cmp.Or(map[bool]string{true: "all of it"}[t.Whole], strings.Join(t.Columns, ", "))))
		}
		b.WriteString("  end\n")
	}
	return b.String()
}

// label makes a text of a chart from the lines that are not empty. It escapes quotes and brackets, because a name with one could end the text
// and continue as part of the chart.
func label(lines ...string) string {
	lines = slices.DeleteFunc(lines, func(s string) bool { return s == "" })
	for i, s := range lines {
		lines[i] = strings.NewReplacer("#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "`", "#96;").Replace(schema.Printable(s))
	}
	return `"` + strings.Join(lines, "<br>") + `"`
}
