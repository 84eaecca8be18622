package exo

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// env holds what the variables of a method's terms stand for at one call.
type env struct {
	self *Type
	args map[string]*Type // the receiver's type arguments
	vars []binding
	keys []binding
}

type binding struct {
	name string
	typ  *Type
	text string
}

func (c *Checker) bind(op string, recv *Node, m *Method, args []*Node) (*env, *Error) {
	e := &env{self: recv.Type, args: recv.Type.Args}
	for i, a := range args {
		if i >= len(m.Params) {
			break
		}
		p := &m.Params[i]
		if p.Bind != "" {
			e.vars = append(e.vars, binding{name: p.Bind, typ: a.Type})
		}
		if p.Static {
			if a.Op != OpLit {
				return nil, Errorf(Invalid, op, "%s must be written as a literal", p.Name)
			}
			if p.Ident {
				if err := checkIdent(op, p.Name, a.Lit.Text()); err != nil {
					return nil, err
				}
			}
			e.keys = append(e.keys, binding{name: p.Name, text: a.Lit.Text()})
		}
	}
	return e, nil
}

func (e *env) lookup(name string) *Type {
	for i := range e.vars {
		if e.vars[i].name == name {
			return e.vars[i].typ
		}
	}
	return e.args[name]
}

// resolve closes a term. It fails where the catalogue's rule is broken by this
// call: two tables under one name, or a rule for one table used on several.
func (e *env) resolve(op string, t *Term) (*Type, *Error) {
	if t != nil && t.Null {
		some := *t
		some.Null = false
		r, err := e.resolve(op, &some)
		if err != nil {
			return nil, err
		}
		n := *r
		n.Null = true
		return &n, nil
	}
	switch {
	case t == nil:
		return &Type{Name: TypeNull}, nil
	case t.Con != nil:
		return t.Con, nil
	case t.Var == "self":
		return e.self, nil
	case t.Var != "":
		name, rest, _ := strings.Cut(t.Var, ".")
		r := e.lookup(name)
		if r != nil && rest == "*" {
			if r.Name != TypeRecord || len(r.Fields) != 1 {
				return nil, Errorf(Invalid, op, "works on a query of one table; this one has %s", r)
			}
			r = r.Fields[0].Type
		} else if r != nil && rest != "" {
			r = r.Args[rest]
		}
		if r == nil {
			return nil, Errorf(Invalid, op, "can't be used here")
		}
		return r, nil
	case t.Key != "":
		of, err := e.resolve(op, t.Of)
		if err != nil {
			return nil, err
		}
		for _, k := range e.keys {
			if k.name == t.Key {
				return &Type{Name: TypeRecord, Fields: []TypeField{{Name: k.text, Type: of}}}, nil
			}
		}
		return nil, Errorf(Invalid, op, "needs %s", t.Key)
	case t.Ext != nil:
		var fs []TypeField
		for _, x := range t.Ext {
			r, err := e.resolve(op, x)
			if err != nil {
				return nil, err
			}
			for _, f := range r.Fields {
				for _, g := range fs {
					if g.Name == f.Name {
						return nil, Errorf(Invalid, op, "%s is already in this query; give the other one a name of its own with .as('%s2')", f.Name, f.Name)
					}
				}
				fs = append(fs, f)
			}
		}
		return &Type{Name: TypeRecord, Fields: fs}, nil
	case t.App != "":
		r := &Type{Name: t.App}
		if len(t.Args) > 0 {
			r.Args = make(map[string]*Type, len(t.Args))
			for k, a := range t.Args {
				x, err := e.resolve(op, a)
				if err != nil {
					return nil, err
				}
				r.Args[k] = x
			}
		}
		return r, nil
	}
	return nil, &Error{Op: op, Kind: Internal, Msg: "empty term in the catalogue"}
}

// accept checks one argument against its parameter and returns it, converted
// where a literal has to become what is wanted.
func (c *Checker) accept(op string, p *Param, want *Type, n *Node) (*Node, *Error) {
	body := n
	if n.Op == OpLambda {
		body = n.Args[0]
	}
	if p.Null && body.Op == OpLit && body.Lit.IsNull() {
		return n, nil
	}
	if p.Many && body.Op == OpList {
		for _, x := range body.Args {
			if got, ok := c.conform(want, x, 0); !ok || got != x {
				return nil, c.mismatch(op, p, want, x)
			}
		}
		if len(body.Args) == 0 {
			return nil, Errorf(Invalid, op, "%s is an empty list", p.Name)
		}
		return n, nil
	}
	got, ok := c.conform(want, body, 0)
	if !ok {
		return nil, c.mismatch(op, p, want, body)
	}
	if p.Count && got.Op == OpLit && got.Lit.Int() < 0 {
		return nil, Errorf(Invalid, op, "%s must not be negative; got %d", p.Name, got.Lit.Int())
	}
	if got == body {
		return n, nil
	}
	if n.Op == OpLambda {
		l := *n
		l.Args = []*Node{got}
		return &l, nil
	}
	return got, nil
}

