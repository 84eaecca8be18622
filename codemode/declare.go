package codemode

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// declarations has all declarations, in the order in which the model reads them.
type declarations struct {
	helpers, columns, shared, own []declaration // shared: declarations for several tables
	api                           []member      // the granted names
}

// declaration is the text that declares one name.
type declaration struct {
	name, text string
	of         string // the name in the catalogue; "" if there is none
}

// String returns the text of all declarations.
func (d *declarations) String() string {
	var b strings.Builder
	for _, x := range slices.Concat(d.helpers, d.columns, d.shared, d.own) {
		b.WriteString(x.text + "\n")
	}
	return b.String() + block("declare const api:", d.api) + ";\n"
}

// declare writes TypeScript declarations of everything that a program can reach from its grants. It
// reads only the catalogue, which the gate also uses for its checks, so the two can't disagree.
func (d *declarer) declare() *declarations {
	out := &declarations{columns: d.exprs()}
	inline := map[string]bool{}
	for _, name := range d.order {
		if i := d.cat[name]; memberless(i) {
			if of := d.standIns(i); len(of) == 1 {
				d.shown[name], inline[name] = of[0], true
			}
		}
	}
	for _, name := range d.order {
		i := d.cat[name]
		switch {
		case i.Expr, inline[name]:
		case memberless(i):
			out.shared = append(out.shared, declaration{d.shown[name], d.empty(i), name})
		case len(d.params(i)) > 0 && d.closed(name) == nil:
			out.shared = append(out.shared, declaration{d.shown[name], d.iface(i), name})
		default:
			out.own = append(out.own, declaration{d.shown[name], d.iface(i), name})
		}
	}
	for _, g := range d.granted {
		doc := g.Doc
		if i := d.cat[g.Type.Name]; i != nil {
			if i.Doc == doc {
				doc = "" // left out, since the interface has the same doc
			}
			doc = strings.TrimSpace(tags("", i.Label) + " " + doc)
		}
		out.api = append(out.api, member{g.Name + ": " + d.typ(g.Type, asIs), doc})
	}
	out.helpers = d.helpers() // last, since the other declarations decide which helpers are needed
	return out
}

// docOf returns the doc of an interface, and the label that a program gets from any call of it.
func docOf(i *message.Interface) string {
	if i.Label.Empty() {
		return i.Doc
	}
	return tags("", i.Label) + " " + i.Doc
}

// newDeclarer collects everything that can be declared, and names it.
func newDeclarer(cat message.Catalog, granted []message.GrantedName) *declarer {
	d := &declarer{cat: cat, granted: granted, seen: map[string]bool{}, args: map[string][]*message.Type{}, shown: map[string]string{}, said: map[*message.Method]bool{}, taken: map[string]bool{}, types: map[string]bool{}}
	d.reach(granted)
	d.nameAll()
	return d
}

type declarer struct {
	cat     message.Catalog
	granted []message.GrantedName
	order   []string                   // the interfaces that grants lead to, breadth first
	seen    map[string]bool            // the interfaces that are in order
	args    map[string][]*message.Type // for each interface, the distinct types that refer to it
	shown   map[string]string          // for each interface, its name in the declarations
	taken   map[string]bool            // the names that already have a meaning in the declarations
	types   map[string]bool            // the names of all types that a program can get
	kinds   []*kind                    // the kinds of columns
	shared  []sharedKind               // the members that several kinds of columns share
	said    map[*message.Method]bool   // the methods of rows whose doc is written; their queries don't repeat it
	plain   bool                       // the declarations use the helper type Plain
	filter  bool                       // the declarations use the helper type Filter
	arg     bool                       // the declarations use the helper type Arg
	open    []string                   // the interfaces in order that have type parameters; see like
	at      map[string]int             // for each interface, its index in order
}

// reach collects the interfaces in an order that does not vary.
func (d *declarer) reach(granted []message.GrantedName) {
	for _, g := range granted {
		d.visitType(g.Type)
	}
	for k := 0; k < len(d.order); k++ {
		i := d.cat[d.order[k]]
		for _, n := range i.Is {
			if b := d.cat[n]; b != nil && len(b.Methods)+len(b.Fields) > 0 {
				d.visit(n)
			}
		}
		for _, n := range i.Names() {
			if f := i.Fields[n]; f != nil {
				d.visitType(f.Type)
				continue
			}
			m := i.Methods[n]
			for _, p := range m.Params {
				d.visitTerm(p.Lambda)
				d.visitTerm(p.Want)
			}
			d.visitTerm(m.Result)
		}
	}
}

func (d *declarer) visit(name string) {
	if d.cat[name] != nil && !d.seen[name] {
		d.seen[name] = true
		d.order = append(d.order, name)
	}
}

