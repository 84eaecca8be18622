package names

import (
	"slices"
	"strings"

	"github.com/exoagent/exoagent/codemode/repl/internal/js"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Candidate is a name that is possible at the cursor.
type Candidate struct{ Name, About string }

// Candidates returns the names that are possible at the end
// of code, and the part of the name that is already there.
func (n *Names) Candidates(code string) (part string, found []Candidate) {
	for i := len(code); i > 0 && js.IsWord(code[i-1]); i-- {
		part = code[i-1:]
	}
	r := n.read(code[:len(code)-len(part)])
	if quoted, found := r.values(part); found != nil {
		return quoted, found
	}
	end := len(r.toks) - 1
	switch {
	case end >= 0 && (r.toks[end].Kind == js.String || r.toks[end].Kind == js.Regexp) && !closed(r.toks[end].Text):
		return part, nil
	case r.is(end, "."):
		before := end - 1
		if r.is(before, "?") {
			before--
		}
		if before < 0 {
			return part, nil
		}
		found = n.members(r.chain(before))
	case r.is(end, "{") || r.is(end, ","):
		if found = r.inBraces(end); found == nil {
			found = r.scope()
		}
	default:
		found = r.scope()
	}
	return part, slices.DeleteFunc(found, func(c Candidate) bool { return !strings.HasPrefix(c.Name, part) })
}

// closed reports whether the token s of a string has its closing quote. The token of a template may end with its opening quote.
func closed(s string) bool { return len(s) > 1 && s[len(s)-1] == s[0] || s == "`" }

// members returns what can follow a dot on a type. If the type is not known, it
// returns every name of a row or a query, since it is most likely one of these.
func (n *Names) members(t *message.Type) []Candidate {
	switch {
	case t == apiType:
		return n.grants()
	case t == nil:
		return n.all()
	case t.Name == value.TypeRecord:
		return fieldsOf(t)
	}
	in := n.Catalog[t.Name]
	if in == nil {
		return nil
	}
	out := InterfaceOf(in)
	for _, name := range n.Catalog.Measures(t) {
		if m, _ := n.Catalog.Method(t, name); in.Methods[name] == nil && m != nil {
			out = append(out, Candidate{name + "()", FirstLine(m.Doc)})
		}
	}
	return out
}

func InterfaceOf(in *message.Interface) []Candidate {
	var out []Candidate
	for _, name := range in.Names() {
		about := ""
		if f := in.Fields[name]; f != nil {
			about = f.Doc
			if of := f.Type.Args["of"]; about == "" && of != nil {
				about = of.String()
			}
		} else if m := in.Methods[name]; m != nil {
			about = m.Doc
			if name += "("; len(m.Params) == 0 {
				name += ")"
			}
		}
		out = append(out, Candidate{name, FirstLine(about)})
	}
	return out
}

func fieldsOf(t *message.Type) []Candidate {
	out := scalar.Each(t.Fields, func(f message.TypeField) Candidate { return Candidate{f.Name, FirstLine(f.Doc)} })
	return out
}

func (n *Names) grants() []Candidate {
	out := scalar.Each(n.Granted, func(g message.GrantedName) Candidate { return Candidate{g.Name, FirstLine(g.Doc)} })
	return out
}

func (n *Names) all() []Candidate {
	var out []Candidate
	seen := map[string]bool{}
	for _, in := range n.Catalog {
		if in.Expr {
			continue
		}
		for _, c := range InterfaceOf(in) {
			if !seen[c.Name] {
				seen[c.Name] = true
				out = append(out, c)
			}
		}
	}
	slices.SortFunc(out, func(a, b Candidate) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// scope returns the names that are possible at the beginning of an expression.
func (r *reader) scope() []Candidate {
	out := append([]Candidate{{"api", "all that is granted"}}, r.grants()...)
	for at := r.enclosing(len(r.toks)); at >= 0; at = r.enclosing(at) {
		for p := range r.params(at) {
			out = append(out, Candidate{p, ""})
		}
	}
	for k := 1; k+1 < len(r.toks); k++ {
		if (r.is(k-1, "const") || r.is(k-1, "let")) && r.name(k) != "" {
			out = append(out, Candidate{r.name(k), ""})
		}
	}
	slices.SortFunc(out, func(a, b Candidate) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(out, func(a, b Candidate) bool { return a.Name == b.Name })
}

// inBraces returns the names that are possible between the braces that contain end: rows in a
// callback's parameter, ({ todo }) =>, or columns in a filter, where({ done: true }). It returns nil for other braces.
func (r *reader) inBraces(end int) []Candidate {
	brace := end
	if r.is(end, ",") {
		brace = r.enclosing(end)
	}
	if !r.is(brace, "{") {
		return nil
	}
	switch {
	case r.is(brace-1, "(") && r.name(brace-2) != "" && r.is(brace-3, "."):
		if t := row(r.space(brace - 1)); t != nil {
			return fieldNames(r.Catalog[t.Name])
		}
	case r.is(brace-1, "(") && r.is(brace-2, "(") && r.is(brace-4, "."):
		if ns := r.space(brace - 2); ns != nil {
			return fieldsOf(ns)
		}
	case r.is(brace-1, "(") && brace == 1: // parameters of the program, as in ({ grant }) => …
		return r.grants()
	}
	return nil
}

func fieldNames(in *message.Interface) []Candidate {
	if in == nil {
		return nil
	}
	return slices.DeleteFunc(InterfaceOf(in), func(c Candidate) bool { return in.Fields[c.Name] == nil })
}

func FirstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return printable.Cut(printable.OneLine(s), 60)
}
