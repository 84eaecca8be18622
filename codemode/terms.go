package codemode

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// position is where a type is used in a declaration. The type of a column depends on it.
type position uint8

const (
	asIs    position = iota // the type is used as an expression
	asArg                   // the type is of an argument of a program, where a time may also be a Date
	asPlain                 // the type is of a value that a program gets
)

// scope has the names of variables in the interface that is being declared.
type scope struct {
	head string            // the type parameters, like "<N, R>"
	vars map[string]string // the variable of each type parameter of the interface and of the method that is being declared
	of   string            // for a column: the plain type of its values
	keys map[string]string // for each parameter whose value names a field of the result, its type variable
}

func (d *declarer) scope(i *message.Interface) scope {
	sc := scope{vars: map[string]string{}}
	ps := d.params(i)
	if t := d.closed(i.Name); t != nil {
		for _, p := range ps {
			sc.vars[p] = d.typ(t.Args[p], asIs)
		}
		return sc
	}
	var letters []string
	for _, p := range ps {
		sc.vars[p] = letter(p, letters)
		letters = append(letters, sc.vars[p])
	}
	sc.head = angle(letters)
	return sc
}

// letter returns a short name for a type parameter: the first letter of its name, with a number if another parameter has that letter.
func letter(name string, taken []string) string {
	l := strings.ToUpper(name[:1])
	for k := 2; slices.Contains(taken, l); k++ {
		l = fmt.Sprintf("%s%d", strings.ToUpper(name[:1]), k)
	}
	return l
}

func (d *declarer) method(m *message.Method, outer scope) member {
	sc := outer
	sc.vars, sc.keys = maps.Clone(outer.vars), map[string]string{}
	taken := slices.Collect(maps.Values(outer.vars))
	var generic []string
	eachVar(m, func(v string) {
		root, _, _ := strings.Cut(v, ".")
		if sc.vars[v] == "" && slices.ContainsFunc(m.Params, func(p message.Param) bool { return p.Bind == root }) {
			sc.vars[v] = letter(v, taken)
			taken, generic = append(taken, sc.vars[v]), append(generic, sc.vars[v])
		}
	})
	eachTerm(m.Result, func(t *message.Term) {
		if t.Key != "" && sc.keys[t.Key] == "" {
			k := letter("key", taken)
			sc.keys[t.Key] = k
			taken, generic = append(taken, k), append(generic, k+" extends string")
		}
	})
	var ps []string
	for _, p := range m.Params {
		opt := ""
		if p.Opt {
			opt = "?"
		}
		name := paramName(p.Name)
		if p.Bind != "" && sc.vars[p.Bind] == "" {
			name = p.Bind // named so, since the rest of the declaration uses this name
		}
		ps = append(ps, name+opt+": "+d.param(p, sc))
	}
	res := ""
	if m.Sends {
		res = "Promise<" + d.term(m.Result, sc, asPlain) + ">"
	} else {
		res = d.term(m.Result, sc, asIs)
	}
	doc := m.Doc
	if d.said[m] {
		doc = ""
	}
	doc += changing[m.Effect]
	if m.Sink || m.Effect != message.NoEffect {
		doc = tags("takes ", m.Admits) + " " + doc
	}
	if !m.Measure {
		doc = strings.TrimSpace(tags("", m.Reply) + " " + doc)
	}
	if m.Trusted {
		doc = strings.TrimSpace("[trusted] " + doc)
	}
	if m.Measure {
		doc = strings.TrimSpace(strings.TrimSpace("[measure] "+tags("", m.Label)) + " " + doc)
	}
	if !m.Declassifies.Empty() {
		doc = fmt.Sprintf("[takes %s, tells %d bits] %s", strings.Join(m.Declassifies.Tags(), ", "), m.Bits(), doc)
	}
	return member{property(m.Name) + angle(generic) + "(" + strings.Join(ps, ", ") + "): " + res, doc}
}

// methodOf declares a method of an interface under a name. The method that runs when a program calls the object itself has no name.
func (d *declarer) methodOf(i *message.Interface, name string, sc scope) member {
	m := d.method(i.Methods[name], sc)
	if name == i.Call {
		m.text = strings.TrimPrefix(m.text, property(name))
	}
	return m
}

