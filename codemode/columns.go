package codemode

import (
	"cmp"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// kind is an interface of column expressions as it is declared.
type kind struct {
	*message.Interface
	names []string // the names of the listed members; members with their own syntax in JavaScript are not listed
	lines []member // the listed members, with V for the type of the column's values
	signs []string // the operators and functions of JavaScript that work on the column
}

func (d *declarer) newKind(i *message.Interface) *kind {
	k := &kind{Interface: i}
	signs, hidden := map[*message.Method][]string{}, i.Methods["!="] // != is left out, since in callbacks it means the same as !==
	for n, m := range i.Methods {
		if isSign(n) {
			signs[m] = append(signs[m], n)
		}
	}
	sc := d.columnScope(i, "V")
	for _, n := range i.Names() {
		m := i.Methods[n]
		if m == nil || signs[m] == nil && m != hidden {
			k.names = append(k.names, n)
			k.lines = append(k.lines, d.columnMember(i, n, sc))
			continue
		}
		slices.Sort(signs[m])
		k.signs = append(k.signs, signs[m]...)
	}
	return k
}

// exprs declares the interfaces of column expressions. Members that several of these interfaces
// share are declared once (see sharing): repeated, they would fill half of the declarations.
func (d *declarer) exprs() []declaration {
	var all []*kind
	for _, n := range d.order {
		if i := d.cat[n]; i.Expr {
			all = append(all, d.newKind(i))
		}
	}
	if len(all) == 0 {
		return nil
	}
	d.kinds, d.shared = all, d.sharing(all)
	var out []declaration
	for n, s := range d.shared {
		head := "interface " + s.name + "<V>"
		if n > 0 {
			head += " extends " + parent(d.shared[:n], s.of).name + "<V>"
		}
		out = append(out, declaration{name: s.name, text: packed(head, strings.Join(s.signs, " "), s.lines)})
	}
	for _, k := range all {
		out = append(out, declaration{d.shown[k.Name], d.column(k), k.Name})
	}
	out[0].text = aboutColumns(all) + "\n" + out[0].text
	return out
}

// column declares the members of a kind that no other kind shares.
func (d *declarer) column(k *kind) string {
	item, v := d.item(k.Interface)
	head := "interface " + d.shown[k.Name]
	switch {
	case item != "":
		head += "<" + item + ">"
	case d.enums(k.Interface):
		head, v = head+"<V = "+v+">", "V"
	}
	var lines []member
	sc := d.columnScope(k.Interface, v)
	names, signs := d.ownOf(k)
	for _, n := range names {
		lines = append(lines, d.columnMember(k.Interface, n, sc))
	}
	note := strings.Join(signs, " ")
	if how := notations[d.valueType(k.Interface)]; how != "" {
		note = strings.TrimSpace(how + "; " + note)
		note = strings.TrimSuffix(note, ";")
	}
	head += " extends " + parent(d.shared, []*kind{k}).name + "<" + v + ">"
	return packed(head, note, lines)
}

// ownOf returns the members and operators of a kind that no shared kind has.
func (d *declarer) ownOf(k *kind) (names, signs []string) {
	for n, l := range k.lines {
		if !slices.ContainsFunc(d.shared, func(s sharedKind) bool { return s.has(k) && slices.Contains(s.lines, l) }) {
			names = append(names, k.names[n])
		}
	}
	for _, sign := range k.signs {
		if !slices.ContainsFunc(d.shared, func(s sharedKind) bool { return s.has(k) && slices.Contains(s.signs, sign) }) {
			signs = append(signs, sign)
		}
	}
	return names, signs
}

// notations describe the values of types that JavaScript lacks.
var notations = map[string]string{
	value.TypeDecimal:  "exact, in rows too; text like '12.5' in results",
	value.TypeDate:     "a day, '2024-01-31'",
	value.TypeInterval: "ISO 8601, 'P1DT2H30M'",
	value.TypeBytes:    "base64",
	value.TypeJSON:     "t.x.key and t.x.list[0] reach in; compare with a text, a number, true or false",
}

// aboutColumns explains what the names of operators don't make clear.
func aboutColumns(all []*kind) string {
	s := "// In callbacks a column is an expression without a value. Behind // stands the JavaScript that works on it."
	some := func(sign string) bool {
		return slices.ContainsFunc(all, func(k *kind) bool { return slices.Contains(k.signs, sign) })
	}
	if some("+") && some("??") {
		s += " A null part makes a sum or template null: use ??."
	}
	if some("/") {
		s += " Dividing by 0 gives null."
	}
	return s
}

func (d *declarer) columnMember(i *message.Interface, name string, sc scope) member {
	if f := i.Fields[name]; f != nil {
		return member{name + ": " + d.typ(f.Type, asIs), f.Doc}
	}
	return d.method(i.Methods[name], sc)
}

// isSign reports whether a method's name is an operator of JavaScript, or a function like Math.abs.
func isSign(n string) bool {
	return n != "=" && n != "<>" && n != "!=" && !identifier(n) && !strings.Contains(n, " ")
}

func (d *declarer) columnScope(i *message.Interface, v string) scope {
	sc := scope{vars: map[string]string{"of": v}, of: d.of(i)}
	for _, p := range d.itemOf(i) {
		sc.vars[p] = letter(p, []string{"V"})
	}
	return sc
}

// of returns the plain type of a column's values, without enums and null.
func (d *declarer) of(i *message.Interface) string {
	var ts []string
	for _, t := range d.args[i.Name] {
		if of := t.Args["of"]; of != nil {
			if s := d.bare(&message.Type{Name: of.Name, Args: of.Args}, asPlain); !slices.Contains(ts, s) {
				ts = append(ts, s)
			}
		}
	}
	slices.Sort(ts)
	return cmp.Or(strings.Join(ts, " | "), "any")
}

// valueType returns the name of the type of a column's values, or "" if there are several.
func (d *declarer) valueType(i *message.Interface) string {
	name := ""
	for _, t := range d.args[i.Name] {
		if of := t.Args["of"]; of == nil || name != "" && of.Name != name {
			return ""
		} else {
			name = of.Name
		}
	}
	return name
}

// itemOf returns the type arguments with which columns of this kind are declared, except the type
// of their values. For an array, it returns the type of its items.
func (d *declarer) itemOf(i *message.Interface) []string {
	var out []string
	for _, t := range d.args[i.Name] {
		for _, p := range sorted(t.Args) {
			if p != "of" && !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// item returns the type parameter of a kind, or "" if it has none, and the type of the kind's values.
func (d *declarer) item(i *message.Interface) (param, values string) {
	ps := d.itemOf(i)
	if len(ps) != 1 {
		return "", d.of(i)
	}
	param = letter(ps[0], []string{"V"})
	for _, t := range d.args[i.Name] {
		if of := t.Args["of"]; of == nil || of.Name != value.TypeList {
			return param, d.of(i)
		}
	}
	return param, list(param)
}

func (d *declarer) enums(i *message.Interface) bool {
	return slices.ContainsFunc(d.args[i.Name], func(t *message.Type) bool { return t.Args["of"] != nil && len(t.Args["of"].Enum) > 0 })
}
