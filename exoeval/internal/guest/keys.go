package guest

// This file has the members of a group's key.

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval/internal/front"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
	"github.com/exoagent/exoagent/internal/scalar"
)

// keyCalled returns the error for calling an undeclared member that was read as a key. It returns nil if x is no key.
func (x *Recorded) keyCalled() error {
	n := x.Node
	if n.Op != message.OpCall || len(n.Args) != 1 || n.Args[0].Op != message.OpLit || n.Args[0].Lit.Type() != value.TypeText {
		return nil
	}
	i := x.r.Check.Catalog[n.Recv.Type.Name]
	if i == nil || i.Keys != n.Name {
		return nil
	}
	name, what := n.Args[0].Lit.Text(), x.r.Check.Name(n.Recv)
	out := x.r.Say(n.Recv, name+"()", "")
	if near := front.Nearest(i, name, nil); out == "" && near != "" {
		out = "did you mean `" + near + "`?"
	}
	out = cmp.Or(out, "it has `"+strings.Join(i.Names(), "`, `")+"`")
	return fail.Errorf(fail.Denied, "", "%s has no method `%s`, and a key can't be called; %s", what, scalar.Shorten(name, 60), out)
}

// key reads an undeclared member as a key, if the interface has a method for that (message.Interface.Keys), else it returns nil. Members of
// texts and arrays are no keys, nor are names that JavaScript reads by itself. The error for such a name shows the method to call instead.
func (x *Recorded) key(name string) goja.Value {
	i := x.Iface()
	if i == nil || i.Keys == "" || realm.Quiet(name) || x.wayOut(name) != "" {
		return nil
	}
	switch name {
	case "toString", "valueOf", "toLocaleString", "toJSON":
		return nil
	}
	k := x.r.VM.ToValue(name)
	if n, err := strconv.ParseInt(name, 10, 32); err == nil && n >= 0 && strconv.FormatInt(n, 10) == name {
		k = x.r.VM.ToValue(n)
	}
	return x.r.call(x.Node, i.Methods[i.Keys], i.Keys, []goja.Value{k})
}