// param returns the type of an argument for the parameter p.
func (d *declarer) param(p message.Param, sc scope) string {
	want := sc.vars[p.Bind]
	switch {
	case p.Bind != "" && want != "":
	case sc.keys[p.Name] != "":
		want = sc.keys[p.Name]
	case p.Want.Con != nil && d.cat[p.Want.Con.Name] != nil && p.Bind != "":
		// The result uses the names in sc.vars for the argument's type parameters, so declare the argument with the same names.
		i := d.cat[p.Want.Con.Name]
		args := scalar.Each(d.params(i), func(a string) string { return cmp.Or(sc.vars[p.Bind+"."+a], "any") })
		want = d.shown[i.Name] + angle(args)
	case p.Count:
		want = d.term(p.Want, scope{}, asArg)
	default:
		want = d.term(p.Want, sc, asArg)
		if sc.of != "" && isScalar(p.Want) && !p.Fixed {
			d.arg = true
			want = "Arg<" + want + ">"
		}
	}
	if p.Null {
		want += " | null"
	}
	if p.Many {
		want += " | " + list(want)
	}
	if p.Lambda == nil {
		return want
	}
	ns := d.term(p.Lambda, sc, asIs)
	f := "(t: " + ns + ") => " + want
	switch {
	case p.Filter:
		d.filter = true
		return "(" + f + ") | Filter<" + ns + ">"
	case p.Plain:
		return want + " | (" + f + ")"
	}
	return f
}

func isScalar(t *message.Term) bool {
	if t.Var != "" {
		return true
	}
	if t.Con == nil {
		return false
	}
	switch t.Con.Name {
	case value.TypeBool, value.TypeInt, value.TypeFloat, value.TypeNumber, value.TypeText, value.TypeTime,
		value.TypeDecimal, value.TypeDate, value.TypeInterval, value.TypeUUID, value.TypeBytes:
		return true
	}
	return false
}

func (d *declarer) term(t *message.Term, sc scope, pos position) string {
	switch {
	case t == nil:
		return "null"
	case t.Wide != nil && t.To == nil:
		return d.wide(t)
	case t.Null:
		some := *t
		some.Null = false
		return d.term(&some, sc, pos) + " | null"
	case t.Con != nil:
		if pos == asArg && sc.of != "" && t.Con.Name != value.TypeText && d.typ(t.Con, asPlain) == sc.of {
			return sc.vars["of"] // the same name serves every kind of column
		}
		s := d.typ(t.Con, pos)
		if t.Con.Name == value.TypeDecimal && pos == asArg {
			s += " | number"
		}
		return s
	case t.Var == "self":
		return "this"
	case t.Var != "":
		s := sc.vars[t.Var]
		root, rest, _ := strings.Cut(t.Var, ".")
		if s == "" {
			s = cmp.Or(sc.vars[root], "any")
			if rest == "*" {
				s += "[keyof " + s + "]"
			}
		}
		if pos == asPlain && sc.of == "" {
			d.plain = true
			s = "Plain<" + s + ">"
		}
		return s
	case t.Ext != nil:
		xs := scalar.Each(t.Ext, func(x *message.Term) string { return d.term(x, sc, pos) })
		return strings.Join(xs, " & ")
	case t.Key != "":
		return "Record<" + cmp.Or(sc.keys[t.Key], "string") + ", " + d.term(t.Of, sc, pos) + ">"
	case t.Name != "":
		return "{ " + property(t.Name) + ": " + d.term(t.Of, sc, pos) + " }"
	case t.Wide != nil:
		return d.wide(t)
	case t.App == value.TypeList:
		return list(d.term(t.Args["of"], sc, pos))
	case t.App != "":
		i := d.cat[t.App]
		if i == nil || d.closed(t.App) != nil {
			return cmp.Or(d.shown[t.App], "any")
		}
		var args []string
		for _, p := range d.params(i) {
			if a := t.Args[p]; a != nil {
				args = append(args, d.term(a, sc, asIs))
			} else {
				args = append(args, "any")
			}
		}
		s := d.shown[t.App] + angle(args)
		if t.Own != nil {
			s += " & " + d.term(t.Own, sc, pos)
		}
		return s
	}
	return "any"
}

// wide returns the narrowest type that covers several types: the column itself, a kind of column,
// or any, if the type depends on the argument.
func (d *declarer) wide(t *message.Term) string {
	if w := t.Wide[0]; t.To == nil && len(t.Wide) == 1 && w.Con != nil {
		return d.term(&message.Term{Con: w.Con, Null: t.Null}, scope{}, asPlain)
	} else if t.To == nil {
		return "any" // any value, since it depends on the argument
	}
	if w := t.Wide[0]; len(t.Wide) == 1 && w.Con != nil {
		return cmp.Or(d.shown[t.To[w.Con.Name]], "Column<any>")
	} else if len(t.Wide) == 1 && w.Var == "of" {
		return "this"
	}
	return "Column<any>"
}

func (d *declarer) typ(t *message.Type, pos position) string {
	if t == nil {
		return "null"
	}
	s := d.bare(t, pos)
	if t.Null && s != "any" && s != "null" {
		s += " | null"
	}
	return s
}

