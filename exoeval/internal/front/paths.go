package front

// This file finds the member that was most likely meant, and the links by which a farther member is reached.

import (
	"maps"
	"slices"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/internal/scalar"
)

// PathTo says how a link is reached that something further away has: the shortest
// way from an interface by links.
func PathTo(of message.Catalog, from, shown, name string) string {
	const most = 3 // links, and hundreds of interfaces
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

// Nearest is the name that was most likely meant: one of those given, one that the interface lists, or one that it has.
func Nearest(i *message.Interface, name string, names []string) string {
	if i == nil {
		return scalar.Nearest(name, names)
	}
	for _, names := range [][]string{names, i.Names(), slices.Sorted(maps.Keys(i.Methods))} {
		names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name }) // it is one elsewhere
		if n := scalar.Nearest(name, names); n != "" {
			return n
		}
	}
	return ""
}
