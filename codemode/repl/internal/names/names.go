// Package names completes names: it finds what can follow the cursor, from the catalogue of the grants.
package names

import (
	"maps"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/codemode/repl/internal/js"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// Names finds what can follow a dot, from the catalogue of the grants. It only
// helps the user, and decides nothing. For an unknown type it returns nil.
type Names struct {
	Catalog message.Catalog
	Granted []message.GrantedName
}

// apiType is the type of the object that has all grants.
var apiType = &message.Type{Name: "api"}

// maxResolve limits the work for one completion, since pasted text may nest callbacks deeply.
const maxResolve = 200

// reader reads the program before the cursor, token by token.
type reader struct {
	*Names
	toks []js.Token // the tokens without spaces and comments
	left int        // how many more chains may be resolved
}

func (n *Names) read(code string) *reader {
	r := &reader{Names: n, left: maxResolve}
	js.EachToken(code, func(t js.Token) {
		if t.Kind != js.Comment && strings.TrimSpace(t.Text) != "" {
			r.toks = append(r.toks, t)
		}
	})
	return r
}

func (r *reader) is(i int, text string) bool {
	return i >= 0 && i < len(r.toks) && r.toks[i].Text == text
}

func (r *reader) name(i int) string {
	if i >= 0 && i < len(r.toks) && (r.toks[i].Kind == js.Plain || r.toks[i].Kind == js.Member) && js.IsWord(r.toks[i].Text[0]) {
		return r.toks[i].Text
	}
	return ""
}

// opener returns the index of the opening bracket for the closing bracket at i, or -1.
func (r *reader) opener(i int) int {
	for depth := 0; i >= 0; i-- {
		switch r.toks[i].Text {
		case ")", "]", "}":
			depth++
		case "(", "[", "{", "${":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// enclosing returns the index of the innermost opening bracket that is not closed before i, or -1.
func (r *reader) enclosing(i int) int {
	for i--; i >= 0; i-- {
		switch r.toks[i].Text {
		case ")", "]", "}":
			if i = r.opener(i); i < 0 {
				return -1
			}
		case "(", "[", "{", "${":
			return i
		}
	}
	return -1
}

// chain returns the type of the expression that ends with token i, like a.b(…).c. It returns nil if
// the type is unknown.
func (r *reader) chain(i int) *message.Type {
	if r.left--; r.left < 0 || i < 0 {
		return nil
	}
	call := -1
	if r.is(i, ")") {
		if call = r.opener(i); call < 0 {
			return nil
		}
		i = call - 1
	}
	name := r.name(i)
	if name == "" {
		return nil
	}
	if !r.is(i-1, ".") {
		if call >= 0 {
			return nil // the program itself defines this function
		}
		return r.variable(name, i)
	}
	before := i - 2
	if r.is(before, "?") {
		before--
	}
	return r.member(r.chain(before), name, call)
}

// member returns the type of a member of a type, or nil if it is unknown. call is the index of the open parenthesis if the member is called, else -1.
func (r *reader) member(of *message.Type, name string, call int) *message.Type {
	switch {
	case of == nil:
		return nil
	case of == apiType:
		return r.grant(name)
	case of.Name == value.TypeRecord:
		return of.Field(name)
	}
	in := r.Catalog[of.Name]
	if in == nil {
		return nil
	}
	if f := in.Fields[name]; f != nil && call < 0 {
		return f.Type
	}
	m := in.Methods[name]
	if m == nil || call < 0 {
		return nil
	}
	env := map[string]*message.Type{"self": of}
	maps.Copy(env, of.Args)
	for _, p := range m.Params {
		if p.Bind != "" {
			env[p.Bind] = r.body(call)
		}
	}
	return typeOf(m.Result, env)
}

// body returns the type of the result of the callback that is the argument of a call. The parameter call is the index of its open parenthesis.
func (r *reader) body(call int) *message.Type {
	end, depth := call+1, 0
	for ; end < len(r.toks); end++ {
		if strings.Contains("([{${", r.toks[end].Text) {
			depth++
		} else if strings.Contains(")]}", r.toks[end].Text) {
			if depth--; depth < 0 {
				break
			}
		}
	}
	return r.chain(end - 1)
}

// variable returns the type of the name at i: a parameter of an enclosing callback, a constant, or
// a grant.
func (r *reader) variable(name string, i int) *message.Type {
	for at := r.enclosing(i); at >= 0; at = r.enclosing(at) {
		for p, t := range r.params(at) {
			if p == name {
				return t
			}
		}
	}
	for k := i - 1; k > 0; k-- {
		if r.name(k) != name || !r.is(k+1, "=") || !(r.is(k-1, "const") || r.is(k-1, "let")) {
			continue
		}
		end := k + 2
		for end < i && !r.is(end, ";") && !r.is(end, "const") && !r.is(end, "let") && !r.is(end, "return") {
			end++
		}
		return r.chain(end - 1)
	}
	if name == "api" {
		return apiType
	}
	return r.grant(name)
}

func (r *reader) grant(name string) *message.Type {
	for _, g := range r.Granted {
		if g.Name == name {
			return g.Type
		}
	}
	return nil
}

// params returns the types of the parameters, by name, of the callback that follows an open parenthesis. It returns nil if the parenthesis
// belongs to no method call.
func (r *reader) params(at int) map[string]*message.Type {
	if !r.is(at, "(") || r.name(at-1) == "" || !r.is(at-2, ".") {
		return nil
	}
	first := at + 1
	if r.is(first, "async") {
		first++
	}
	var one string
	var each []string
	switch {
	case r.is(first+1, "=") && r.is(first+2, ">"):
		one = r.name(first)
	case r.is(first, "(") && r.is(first+2, ")"):
		one = r.name(first + 1)
	case r.is(first, "(") && r.is(first+1, "{"):
		for k := first + 2; k < len(r.toks) && !r.is(k, "}"); k++ {
			each = append(each, r.name(k))
		}
	}
	if one == "" && len(each) == 0 {
		return nil
	}
	ns := r.space(at)
	out := map[string]*message.Type{}
	for _, n := range each {
		if ns != nil {
			out[n] = ns.Field(n)
		} else {
			out[n] = nil
		}
	}
	if one != "" {
		out[one] = row(ns)
	}
	return out
}

// space returns the record of rows that a method passes to its callback, or nil if it is unknown. The parameter at is the index of the
// method's open parenthesis.
func (r *reader) space(at int) *message.Type {
	before := at - 3
	if r.is(before, "?") {
		before--
	}
	if q := r.chain(before); q != nil {
		return q.Args["ns"]
	}
	return nil
}

// row returns the type of a callback's only parameter: the row if the record ns has only one row, else ns itself.
func row(ns *message.Type) *message.Type {
	if ns != nil && len(ns.Fields) == 1 {
		return ns.Fields[0].Type
	}
	return ns
}

// Tables returns the catalogue's names of rows, one for each table, sorted.
func (n *Names) Tables() []string {
	var out []string
	for name, in := range n.Catalog {
		if !in.Expr && in.Await == "" && len(in.Fields) > 0 {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