func (c *Checker) mismatch(op string, p *Param, want *Type, n *Node) *Error {
	got := c.describe(n)
	if want.Name == TypeSelection {
		return Errorf(Invalid, op, "%s must be an object like { title: todo.title }, or one whole table; got %s", p.Name, got)
	}
	w := want.String()
	if i := c.Catalog[want.Name]; i != nil && i.Doc != "" {
		w = i.Doc
	}
	if p.Null && !want.Null {
		w += " or null"
	}
	return Errorf(Invalid, op, "%s must be %s; got %s", p.Name, w, got)
}

func (c *Checker) describe(n *Node) string {
	switch n.Op {
	case OpLit:
		switch n.Lit.Kind() {
		case KindText:
			s := n.Lit.Text()
			if len(s) > 40 {
				s = s[:40] + "…"
			}
			return fmt.Sprintf("the text %q", strings.ToValidUTF8(s, ""))
		case KindNull:
			return "null"
		case KindBool, KindInt, KindFloat, KindTime:
			return "the plain value " + strings.Trim(n.Lit.String(), `"`)
		case KindList:
			return "a list"
		case KindRecord:
			return "an object"
		}
	case OpRecord:
		return "an object"
	case OpList:
		return "a list"
	case OpLambda:
		return "a callback"
	}
	if i := c.Catalog[n.Type.Name]; i != nil && i.Expr {
		return fmt.Sprintf("%s, which is %s", c.show(n), n.Type.Args["of"])
	}
	return c.show(n)
}

// notNull is a wanted type without null: a nullable column is compared with
// values. Where null has a meaning the parameter says so itself.
func notNull(t *Type) *Type {
	of := t.Args["of"]
	if !t.Null && (of == nil || !of.Null) {
		return t
	}
	n := *t
	n.Null = false
	if of != nil {
		n.Args = map[string]*Type{"of": notNull(of)}
	}
	return &n
}

// conform reports whether n can stand where want is wanted; it returns n, or
// the converted literal that takes its place.
func (c *Checker) conform(want *Type, n *Node, depth int) (*Node, bool) {
	if depth > 16 {
		return nil, false
	}
	switch {
	case want.Name == TypeSelection:
		return n, c.selectable(n.Type, depth)
	case n.Op == OpLit:
		if scalar(want.Name) || want.Name == TypeList || want.Name == TypeRecord {
			v, ok := admit(want, n.Lit, 0)
			if !ok {
				return nil, false
			}
			if sameValue(v, n.Lit) {
				return n, true
			}
			l := *n // converted: a copy, since the literal may serve another call too
			l.Lit = v
			return &l, true
		}
		if i := c.Catalog[want.Name]; i != nil && i.Expr && want.Args["of"] != nil {
			// A plain value stands for itself as an expression, but never for a
			// condition: `where(t => t.done === false)` without recording gives false.
			return nil, false
		}
		return nil, false
	case n.Op == OpList && want.Name == TypeList:
		l := *n
		l.Args = slices.Clone(n.Args)
		for i, a := range n.Args {
			x, ok := c.conform(want.Args["of"], a, depth+1)
			if !ok {
				return nil, false
			}
			l.Args[i] = x
		}
		return &l, true
	case scalar(want.Name):
		i := c.Catalog[n.Type.Name]
		return n, i != nil && i.Expr && scalarFits(want, n.Type.Args["of"])
	}
	i := c.Catalog[n.Type.Name]
	return n, i != nil && n.Op != OpLambda && i.is(want.Name) && argsFit(want.Args, n.Type.Args)
}

// argsFit reports whether each type argument that is wanted is there.
func argsFit(want, got map[string]*Type) bool {
	for k, w := range want {
		g := got[k]
		if g == nil || !scalarFits(w, g) || len(w.Fields) != len(g.Fields) || !argsFit(w.Args, g.Args) {
			return false
		}
		for i, f := range w.Fields {
			if f.Name != g.Fields[i].Name || !argsFit(map[string]*Type{"": f.Type}, map[string]*Type{"": g.Fields[i].Type}) {
				return false
			}
		}
	}
	return true
}

