package codemode

import (
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
)

// exprs declares the interfaces of column expressions. What all of them can do
// is said once, in Column; what several can do, once more in Ordered: the
// operators would fill half of the declarations otherwise.
func (d *declarer) exprs() []string {
	var all []*exo.Interface
	for _, n := range d.order {
		if i := d.cat[n]; i.Expr {
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		return nil
	}
	// Who has which line, written with V for the type of the column's values.
	var lines []member
	has := map[member][]*exo.Interface{}
	general := map[*exo.Interface][]member{}
	for _, i := range all {
		general[i] = d.columnMembers(i, "V")
		for _, l := range general[i] {
			if has[l] == nil {
				lines = append(lines, l)
			}
			has[l] = append(has[l], i)
		}
	}
	// The largest group of several, but not all, becomes Ordered.
	var some []*exo.Interface
	for _, l := range lines {
		if g := has[l]; len(g) > 1 && len(g) < len(all) && len(g) > len(some) {
			some = g
		}
	}
	var common, ordered []member
	inOrdered := func(l member) bool { return len(some) > 0 && slices.Equal(has[l], some) }
	for _, l := range lines {
		switch {
		case len(has[l]) == len(all):
			common = append(common, l)
		case inOrdered(l):
			ordered = append(ordered, l)
		}
	}
	out := []string{"// In callbacks a column is an expression without a value. JavaScript works on it: " + strings.Join(signs(all), " "), packed("interface Column<V>", common)}
	if len(ordered) > 0 {
		out = append(out, packed("interface Ordered<V> extends Column<V>", ordered))
	}
	for _, i := range all {
		of := d.of(i)
		head, v := "interface "+d.shown[i.Name], of
		if d.enums(i) {
			head, v = head+"<V = "+of+">", "V"
		}
		base := "Column"
		if slices.Contains(some, i) {
			base = "Ordered"
		}
		head += " extends " + base + "<" + v + ">"
		var ms []member
		own := d.columnMembers(i, v)
		for k, l := range general[i] {
			if len(has[l]) < len(all) && !(base == "Ordered" && inOrdered(l)) {
				ms = append(ms, own[k])
			}
		}
		out = append(out, packed(head, ms))
	}
	return out
}

// columnMembers are the lines of a column interface, without what a program
// writes in JavaScript's own words.
func (d *declarer) columnMembers(i *exo.Interface, v string) []member {
	var ms []member
	for _, n := range i.Names() {
		if f := i.Fields[n]; f != nil {
			ms = append(ms, member{n + ": " + d.typ(f.Type, asIs), f.Doc})
		} else if m := i.Methods[n]; len(sign(i, m)) == 0 {
			ms = append(ms, d.method(m, d.columnScope(i, v)))
		}
	}
	return ms
}

// sign are the names of a method that are no words: JavaScript's operators, and
// functions like Math.abs.
func sign(i *exo.Interface, m *exo.Method) []string {
	var out []string
	for n, x := range i.Methods {
		if x == m && n != "=" && n != "<>" && !identifier.MatchString(n) && !strings.Contains(n, " ") {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// signs are those of all interfaces, in the order in which they are declared.
func signs(all []*exo.Interface) []string {
	var out []string
	for _, i := range all {
		for _, n := range i.Names() {
			if m := i.Methods[n]; m != nil {
				for _, s := range sign(i, m) {
					if !slices.Contains(out, s) {
						out = append(out, s)
					}
				}
			}
		}
	}
	return out
}

func (d *declarer) columnScope(i *exo.Interface, v string) scope {
	return scope{vars: map[string]string{"of": v}, of: d.of(i)}
}

// of is the plain type of a column's values, without enums and null.
func (d *declarer) of(i *exo.Interface) string {
	var ts []string
	for _, t := range d.args[i.Name] {
		if of := t.Args["of"]; of != nil {
			if s := d.bare(&exo.Type{Name: of.Name, Args: of.Args}, asPlain); !slices.Contains(ts, s) {
				ts = append(ts, s)
			}
		}
	}
	slices.Sort(ts)
	return or(strings.Join(ts, " | "), "any")
}

func (d *declarer) enums(i *exo.Interface) bool {
	return slices.ContainsFunc(d.args[i.Name], func(t *exo.Type) bool { return t.Args["of"] != nil && len(t.Args["of"].Enum) > 0 })
}