func (d *declarer) visitType(t *message.Type) {
	if t == nil {
		return
	}
	d.types[t.Name] = true
	for _, n := range sorted(t.Args) {
		d.visitType(t.Args[n])
	}
	for _, f := range t.Fields {
		d.visitType(f.Type)
	}
	d.visit(t.Name)
	if d.cat[t.Name] != nil && len(t.Args) > 0 {
		same := func(x *message.Type) bool { return reflect.DeepEqual(x.Args, t.Args) }
		if !slices.ContainsFunc(d.args[t.Name], same) {
			d.args[t.Name] = append(d.args[t.Name], t)
		}
	}
}

func (d *declarer) visitTerm(t *message.Term) {
	if t == nil {
		return
	}
	d.visitType(t.Con)
	d.visitTerm(t.Of)
	d.visitTerm(t.Own)
	for _, x := range t.Ext {
		d.visitTerm(x)
	}
	for _, n := range sorted(t.Args) {
		d.visitTerm(t.Args[n])
	}
	if t.App != "" {
		d.visit(t.App)
	}
}

var attenuated = scalar.Pattern(`(_[0-9a-f]{8})+$`)

// nameAll gives every interface a name that is unique here and has no other meaning in TypeScript.
// It removes the suffix of a narrowed interface (policy.Only), which a model does not need.
func (d *declarer) nameAll() {
	for _, n := range []string{"Plain", "Column", "Filter", "Arg", "Promise", "Date", "Record", "Function"} {
		d.taken[n] = true
	}
	for _, b := range bySign {
		d.taken[b.name] = true
	}
	for _, name := range d.order {
		base := attenuated().ReplaceAllString(name, "")
		n := base
		for k := 2; d.taken[n]; k++ {
			n = fmt.Sprintf("%s%d", base, k)
		}
		d.taken[n] = true
		d.shown[name] = n
	}
}

// params returns the type parameters of an interface: the variables that its methods use.
func (d *declarer) params(i *message.Interface) []string {
	var ps []string
	for _, n := range i.Names() {
		m := i.Methods[n]
		if m == nil {
			continue
		}
		eachVar(m, func(v string) {
			root, _, _ := strings.Cut(v, ".")
			bound := slices.ContainsFunc(m.Params, func(p message.Param) bool { return p.Bind == root })
			if root != "self" && !bound && !slices.Contains(ps, root) {
				ps = append(ps, root)
			}
		})
	}
	slices.Sort(ps)
	return ps
}

// closed returns the only type that refers to an interface, or nil if there are several. With only
// one, the interface needs no type parameters.
func (d *declarer) closed(name string) *message.Type {
	if a := d.args[name]; len(a) == 1 {
		return a[0]
	}
	return nil
}

// memberless reports whether an interface has no members, so that it is only a name for the types that have its kind.
func memberless(i *message.Interface) bool {
	return !i.Expr && len(i.Order) == 0 && len(i.Methods) == 0 && len(i.Fields) == 0
}

// standIns returns the types that a program may use in place of an interface without members.
func (d *declarer) standIns(i *message.Interface) []string {
	var of []string
	var columns []*kind
	for _, n := range d.order {
		if x := d.cat[n]; slices.Contains(x.Is, i.Name) {
			of = append(of, d.shown[n])
			if x.Expr {
				columns = append(columns, &kind{Interface: x})
			}
		}
	}
	// If a shared kind covers exactly these columns, the union names that kind instead of each column's type.
	for _, s := range d.shared {
		same := func(k *kind) bool {
			return slices.ContainsFunc(columns, func(c *kind) bool { return c.Interface == k.Interface })
		}
		if len(s.of) == len(columns) && !slices.ContainsFunc(s.of, func(k *kind) bool { return !same(k) }) {
			of = slices.DeleteFunc(of, func(n string) bool {
				return slices.ContainsFunc(columns, func(c *kind) bool { return d.shown[c.Name] == n })
			})
			of = append([]string{s.name + "<any>"}, of...)
			break
		}
	}
	return of
}

// empty declares an interface without members as the union of the types that have its kind, if there are any.
func (d *declarer) empty(i *message.Interface) string {
	of := d.standIns(i)
	if len(of) == 0 {
		return "interface " + d.shown[i.Name] + " {}"
	}
	return "type " + d.shown[i.Name] + " = " + strings.Join(of, " | ") + ";"
}