func (c *Checker) selectable(t *Type, depth int) bool {
	if depth > 4 {
		return false
	}
	if t.Name == TypeRecord {
		if len(t.Fields) == 0 {
			return false
		}
		for _, f := range t.Fields {
			i := c.Catalog[f.Type.Name]
			if !(scalar(f.Type.Name) && f.Type.Name != TypeData) && !(i != nil && i.Expr) && !c.selectable(f.Type, depth+1) {
				return false
			}
		}
		return true
	}
	i := c.Catalog[t.Name]
	return i != nil && i.is(TypeRow)
}

func scalarFits(want, got *Type) bool {
	if got == nil {
		return false
	}
	if want.Name == TypeNumber {
		return got.Name == TypeInt || got.Name == TypeFloat
	}
	return want.Name == got.Name || want.Name == TypeFloat && got.Name == TypeInt
}

func sameValue(a, b Value) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case KindList, KindRecord:
		return false // may have been converted inside
	}
	return a.bits == b.bits && a.str == b.str
}

// admit checks a plain value against a closed type and converts it: a whole
// float to an integer, ISO text to an instant, decimal text beyond 2^53 to the
// exact integer that it was shown as.
func admit(want *Type, v Value, depth int) (Value, bool) {
	if depth > 64 {
		return v, false
	}
	if v.kind == KindNull {
		return v, want.Null || want.Name == TypeNull || want.Name == TypeData
	}
	switch want.Name {
	case TypeData:
		return v, literalType(v, 0) != nil
	case TypeBool:
		return v, v.kind == KindBool
	case TypeInt, TypeNumber, TypeFloat:
		switch {
		case v.kind == KindInt:
			return v, true
		case v.kind == KindFloat:
			if f := v.Float(); want.Name != TypeFloat && f == float64(int64(f)) && f >= -SafeInteger && f <= SafeInteger {
				return Value{kind: KindInt, bits: uint64(int64(f)), label: v.label}, true
			}
			return v, want.Name != TypeInt
		case v.kind == KindText && want.Name != TypeFloat:
			return exactInteger(v)
		}
	case TypeText:
		if v.kind != KindText {
			return v, false
		}
		return v, len(want.Enum) == 0 || slices.Contains(want.Enum, v.str)
	case TypeTime:
		if v.kind == KindText {
			t, ok := ParseTime(v.str)
			if !ok {
				return v, false
			}
			t2 := Time(t).WithLabel(v.label)
			return t2, t2.kind == KindTime
		}
		return v, v.kind == KindTime
	case TypeList:
		l, ok := v.ref.([]Value)
		if !ok || v.kind != KindList {
			return v, false
		}
		out := make([]Value, len(l))
		for i, x := range l {
			if out[i], ok = admit(want.Args["of"], x, depth+1); !ok {
				return v, false
			}
		}
		return Value{kind: KindList, ref: out, label: v.label}, true
	case TypeRecord:
		if v.kind != KindRecord {
			return v, false
		}
		return admitRecord(want, v, depth)
	}
	return v, false
}

// admitRecord refuses unknown fields: what the host would silently drop, the
// guest believed to have said.
func admitRecord(want *Type, v Value, depth int) (Value, bool) {
	fs := v.ref.([]Field)
	out := make([]Field, 0, len(fs))
	for _, f := range fs {
		if want.Field(f.Name) == nil {
			return v, false
		}
	}
	for _, w := range want.Fields {
		x, ok := v.Get(w.Name)
		if !ok {
			if !w.Opt {
				return v, false
			}
			continue
		}
		if x, ok = admit(w.Type, x, depth+1); !ok {
			return v, false
		}
		out = append(out, Field{w.Name, x})
	}
	return Value{kind: KindRecord, ref: out, label: v.label}, true
}

func exactInteger(v Value) (Value, bool) {
	s := v.str
	if len(s) < 16 || len(s) > 20 {
		return v, false
	}
	var i int64
	if _, err := fmt.Sscanf(s, "%d", &i); err != nil || fmt.Sprint(i) != s || (i <= SafeInteger && i >= -SafeInteger) {
		return v, false
	}
	return Value{kind: KindInt, bits: uint64(i), label: v.label}, true
}

// literalType is the type of a plain value, nil for what is none.
func literalType(v Value, depth int) *Type {
	if depth > 64 {
		return nil
	}
	switch v.kind {
	case KindNull:
		return litNull
	case KindBool:
		return litBool
	case KindInt:
		return litInt
	case KindFloat:
		return litFloat
	case KindText:
		return litText
	case KindTime:
		return litTime
	case KindList:
		for _, x := range v.ref.([]Value) {
			if literalType(x, depth+1) == nil {
				return nil
			}
		}
		return litList
	case KindRecord:
		seen := make(map[string]bool, v.Len())
		for n, x := range v.Fields() {
			if seen[n] || Text(n).kind != KindText || literalType(x, depth+1) == nil {
				return nil
			}
			seen[n] = true
		}
		return litData
	}
	return nil
}

