package policy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/policy"
	"github.com/exoagent/exoagent/exo/value"
)

// What Only leaves out is gone from the object, and from everything that it leads to.
func TestOnly(t *testing.T) {
	users := newUsers()
	w := newWorld(t, map[string]exo.Object{"mail": newMail(), "todos": policy.Only(newTodos(), "select", "execute"), "users": policy.Only(users, "join", "execute", "todos", "user")})
	full := newWorld(t, map[string]exo.Object{"mail": newMail(), "todos": newTodos(), "users": newUsers()})
	link := func(more ...message.WireNode) message.Expr { // users.join(({user}) => user.todos() …)
		x := then(msg(ref(usersID), param(0, "join", 0), fld(1, "user"), call(2, "todos")), more...)
		n := int32(len(x.Nodes))
		return then(x, lam(1, n-1), call(0, "join", n), call(n+1, "execute"))
	}
	for what, c := range map[string]struct {
		x    message.Expr
		kept bool
	}{
		"select":                    {titles(), true},
		"where":                     {then(open8(), call(7, "execute")), false},
		"count":                     {msg(ref(todosID), call(0, "count")), false},
		"remove":                    {msg(ref(todosID), call(0, "remove")), false},
		"count after select":        {titlesCount(), false},
		"link":                      {link(), true},
		"where of a link":           {link(param(3, "where", 0), fld(4, "todo"), fld(5, "done"), lam(4, 6), call(3, "where", 7)), false},
		"limit of a link":           {link(lit(value.Int(1)), call(3, "limit", 4)), false},
		"count of a joined query":   {msg(ref(usersID), param(0, "join", 0), fld(1, "user"), call(2, "todos"), lam(1, 3), call(0, "join", 4), call(5, "count")), false},
		"join of a selected query":  {msg(ref(todosID), ref(todosID), call(0, "join", 1), call(2, "execute")), false},
		"join of a link of a link":  {link(param(3, "join", 0), fld(4, "todo"), call(5, "user"), lam(4, 6), call(3, "join", 7)), true},
		"limit of a link of a link": {link(param(3, "join", 0), fld(4, "todo"), call(5, "user"), lit(value.Int(1)), call(6, "limit", 7), lam(4, 8), call(3, "join", 9)), false},
	} {
		if _, err := w.send(c.x); c.kept && what != "join of a link of a link" {
			wantOK(t, what, err)
		} else if !c.kept {
			wantKind(t, what, err, fail.Denied)
		}
		if _, err := full.send(c.x); err != nil && !strings.Contains(err.Error(), "is already used") {
			// A run that has read the diary may not remove: begin another.
			full.open()
			_, err = full.send(c.x)
			if err != nil && !strings.Contains(err.Error(), "is already used") {
				t.Errorf("%s: the twin, with all methods: %v", what, err)
			}
		}
	}
}

func titlesCount() message.Expr {
	x := titles()
	return message.Expr{Nodes: append(slices.Clone(x.Nodes[:7]), call(6, "count"))}
}

// Both forms can be in one session, and neither borrows from the other.
func TestOnlyBesideFull(t *testing.T) {
	todos := newTodos()
	w := newWorld(t, map[string]exo.Object{"a": policy.Only(todos, "execute"), "b": todos, "c": policy.Only(todos, "count")})
	for id, names := range [][]string{{"execute"}, {"execute", "count"}, {"count"}} {
		for _, n := range []string{"execute", "count"} {
			_, err := w.send(msg(ref(uint32(id)), call(0, n)))
			if slices.Contains(names, n) {
				wantOK(t, n, err)
			} else {
				wantKind(t, n, err, fail.Denied)
			}
		}
	}
	// The full form does not lend its methods by a join.
	_, err := w.send(msg(ref(1), ref(0), txt("x"), call(0, "as", 2), call(1, "join", 3), call(4, "count")))
	wantKind(t, "as of the restricted form", err, fail.Denied)
	_, err = w.send(msg(ref(1), txt("x"), call(0, "as", 1), ref(0), call(2, "join", 3), call(4, "count")))
	wantKind(t, "restricted form in the full one", err, fail.Invalid)
	_, err = w.send(msg(ref(1), txt("x"), call(0, "as", 1), call(2, "join", 0), call(3, "count")))
	wantOK(t, "full form in the full one", err)
}

