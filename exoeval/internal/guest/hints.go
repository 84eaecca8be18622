package guest

// This file finds what the program should have written. Package hint has the sentences.

import (
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exoeval/internal/front"
)

// wayOut returns what to do instead of reading a member
// that does not exist; "" if nothing is known.
func (x *Recorded) wayOut(name string) string {
	if row := x.only(); row != nil {
		x = &Recorded{r: x.r, Node: row} // the author means the members of the only row
	}
	i := x.Iface()
	if i == nil || !i.Expr && i.Await == "" && len(i.Words) == 0 {
		return ""
	}
	if s := x.r.OfRows(x.Node, name, x.r.frame().of); s != "" {
		return s
	}
	if i.Await != "" {
		return strings.ReplaceAll(x.ofUnsent(i, name), "….", x.chain()+".")
	}
	on := "." + name
	if _, err := strconv.Atoi(name); err == nil {
		on = ".0"
	}
	if name == "key" || name == "keys" || on == ".0" {
		if s := x.r.KeyNames(x.Node, "keys.are"); s != "" {
			return s
		}
	}
	part := ""
	if x.Node.Op == message.OpField {
		part = x.Node.Name
	}
	s := x.r.Say(x.Node, on, "", "part", part, "it", x.r.Check.Name(x.Node))
	if s != "" && s == x.r.Say(x.Node, ".*", "") { // this phrase fits any name, so prefer a similar name
		if n := front.Nearest(i, name, nil); n != "" {
			return "did you mean `" + n + "`?"
		}
	}
	return s
}

// ofUnsent returns what to do instead of reading a member that an unsent thing lacks; "" if nothing is known.
func (x *Recorded) ofUnsent(i *message.Interface, name string) string {
	if row, table := x.r.RowOf(x.Node); row != nil && row.Fields[name] != nil {
		on := "outside"
		if len(x.r.Frames) > 0 {
			on = "inside"
		}
		for _, on := range []string{on, "outside"} {
			if s := x.r.Say(x.Node, on, "", "name", name, "part", table); s != "" {
				return s
			}
		}
	}
	on := "." + name
	if _, err := strconv.Atoi(name); err == nil {
		on = ".0"
	}
	for _, on := range []string{"in" + on, on} {
		if s := x.r.Say(x.Node, on, "", "part", x.r.Part(x.Node), "it", x.r.Check.Name(x.Node), "links", x.r.Links(x.Node)); s != "" && (on[0] == '.' || x.inside()) {
			return s + x.r.Elsewhere(x.Node, name)
		}
	}
	return front.PathTo(x.r.Check.Catalog, x.Node.Type.Name, x.r.Check.Name(x.Node), name)
}

// better adds what to write instead to the error of a call.
func (r *Guest) better(err error, recv *message.Node, m *message.Method, args []*message.Node) error {
	e := AsError(err)
	if e.Msg == "" {
		return err
	}
	if s := r.given(recv, m, args); s != "" {
		e.Msg += "; " + s
		return err
	}
	e.Msg += r.OfCall(recv, m, args)
	return err
}

// inside reports whether an unsent call begins with a callback's parameter.
func (x *Recorded) inside() bool { return len(x.r.Frames) > 0 && !x.Node.Closed() }
