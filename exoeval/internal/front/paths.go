package front

// This file finds the member that the author most likely meant, and the links that lead to it.

import (
	"maps"
	"slices"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/internal/scalar"
)

// PathTo returns advice with the shortest way by links from an interface to one that has the named
// member, like "write todo.user().name()". It returns "" if it finds no way.
func PathTo(of message.Catalog, from, shown, name string) string {
	const most = 3 // bounds the links of a way, because longer ways would lead through hundreds of interfaces
	type step struct {
		name, path string
		links      int
	}
	seen := map[string]bool{from: true}
	for todo := []step{{from, shown, 0}}; len(todo) > 0 && len(seen) < 500; todo = todo[1:] {
		at := todo[0]
		i := of[at.name]
		if i == nil || at.links > most {
			continue
		}
		for _, n := range i.Names() {
			m := i.Methods[n]
			if m == nil || m.Sends || len(m.Params) > 0 || m.Result == nil || m.Result.Con == nil {
				continue
			}
			path := at.path + "." + n + "()"
			if to := m.Result.Con.Name; n == name {
				return "write " + path
			} else if i := of[to]; !seen[to] && i != nil && !i.Expr {
				seen[to] = true
				todo = append(todo, step{to, path, at.links + 1})
			}
		}
	}
	return ""
}

// Nearest returns the known name that is most similar to name: from names, then the interface's listed names, then its other methods. It returns ""
// if no name is similar.
func Nearest(i *message.Interface, name string, names []string) string {
	if i == nil {
		return scalar.Nearest(name, names)
	}
	for _, names := range [][]string{names, i.Names(), slices.Sorted(maps.Keys(i.Methods))} {
		names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name }) // the misspelt name itself may exist on another interface
		if n := scalar.Nearest(name, names); n != "" {
			return n
		}
	}
	return ""
}