// An interface leads on: however many steps lie between, the way back to the
// object's own kind leads to the restricted form.
func TestOnlyBySteps(t *testing.T) {
	chain := func() *fake {
		a := iface("A", nil, false, &message.Method{Name: "b", Result: con("B")}, &message.Method{Name: "drop", Sends: true, Result: con(value.TypeInt)}, &message.Method{Name: "read", Sends: true, Result: con(value.TypeInt)})
		b := iface("B", nil, false, &message.Method{Name: "c", Result: con("C")})
		c := iface("C", nil, false, &message.Method{Name: "a", Result: con("A")})
		return &fake{desc: message.Description{Type: &message.Type{Name: "A"}, Interfaces: []*message.Interface{a, b, c}}}
	}
	round := func(id uint32, last string) message.Expr {
		return msg(ref(id), call(0, "b"), call(1, "c"), call(2, "a"), call(3, last))
	}
	w := newWorld(t, map[string]exo.Object{"full": chain(), "some": policy.Only(chain(), "b", "read", "a")})
	for _, last := range []string{"read", "drop"} {
		_, err := w.send(round(0, last))
		wantOK(t, "full "+last, err)
	}
	_, err := w.send(round(1, "read"))
	wantOK(t, "some read", err)
	_, err = w.send(round(1, "drop"))
	wantKind(t, "some drop", err, fail.Denied)

	// A way back that was not named is no way.
	w = newWorld(t, map[string]exo.Object{"some": policy.Only(chain(), "b", "read")})
	_, err = w.send(round(0, "read"))
	wantKind(t, "the way back", err, fail.Denied)
}

// Interfaces that are of one kind with the object are restricted with it; others are not.
func TestOnlyFamily(t *testing.T) {
	folder := func() *fake {
		read := func(name string) *message.Method {
			return &message.Method{Name: name, Sends: true, Result: con(value.TypeInt)}
		}
		return &fake{desc: message.Description{Type: &message.Type{Name: "Folder"}, Interfaces: []*message.Interface{
			iface("Folder", []string{"Entry"}, false, &message.Method{Name: "file", Result: con("File")}, &message.Method{Name: "clock", Result: con("Clock")}, read("size"), read("remove")),
			iface("File", []string{"Entry"}, false, read("size"), read("remove")), iface("Entry", nil, false), iface("Clock", nil, false, read("remove"))}}}
	}
	w := newWorld(t, map[string]exo.Object{"full": folder(), "some": policy.Only(folder(), "file", "clock", "size")})
	for id := range uint32(2) {
		_, err := w.send(msg(ref(id), call(0, "file"), call(1, "size")))
		wantOK(t, "size", err)
		_, err = w.send(msg(ref(id), call(0, "clock"), call(1, "remove")))
		wantOK(t, "another kind", err)
		_, err = w.send(msg(ref(id), call(0, "file"), call(1, "remove")))
		if id == 0 {
			wantOK(t, "remove", err)
		} else {
			wantKind(t, "remove", err, fail.Denied)
		}
	}
}

// Only of Only is the stricter of the two, in either order.
func TestOnlyOfOnly(t *testing.T) {
	w := newWorld(t, map[string]exo.Object{"a": policy.Only(policy.Only(newTodos(), "execute", "count"), "count")})
	_, err := w.send(msg(ref(0), call(0, "count")))
	wantOK(t, "count", err)
	_, err = w.send(msg(ref(0), call(0, "execute")))
	wantKind(t, "execute", err, fail.Denied)
}

// A restriction that restricts nothing because it is misspelt is found at once.
func TestOnlyMisspelt(t *testing.T) {
	for _, c := range []struct {
		o  exo.Object
		ok bool
	}{
		{policy.Only(newTodos(), "where", "exekute"), false}, {policy.Only(newTodos(), "where", "execute"), true}, {policy.Only(newTodos()), true}, {policy.Only(nil), false},
		{policy.Only(policy.Only(newTodos(), "where"), "execute"), false}, {policy.Only(&fake{}, "x"), false},
		{policy.Only(newTodos(), "eq"), false}, // of columns
	} {
		if _, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"a": c.o}}); (err == nil) != c.ok {
			t.Errorf("%v", err)
		}
	}
}
