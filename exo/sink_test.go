package exo

import (
	"slices"
	"strings"
	"testing"
)

// carrier is a mailer that decides by the recipient what a mail may carry.
type carrier struct {
	*fake
	admits func(m *Message) Label
}

func (c *carrier) Admits(m *Message) Label { return c.admits(m) }

func newCarrier(admits func(m *Message) Label) *carrier {
	return &carrier{newMail(), admits}
}

// inside admits the diary to bob and to nobody else.
func inside(m *Message) Label {
	if to, _ := m.Root.Args[0].Lit.Get("to"); to.Kind() == kindText && to.Text() == "bob@inside" {
		return NewLabel("diary", "everything")
	}
	return Label{}
}

func mailTo(to Value, method string) Expr {
	return msg(ref(mailID), lit(RecordValue(Field{"to", to}, Field{"n", Int(1)})), call(0, method, 1))
}

// What leaves is what the method admits, and the object by its arguments, and each policy,
// whichever of them says less.
func TestSinkByArguments(t *testing.T) {
	asked := 0
	counted := func(f func(*Message) Label) func(*Message) Label {
		return func(m *Message) Label { asked++; return f(m) }
	}
	all := func(*Message) Label { return NewLabel("diary", "other", "everything") }
	none := func(*Message) Label { return Label{} }
	panics := func(*Message) Label { panic("secret of the host") }
	bob, mallory := Text("bob@inside"), Text("mallory@outside")
	for what, c := range map[string]struct {
		object, policy, outer func(*Message) Label
		method                string
		to                    Value
		sent                  bool
	}{
		"to bob":                            {inside, nil, nil, "sendDiary", bob, true},
		"to mallory":                        {inside, nil, nil, "sendDiary", mallory, false},
		"by a method that admits nothing":   {inside, nil, nil, "send", bob, false},
		"to a recipient who is labelled":    {inside, nil, nil, "sendDiary", bob.WithLabel(NewLabel("diary")), false},
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
		for _, p := range []func(*Message) Label{c.policy, c.outer} {
			if p != nil {
				o = Wrap(o, Policy{Admits: counted(p)})
			}
		}
		w := newWorld(t, Config{Grants: map[string]Object{"mail": o, "todos": newTodos(), "users": newUsers()}, Admits: NewLabel("diary", "other")})
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
			wantKind(t, what, err, Denied)
			if err != nil && strings.Contains(GuestText(err), "secret") {
				t.Errorf("%s: the guest reads %q", what, GuestText(err))
			}
		}
		if w.s.Panicked() != nil {
			t.Errorf("%s: it ended the run: %v", what, w.s.Panicked())
		}
	}
}

// What a message says is shown to the object without what is labelled, wherever that is.
func TestUnsealed(t *testing.T) {
	red := NewLabel("red")
	var got *Message
	o := newCarrier(func(m *Message) Label { got = m; return NewLabel("red") })
	o.desc.Interfaces[0].Methods["to"] = &Method{Name: "to", Result: v("self"), Params: []Param{{Name: "who", Want: con(TypeText)}, {Name: "name", Want: con(TypeText), Static: true}}}
	o.desc.Interfaces[0].Methods["go"] = &Method{Name: "go", Sends: true, Sink: true, Admits: red, Result: con(TypeInt), Params: []Param{{Name: "data", Want: con(TypeData)}}}
	w := newWorld(t, Config{Grants: map[string]Object{"mail": o}})
	secret := Text("s3cret").WithLabel(red)
	data := RecordValue(Field{"plain", Text("p")}, Field{"list", List(Int(1), secret, RecordValue(Field{"deep", secret}))}, Field{"whole", List(Int(2)).WithLabel(red)})
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
	if strings.Contains(got.Shape, "s3cret") || slices.ContainsFunc(got.Args, func(v Value) bool { return strings.Contains(v.String(), "s3cret") }) {
		t.Errorf("%q %v", got.Shape, got.Args)
	}
}

// The meet of two labels has what both have.
func TestLabelMeet(t *testing.T) {
	ab, bc, c := NewLabel("a", "b"), NewLabel("b", "c"), NewLabel("c")
	for _, x := range []struct{ l, m, want Label }{{ab, bc, NewLabel("b")}, {ab, c, Label{}}, {ab, Label{}, Label{}}, {Label{}, ab, Label{}}, {ab, ab, ab}, {bc, c, c}, {c, bc, c}} {
		if got := x.l.meet(x.m); got.String() != x.want.String() || got.Empty() != x.want.Empty() {
			t.Errorf("%v and %v: %v, want %v", x.l, x.m, got, x.want)
		}
	}
}