func (d *declarer) bare(t *message.Type, pos position) string {
	switch t.Name {
	case value.TypeNull:
		return "null"
	case value.TypeBool:
		return "boolean"
	case value.TypeInt, value.TypeFloat, value.TypeNumber:
		return "number"
	case value.TypeText:
		if len(t.Enum) > 0 {
			return union(t.Enum)
		}
		return "string"
	case value.TypeTime:
		if pos == asArg {
			return "string | Date"
		}
		return "string"
	case value.TypeDate:
		if pos == asArg {
			return "string | Date"
		}
		return "string"
	case value.TypeDecimal, value.TypeInterval, value.TypeUUID, value.TypeBytes:
		return "string"
	case value.TypeData, value.TypeJSON:
		return "any"
	case value.TypeList:
		return list(d.typ(t.Args["of"], pos))
	case value.TypeRecord:
		if len(t.Fields) == 0 {
			return "{}"
		}
		var fs []string
		for _, f := range t.Fields {
			opt, doc := "", ""
			if f.Opt && !f.Needed {
				opt = "?"
			}
			if f.Doc != "" {
				doc = line(strings.ReplaceAll(f.Doc, "*/", "* /"))
			}
			if !f.Label.Empty() {
				doc = strings.TrimSpace(tags("", f.Label) + " " + doc)
			}
			if f.Trusted {
				doc = strings.TrimSpace("[trusted] " + doc)
			}
			if doc != "" {
				doc = " /* " + doc + " */"
			}
			fs = append(fs, property(f.Name)+opt+": "+d.typ(f.Type, pos)+doc)
		}
		return "{ " + strings.Join(fs, "; ") + " }"
	case value.TypeSelection, value.TypeKeys:
		return "object"
	}
	i := d.cat[t.Name]
	switch {
	case i == nil:
		return "any"
	case i.Expr:
		of := t.Args["of"]
		if pos == asPlain {
			return d.typ(of, pos)
		}
		s := d.shown[t.Name]
		if of != nil && len(of.Enum) > 0 {
			s += "<" + union(of.Enum) + ">"
		} else if item, _ := d.item(i); item != "" {
			s += "<" + d.typ(t.Args[d.itemOf(i)[0]], asPlain) + ">"
		}
		if of != nil && of.Null {
			s += " | null"
		}
		return s
	case pos == asPlain && slices.Contains(i.Is, value.TypeRow):
		d.plain = true
		return "Plain<" + d.shown[t.Name] + ">"
	case d.closed(t.Name) != nil:
		return d.shown[t.Name]
	}
	var args []string
	for _, p := range d.params(i) {
		if a := t.Args[p]; a != nil {
			args = append(args, d.typ(a, asIs))
		} else {
			args = append(args, "any")
		}
	}
	return d.shown[t.Name] + angle(args)
}

// eachVar calls f for every variable in the terms of a method.
func eachVar(m *message.Method, f func(string)) {
	visit := func(t *message.Term) {
		if t.Var != "" {
			f(t.Var)
		}
	}
	for _, p := range m.Params {
		eachTerm(p.Lambda, visit)
		eachTerm(p.Want, visit)
	}
	eachTerm(m.Result, visit)
}

func eachTerm(t *message.Term, f func(*message.Term)) {
	if t == nil {
		return
	}
	f(t)
	eachTerm(t.Of, f)
	for _, x := range t.Ext {
		eachTerm(x, f)
	}
	for _, n := range sorted(t.Args) {
		eachTerm(t.Args[n], f)
	}
}

func sorted[V any](m map[string]V) []string {
	if len(m) == 0 { // most types and terms have no arguments
		return nil
	}
	names := slices.AppendSeq(make([]string, 0, len(m)), maps.Keys(m))
	slices.Sort(names)
	return names
}

func angle(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return "<" + strings.Join(args, ", ") + ">"
}

// list returns the type of an array whose items have the type in the parameter of. It adds
// parentheses if the brackets would otherwise apply to only a part of that type.
func list(of string) string {
	depth := 0
	for i, r := range of {
		switch r {
		case '{', '<', '(', '[':
			depth++
		case '}', ')', ']':
			depth--
		case '>':
			if i == 0 || of[i-1] != '=' {
				depth--
			}
		case '|', '&':
			if depth == 0 {
				return "(" + of + ")[]"
			}
		}
	}
	return of + "[]"
}

// union writes the values of an enum as a type of TypeScript, like "a" | "b".
func union(values []string) string { return strings.Join(scalar.Each(values, quote), " | ") }

// quote writes a text in JavaScript, with the quotes of JSON.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(b)
}

// paramName returns the name of a parameter: the last word of its description. For "the number of rows" it is rows.
func paramName(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_')
	})
	if len(words) > 0 && identifier(words[len(words)-1]) {
		return words[len(words)-1]
	}
	return "argument"
}

// changing has the text for the model about methods that change something, for each effect.
var changing = map[message.EffectMode]string{
	message.InUnit:    " (changes something)",
	message.Held:      " (happens after the program)",
	message.Immediate: " (happens at once, for good)",
}
