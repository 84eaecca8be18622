package message

// This file finds the type of a result from the terms of a method, the receiver, and the arguments of a call.

import (
	"maps"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// env has the values of the variables in a method's terms, for one call.
type env struct {
	cat        Catalog
	self       *Type
	args       map[string]*Type // the type arguments of the receiver
	vars, keys []binding
	few        [2]binding // the first array of vars, which is enough for most calls
}

type binding struct {
	name string
	typ  *Type
	text string
}

func (c *Checker) bind(op string, recv *Node, m *Method, args []*Node) (*env, error) {
	e := &env{cat: c.Catalog, self: recv.Type, args: recv.Type.Args}
	e.vars = e.few[:0]
	for i, a := range args {
		if i >= len(m.Params) {
			break
		}
		p := &m.Params[i]
		if p.Bind != "" {
			e.vars = append(e.vars, binding{name: p.Bind, typ: a.Type})
		}
		if p.Static {
			if a.Op != OpLit || a.Lit.HoldsSealed() {
				return nil, fail.Errorf(fail.Invalid, op, "%s must be a value of the program, neither an expression nor a sealed value", p.Name)
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

// admitted notes the value to which a parameter's literal was converted.
func (e *env) admitted(p *Param, want *Type, lit value.Value) {
	if p.Bind == "" || !value.IsScalar(want.Name) || want.Name == value.TypeData {
		return
	}
	for i := range e.vars {
		if e.vars[i].name != p.Bind {
			continue
		}
		switch {
		case lit.IsNull():
			e.vars[i].typ = litNull
		case want.Name == value.TypeNumber:
			e.vars[i].typ = literalType(lit, 0)
		default:
			e.vars[i].typ = &Type{Name: want.Name}
		}
	}
}

func (e *env) lookup(name string) *Type {
	for i := range e.vars {
		if e.vars[i].name == name {
			return e.vars[i].typ
		}
	}
	return e.args[name]
}

// resolve returns the type that a term has in this call. It fails if the call breaks a rule of the
// catalogue, such as two tables under one name.
func (e *env) resolve(op string, t *Term) (*Type, error) {
	r, err := e.core(op, t)
	if err != nil || t == nil {
		return r, err
	}
	if t.Bare {
		r = &Type{Name: r.Name, Args: r.Args, Fields: r.Fields, Label: r.Label}
	}
	if t.Null && t.Wide == nil {
		n := *r
		n.Null = true
		r = &n
	}
	return r, nil
}

// core resolves a term without its Bare and, except with Wide, without its Null.
func (e *env) core(op string, t *Term) (*Type, error) {
	switch {
	case t == nil:
		return &Type{Name: value.TypeNull}, nil
	case t.Con != nil:
		return t.Con, nil
	case t.Var == "self":
		return e.self, nil
	case t.Var != "":
		return e.variable(op, t.Var)
	case t.Key != "", t.Name != "":
		return e.named(op, t)
	case t.Ext != nil:
		return e.joined(op, t.Ext)
	case t.Wide != nil:
		return e.wide(op, t)
	case t.App != "":
		return e.applied(op, t)
	}
	return nil, &fail.Error{Op: op, Kind: fail.Internal, Msg: "a Term of this method is empty: set Con, Var or another of its fields"}
}

// variable resolves a variable. After a dot, its name has an argument of the type, or * for the type of a record's only field.
func (e *env) variable(op, of string) (*Type, error) {
	name, rest, _ := strings.Cut(of, ".")
	r := e.lookup(name)
	switch {
	case r == nil, rest == "":
	case rest != "*":
		r = r.Args[rest]
	case r.Name != value.TypeRecord || len(r.Fields) != 1:
		return nil, fail.Errorf(fail.Invalid, op, "%s", e.cat.Say(nil, "one", "works only on one thing, but here there are {has}", "has", r.String()))
	default:
		r = r.Fields[0].Type
	}
	if r == nil {
		return nil, fail.Errorf(fail.Invalid, op, "can't be used here: the type on which this call depends is missing")
	}
	return r, nil
}

// named resolves a record of one field, whose name is in the term or in an argument of the call.
func (e *env) named(op string, t *Term) (*Type, error) {
	of, err := e.resolve(op, t.Of)
	if err != nil {
		return nil, err
	}
	name := t.Name
	if t.Key != "" {
		i := slices.IndexFunc(e.keys, func(k binding) bool { return k.name == t.Key })
		if i < 0 {
			return nil, fail.Errorf(fail.Invalid, op, "needs %s", t.Key)
		}
		name = e.keys[i].text
	} else if of.Name != value.TypeRecord && of.Field(name) != nil { // refused, since x.name would be ambiguous: the whole record, or its field
		return nil, e.taken(op, name)
	}
	return &Type{Name: value.TypeRecord, Fields: []TypeField{{Name: name, Type: of}}}, nil
}

// joined resolves a record with the fields of several terms. No two fields may have the same name.
func (e *env) joined(op string, of []*Term) (*Type, error) {
	var fs []TypeField
	for _, x := range of {
		r, err := e.resolve(op, x)
		if err != nil {
			return nil, err
		}
		for _, f := range r.Fields {
			if slices.ContainsFunc(fs, func(g TypeField) bool { return g.Name == f.Name }) {
				return nil, fail.Errorf(fail.Invalid, op, "%s", e.cat.Say(nil, "clash", "the name {name} is already used here; give the second thing another name", "name", f.Name))
			}
			fs = append(fs, f)
		}
	}
	return &Type{Name: value.TypeRecord, Fields: fs}, nil
}

// applied resolves the type of an interface with its arguments, and with the fields of its own.
func (e *env) applied(op string, t *Term) (*Type, error) {
	r := &Type{Name: t.App}
	if len(t.Args) > 0 {
		r.Args = make(map[string]*Type, len(t.Args))
		for _, k := range slices.Sorted(maps.Keys(t.Args)) { // sorted, so that if several arguments fail, the error is always the same
			x, err := e.resolve(op, t.Args[k])
			if err != nil {
				return nil, err
			}
			r.Args[k] = x
		}
	}
	if t.Own == nil {
		return r, nil
	}
	of, err := e.resolve(op, t.Own)
	if err == nil {
		r.Fields, err = e.ownFields(op, r, of)
	}
	if err != nil {
		return nil, err
	}
	r.Fields = asExpressions(r.Fields, t.To)
	return r, nil
}

// OneField is the field name for a row that is a single value and no record.
const OneField = "value"

// ownFields returns the fields that a type has in addition to those of its interface. None may hide a member or a measure of the interface.
func (e *env) ownFields(op string, in, of *Type) ([]TypeField, error) {
	i := e.cat[in.Name]
	if of.Name != value.TypeRecord { // each row is a single value and no record
		return []TypeField{{Name: OneField, Type: of}}, nil
	}
	for _, f := range of.Fields {
		if m, _ := e.cat.Method(in, f.Name); m != nil || i != nil && i.Fields[f.Name] != nil {
			return nil, e.taken(op, f.Name)
		}
	}
	return of.Fields, nil
}

// asExpressions makes expressions of fields. A field with a plain value becomes an expression, too,
// if to has an interface for its type. All become nullable, since other rows may lack the value.
func asExpressions(fs []TypeField, to map[string]string) []TypeField {
	if len(to) == 0 {
		return fs
	}
	out := slices.Clone(fs)
	for i, f := range fs {
		some := *f.Type
		if name := to[f.Type.Name]; name != "" {
			some = Type{Name: name, Args: map[string]*Type{"of": f.Type}, Label: f.Type.Label}
		}
		if of := some.Args["of"]; of != nil {
			some.Args = maps.Clone(some.Args)
			some.Args["of"] = &Type{Name: of.Name, Args: of.Args, Fields: of.Fields, Label: of.Label, Null: true}
		}
		out[i].Type = &some
	}
	return out
}

// taken returns the error for a field with a name that already has a meaning where the program would read it.
func (e *env) taken(op, name string) error {
	return fail.Errorf(fail.Invalid, op, "%s", e.cat.Say(nil, "taken", "{name} already has a meaning here; choose another name", "name", name))
}

// wide resolves Term.Wide: it finds the expression interface of the narrowest type that fits all terms
// in Wide.
func (e *env) wide(op string, t *Term) (*Type, error) {
	var of *Type
	var label value.Label // the type that results has the labels of all terms in Wide
	null := t.Null
	for _, w := range t.Wide {
		x, err := e.resolve(op, w)
		if err != nil {
			return nil, err
		}
		label = label.Join(x.Label)
		if inner := x.Args["of"]; inner != nil && e.cat[x.Name] != nil && e.cat[x.Name].Expr {
			x = inner
		}
		null = null || x.Null || x.Name == value.TypeNull
		switch {
		case x.Name == value.TypeNull, of != nil && sameScalar(of, x):
		case of == nil:
			of = x
		case scalar.NumberRank(of.Name) > 0 && scalar.NumberRank(x.Name) > 0:
			if scalar.NumberRank(x.Name) > scalar.NumberRank(of.Name) {
				of = x
			}
		default:
			return nil, fail.Errorf(fail.Invalid, op, "mixes %s and %s: give both the same type", of.bare(), x.bare())
		}
	}
	if of == nil {
		return nil, fail.Errorf(fail.Invalid, op, "has only nulls: give at least one other value")
	}
	if t.To == nil {
		return &Type{Name: of.Name, Args: of.Args, Null: null, Label: label}, nil
	}
	if name := t.To[of.Name]; name != "" {
		n := &Type{Name: of.Name, Args: of.Args, Null: null}
		if len(t.Wide) == 1 {
			n.Enum = of.Enum
		}
		return &Type{Name: name, Args: map[string]*Type{"of": n}, Label: label}, nil
	}
	return nil, fail.Errorf(fail.Invalid, op, "can't be used with %s: use another type of value", of.bare())
}

// bare returns the type without null, and without Enum, Min and Max.
func (t *Type) bare() *Type { return &Type{Name: t.Name, Args: t.Args, Fields: t.Fields} }

func sameScalar(a, b *Type) bool {
	return a.Name == b.Name && (a.Name != value.TypeList || slices.Equal(listOf(a), listOf(b)))
}

func listOf(t *Type) []string {
	if of := t.Args["of"]; of != nil {
		return []string{of.Name}
	}
	return nil
}