var (
	litNull  = &Type{Name: TypeNull}
	litBool  = &Type{Name: TypeBool}
	litInt   = &Type{Name: TypeInt}
	litFloat = &Type{Name: TypeFloat}
	litText  = &Type{Name: TypeText}
	litTime  = &Type{Name: TypeTime}
	litData  = &Type{Name: TypeData}
	litList  = &Type{Name: TypeList, Args: map[string]*Type{"of": litData}}
)

// checkName refuses names of result fields that JavaScript gives a meaning of
// its own: a row with `then` would be taken for a promise, one with `__proto__`
// would change its own prototype.
func checkName(n string) *Error {
	switch n {
	case "":
		return Errorf(Invalid, "", "a name is empty")
	case "__proto__", "constructor", "prototype", "then", "toJSON":
		return Errorf(Invalid, "", "%q can't be used as a name here", n)
	}
	if len(n) > 100 {
		return Errorf(Invalid, "", "a name is longer than 100 bytes")
	}
	if Text(n).kind != KindText {
		return Errorf(Invalid, "", "a name is not valid text")
	}
	return nil
}

// ReservedName reports whether a name can't be given to anything that a
// program sees. Declarations check it so that a clash is found by the host.
func ReservedName(n string) bool { return checkName(n) != nil || checkIdent("", "", n) != nil }

func checkIdent(op, what, n string) *Error {
	if err := checkName(n); err != nil {
		return Errorf(Invalid, op, "%s: %s", what, err.Msg)
	}
	for i, r := range n {
		if r == '_' || r == '$' || unicode.IsLetter(r) && r < 0x250 || i > 0 && r >= '0' && r <= '9' {
			continue
		}
		return Errorf(Invalid, op, "%s must be a simple name like 'todo2'", what)
	}
	return nil
}

func count(n int, what string) string {
	switch n {
	case 0:
		return "no " + what + "s"
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func join(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return "`" + strings.Join(names, "`, `") + "`"
}

// Name writes an expression as the program would, shortened, for messages.
func (c *Checker) Name(n *Node) string { return c.show(n) }

// show writes an expression as the program would, shortened, for messages.
func (c *Checker) show(n *Node) string { return c.showDepth(n, 0) }

func (c *Checker) showDepth(n *Node, depth int) string {
	if n == nil {
		return ""
	}
	if depth > 3 {
		return "…"
	}
	switch n.Op {
	case OpRef:
		if c.Show != nil {
			return c.Show(n.Ref)
		}
	case OpField:
		if n.Recv.Op == OpParam {
			return n.Name
		}
		if n.Recv.Op == OpField {
			return n.Recv.Name + "." + n.Name
		}
		return c.showDepth(n.Recv, depth+1) + "." + n.Name
	case OpCall:
		return c.showDepth(n.Recv, depth+1) + "." + n.Name + "(" + strings.Repeat("…", min(1, len(n.Args))) + ")"
	case OpLit:
		if s := n.Lit.String(); len(s) > 40 {
			return strings.ToValidUTF8(s[:40], "") + "…"
		}
		return n.Lit.String()
	case OpParam:
		var names []string
		for _, f := range n.Type.Fields {
			names = append(names, f.Name)
		}
		return "({ " + strings.Join(names, ", ") + " })"
	case OpLambda:
		return "a callback"
	case OpRecord:
		return "an object"
	case OpList:
		return "a list"
	}
	return "this"
}

// Example is a callback of the form that argument arg of the method wants, for messages.
func (c *Checker) Example(recv *Node, m *Method, arg int) string { return example(c, recv, m, arg) }

func example(c *Checker, recv *Node, m *Method, arg int) string {
	name := "x"
	if e, err := c.bind("", recv, m, nil); err == nil {
		if t, err := e.resolve("", m.Params[arg].Lambda); err == nil && len(t.Fields) > 0 {
			name = t.Fields[0].Name
		}
	}
	s := fmt.Sprintf("({ %s }) => …", name)
	if w := m.Params[arg].Want; w != nil && w.Con != nil && c.Catalog[w.Con.Name] != nil && c.Catalog[w.Con.Name].Doc != "" {
		s += ", that gives " + c.Catalog[w.Con.Name].Doc
	}
	return s
}
