package names

import (
	"strings"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// typeOf returns the type of a term of the catalogue, or nil if it is unknown. It replaces each variable by its type in env.
func typeOf(t *message.Term, env map[string]*message.Type) *message.Type {
	switch {
	case t == nil:
		return nil
	case t.Con != nil:
		return t.Con
	case t.Var != "":
		base, path, _ := strings.Cut(t.Var, ".")
		v := env[base]
		switch {
		case v == nil || path == "":
			return v
		case path == "*":
			return row(v)
		}
		return v.Args[path]
	case len(t.Ext) > 0:
		all := &message.Type{Name: value.TypeRecord}
		for _, e := range t.Ext {
			if x := typeOf(e, env); x != nil {
				all.Fields = append(all.Fields, x.Fields...)
			}
		}
		return all
	case t.App != "":
		out := &message.Type{Name: t.App, Args: map[string]*message.Type{}}
		for k, a := range t.Args {
			out.Args[k] = typeOf(a, env)
		}
		return out
	}
	return nil
}

// Starts returns up to three simple programs for the grants.
func (n *Names) Starts() []string {
	var out []string
	add := func(s string) {
		if len(out) < 3 {
			out = append(out, s)
		}
	}
	for _, g := range n.Granted {
		in := n.Catalog[g.Type.Name]
		if in.Await != "" {
			add("api." + g.Name)
		}
		for _, name := range in.Names() {
			if m := in.Methods[name]; m != nil && name != in.Await && len(m.Params) == 0 && m.Effect == message.NoEffect {
				if t := typeOf(m.Result, map[string]*message.Type{"self": g.Type}); m.Sends || t != nil && n.Catalog[t.Name] != nil && !n.Catalog[t.Name].Expr && t.Name != g.Type.Name {
					add("api." + g.Name + "." + name + "()")
				}
			}
		}
	}
	return out
}