// iface declares an interface: the interfaces that it extends, and its own members.
func (d *declarer) iface(i *message.Interface) string {
	sc := d.scope(i)
	head := "interface " + d.shown[i.Name] + sc.head
	inherited := map[string]bool{}
	for _, n := range i.Is {
		b := d.cat[n]
		if b == nil || len(b.Methods) == 0 || !d.covers(b, i) {
			continue
		}
		args := scalar.Each(d.params(b), func(p string) string { return cmp.Or(sc.vars[p], "any") })
		head += " extends " + d.shown[n] + angle(args)
		for _, m := range b.Names() {
			inherited[m] = true
		}
		break
	}
	var ms []member
	like, alike := d.like(i)
	for _, n := range i.Names() {
		if slices.Contains(alike, n) {
			continue
		}
		if f := i.Fields[n]; f != nil {
			ms = append(ms, member{property(n) + ": " + d.typ(f.Type, asIs), strings.TrimSpace(tags("", f.Label) + " " + f.Doc)})
		} else if !inherited[n] {
			m := d.methodOf(i, n, sc)
			if row := d.row(i, i.Methods[n]); row != "" {
				m.text = strings.TrimSuffix(m.text, d.typ(i.Methods[n].Result.Con, asIs)) + row + " & " + d.typ(i.Methods[n].Result.Con, asIs)
			}
			ms = append(ms, m)
		}
	}
	if slices.Contains(i.Is, value.TypeRow) {
		for _, m := range i.Methods {
			d.said[m] = true
		}
	}
	s := block(head, ms)
	if len(alike) > 0 {
		s += " // and as in " + like + ", for callbacks: " + strings.Join(alike, " ")
	}
	if !trivial(i) || !i.Label.Empty() {
		s = "/** " + line(strings.ReplaceAll(docOf(i), "*/", "* /")) + " */\n" + s
	}
	return s
}

// row returns the name of the row that a link to at most one row means in a callback. It returns "" for any other method.
func (d *declarer) row(i *message.Interface, m *message.Method) string {
	if !slices.Contains(i.Is, value.TypeRow) || m.Truth == "" || m.Result == nil || m.Result.Con == nil || m.Result.Con.Args["row"] == nil {
		return ""
	}
	return d.shown[m.Result.Con.Args["row"].Name]
}

// like finds an interface, declared before i, that has methods with the same names and parameters as i. These methods are
// declared once, although a method may send a call in the earlier interface and describe a part of a callback in i. A
// model understands the difference. names are these methods, at least two. shown is the interface's name, or "" if there is none.
func (d *declarer) like(i *message.Interface) (shown string, names []string) {
	if d.at == nil { // open is searched item by item, since few interfaces have type parameters
		d.at = map[string]int{}
		for k, name := range d.order {
			d.at[name] = k
			if d.closed(name) == nil && len(d.params(d.cat[name])) > 0 {
				d.open = append(d.open, name)
			}
		}
	}
	place, reached := d.at[i.Name]
	for _, name := range d.open {
		other := d.cat[name]
		if reached && d.at[name] >= place {
			return "", nil
		}
		for _, n := range i.Names() {
			m, o := i.Methods[n], other.Methods[n]
			if m != nil && o != nil && m != o && len(m.Params) > 0 && reflect.DeepEqual(m.Params, o.Params) && (o.Sends && !m.Sends || m.Result.Var == "self" && o.Result.Var == "self") {
				names = append(names, n)
			}
		}
		if len(names) > 1 {
			return d.shown[name], names
		}
		names = nil
	}
	return "", nil
}

// covers reports whether i has every method of b with the same form.
func (d *declarer) covers(b, i *message.Interface) bool {
	for n, m := range b.Methods {
		if i.Methods[n] != m && !reflect.DeepEqual(i.Methods[n], m) {
			return false
		}
	}
	return len(b.Fields) == 0
}

// trivial reports whether an interface's doc adds nothing to its name.
func trivial(i *message.Interface) bool {
	name := strings.ToLower(i.Name)
	for _, w := range strings.Fields(strings.ToLower(i.Doc)) {
		switch w {
		case "a", "an", "one", "the", "of", "query", "row":
		default:
			if !strings.HasPrefix(name, w) {
				return false
			}
		}
	}
	return true
}

// helpers declares the types that the declarations use but the catalogue lacks.
func (d *declarer) helpers() []declaration {
	var out []declaration
	add := func(name, text string) { out = append(out, declaration{name: name, text: text}) }
	if d.plain {
		add("Plain", "// Results are plain data: columns become values (dates: ISO strings), links are left out.\n"+
			"type Plain<T> = T extends Column<infer V> ? V : { [K in keyof T as T[K] extends Function ? never : K]: Plain<T[K]> };")
	}
	if d.filter {
		add("Filter", "type Filter<N> = { [column in keyof N[keyof N]]?: unknown }; // each column equals the value, or one of an array; one table only")
	}
	if d.arg {
		add("Arg", "type Arg<V> = V | Column<V>;")
	}
	return out
}
