package exo

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"slices"
	"strings"
	"testing"
)

// carrier is a mailer that decides by the recipient what a mail may carry.
type carrier struct {
	*fake
	admits func(m *Message) value.Label
}

func (c *carrier) Admits(m *Message) value.Label { return c.admits(m) }

func newCarrier(admits func(m *Message) value.Label) *carrier {
	return &carrier{newMail(), admits}
}

// inside admits the diary to bob and to nobody else.
func inside(m *Message) value.Label {
	if to, _ := m.Root.Args[0].Lit.Get("to"); to.Kind() == value.KindText && to.Text() == "bob@inside" {
		return value.NewLabel("diary", "everything")
	}
	return value.Label{}
}

func mailTo(to value.Value, method string) message.Expr {
	return msg(ref(mailID), lit(value.RecordValue(value.Field{Name: "to", Value: to}, value.Field{Name: "n", Value: value.Int(1)})), call(0, method, 1))
}

// What leaves is what the method admits, and the object by its arguments, and each policy,
// whichever of them says less.
func TestSinkByArguments(t *testing.T) {
	asked := 0
	counted := func(f func(*Message) value.Label) func(*Message) value.Label {
		return func(m *Message) value.Label { asked++; return f(m) }
	}
	all := func(*Message) value.Label { return value.NewLabel("diary", "other", "everything") }
	none := func(*Message) value.Label { return value.Label{} }
	panics := func(*Message) value.Label { panic("secret of the host") }
	bob, mallory := value.Text("bob@inside"), value.Text("mallory@outside")
	for what, c := range map[string]struct {
		object, policy, outer func(*Message) value.Label
		method                string
		to                    value.Value
		sent                  bool
	}{
		"to bob":                            {inside, nil, nil, "sendDiary", bob, true},
		"to mallory":                        {inside, nil, nil, "sendDiary", mallory, false},
		"by a method that admits nothing":   {inside, nil, nil, "send", bob, false},
		"to a recipient who is labelled":    {inside, nil, nil, "sendDiary", bob.WithLabel(value.NewLabel("diary")), false},
		"to one in a policy":                {nil, inside, nil, "sendDiary", bob, true},
		"to another one in a policy":        {nil, inside, nil, "sendDiary", mallory, false},
		"an object says no, a policy yes":   {none, all, nil, "sendDiary", bob, false},
		"an object says yes, a policy no":   {all, none, nil, "sendDiary", bob, false},
		"the outer policy says no":          {all, all, none, "sendDiary", bob, false},
		"all say yes":                       {all, inside, all, "sendDiary", bob, true},
		"wrapped twice, and neither bob":    {all, inside, inside, "sendDiary", mallory, false},
		"an object that panics":             {panics, all, nil, "sendDiary", bob, false},
		"a policy that panics":              {all, panics, nil, "sendDiary", bob, false},
		"an outer one after a panic":        {panics, all, all, "sendDiary", bob, false},
		"an object without, for comparison": {nil, nil, nil, "sendDiary", mallory, true},
	} {
		var o Object = newMail()
		if c.object != nil {
			o = newCarrier(counted(c.object))
		}
		for _, p := range []func(*Message) value.Label{c.policy, c.outer} {
			if p != nil {
				o = Wrap(o, Policy{Admits: counted(p)})
			}
		}
		w := newWorld(t, Config{Grants: map[string]Object{"mail": o, "todos": newTodos(), "users": newUsers()}, Admits: value.NewLabel("diary", "other")})
		asked = 0
		_, err := w.send(mailTo(mallory, "send"))
		wantOK(t, what+", before anything was read", err)
		_, err = w.send(msg(ref(mailID), call(0, "peek")))
		wantOK(t, what+", no sink", err)
		if asked != 0 {
			t.Errorf("%s: asked %d times, with nothing to admit", what, asked)
		}
		_, err = w.send(diaries())
		wantOK(t, what+", the diary", err)
		if _, err = w.send(mailTo(c.to, c.method)); c.sent {
			wantOK(t, what, err)
		} else {
			wantKind(t, what, err, fail.Denied)
			if err != nil && strings.Contains(fail.GuestText(err), "secret") {
				t.Errorf("%s: the guest reads %q", what, fail.GuestText(err))
			}
		}
		if w.s.Panicked() != nil {
			t.Errorf("%s: it ended the run: %v", what, w.s.Panicked())
		}
	}
}

// What a message says is shown to the object without what is labelled, wherever that is.
func TestUnsealed(t *testing.T) {
	red := value.NewLabel("red")
	var got *Message
	o := newCarrier(func(m *Message) value.Label { got = m; return value.NewLabel("red") })
	o.desc.Interfaces[0].Methods["to"] = &message.Method{Name: "to", Result: v("self"), Params: []message.Param{{Name: "who", Want: con(value.TypeText)}, {Name: "name", Want: con(value.TypeText), Static: true}}}
	o.desc.Interfaces[0].Methods["go"] = &message.Method{Name: "go", Sends: true, Sink: true, Admits: red, Result: con(value.TypeInt), Params: []message.Param{{Name: "data", Want: con(value.TypeData)}}}
	w := newWorld(t, Config{Grants: map[string]Object{"mail": o}})
	secret := value.Text("s3cret").WithLabel(red)
	data := value.RecordValue(value.Field{Name: "plain", Value: value.Text("p")}, value.Field{Name: "list", Value: value.List(value.Int(1), secret, value.RecordValue(value.Field{Name: "deep", Value: secret}))}, value.Field{Name: "whole", Value: value.List(value.Int(2)).WithLabel(red)})
	_, err := w.send(msg(ref(0), lit(secret), lit(secret), call(0, "to", 1, 2), lit(data), call(3, "go", 4)))
	wantOK(t, "go", err)
	if got == nil {
		t.Fatal("nobody was asked")
	}
	arg := got.Root.Args[0].Lit
	plain, _ := arg.Get("plain")
	list, _ := arg.Get("list")
	whole, _ := arg.Get("whole")
	deep, _ := list.At(2).Get("deep")
	if plain.Text() != "p" || list.At(0).Int() != 1 || !list.At(1).IsZero() || !deep.IsZero() || !whole.IsZero() {
		t.Errorf("the argument is shown as %v", arg)
	}
	for _, a := range got.Root.Recv.Args {
		if !a.Lit.IsZero() {
			t.Errorf("an earlier call shows %v", a.Lit)
		}
	}
	if strings.Contains(got.Shape, "s3cret") || slices.ContainsFunc(got.Args, func(v value.Value) bool { return strings.Contains(v.String(), "s3cret") }) {
		t.Errorf("%q %v", got.Shape, got.Args)
	}
}

// The meet of two labels has what both have.
func TestLabelMeet(t *testing.T) {
	ab, bc, c := value.NewLabel("a", "b"), value.NewLabel("b", "c"), value.NewLabel("c")
	for _, x := range []struct{ l, m, want value.Label }{{ab, bc, value.NewLabel("b")}, {ab, c, value.Label{}}, {ab, value.Label{}, value.Label{}}, {value.Label{}, ab, value.Label{}}, {ab, ab, ab}, {bc, c, c}, {c, bc, c}} {
		if got := x.l.Meet(x.m); got.String() != x.want.String() || got.Empty() != x.want.Empty() {
			t.Errorf("%v and %v: %v, want %v", x.l, x.m, got, x.want)
		}
	}
}
