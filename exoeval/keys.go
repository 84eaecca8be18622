package exoeval

import (
	"strconv"

	"github.com/dop251/goja"
)

// key is what reading a member stands for that is not declared, where the interface has a
// method for that (exo.Interface.Keys); else nil. A name that means something of texts or arrays, and
// one that JavaScript itself asks for, is no key: what is said of it names the method.
func (x *recorded) key(name string) goja.Value {
	i := x.iface()
	if i == nil || i.Keys == "" || x.r.quiet(name) || x.wayOut(name) != "" {
		return nil
	}
	switch name {
	case "toString", "valueOf", "toLocaleString", "toJSON":
		return nil
	}
	k := x.r.vm.ToValue(name)
	if n, err := strconv.ParseInt(name, 10, 32); err == nil && n >= 0 && strconv.FormatInt(n, 10) == name {
		k = x.r.vm.ToValue(n)
	}
	return x.r.call(x.node, i.Methods[i.Keys], i.Keys, []goja.Value{k})
}
