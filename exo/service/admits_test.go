package service_test

import (
	"context"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/exotest"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
)

type letter struct {
	To   []string `json:"to"`
	Body string   `json:"body"`
	Tiny int8     `json:"tiny,omitempty"`
}

func post(context.Context, letter) (int, error) { return 1, nil }

// recipients is what of a letter decides where it may go.
type recipients struct {
	To   []string `json:"to"`
	Tiny int8     `json:"tiny,omitempty"`
}

func inside(r recipients) value.Label {
	if r.Tiny == 7 {
		panic("seven")
	}
	for _, to := range r.To {
		if !strings.HasSuffix(to, "@inside") {
			return value.Label{}
		}
	}
	return value.NewLabel("salary", "more")
}

// AdmitsFor decides by the fields that it names, and by nothing that is labelled.
func TestAdmitsFor(t *testing.T) {
	salary := value.NewLabel("salary")
	text, secret := value.Text, value.Text("bob@inside").WithLabel(salary)
	to := func(vs ...value.Value) value.Field { return value.Field{Name: "to", Value: value.List(vs...)} }
	body := value.Field{Name: "body", Value: value.Text("it is 12").WithLabel(salary)}
	tiny := func(n int64) value.Field { return value.Field{Name: "tiny", Value: value.Int(n)} }
	for what, c := range map[string]struct {
		arg  value.Value
		sent bool
	}{
		"to bob":                     {value.RecordValue(to(text("bob@inside"), text("al@inside")), body), true},
		"to nobody":                  {value.RecordValue(to(), body), true},
		"to mallory, too":            {value.RecordValue(to(text("bob@inside"), text("mallory@outside")), body), false},
		"to one who is labelled":     {value.RecordValue(to(text("bob@inside"), secret), body), false},
		"to a list that is labelled": {value.RecordValue(value.Field{Name: "to", Value: value.List(text("bob@inside")).WithLabel(salary)}, body), false},
		"as a whole labelled":        {value.RecordValue(to(text("bob@inside")), body).WithLabel(salary), false},
		"with what does not fit":     {value.RecordValue(to(text("bob@inside")), body, tiny(1000)), false},
		"with what it panics on":     {value.RecordValue(to(text("bob@inside")), body, tiny(7)), false},
		"with what fits":             {value.RecordValue(to(text("bob@inside")), body, tiny(8)), true},
		"what is not labelled":       {value.RecordValue(to(text("mallory@outside")), value.Field{Name: "body", Value: text("hello")}), true},
		"another label":              {value.RecordValue(to(text("bob@inside")), value.Field{Name: "body", Value: text("x").WithLabel(value.NewLabel("more"))}), false},
	} {
		s, err := service.New("mail", "", service.AdmitsFor(service.Method("send", "", post).Admits(salary), inside))
		if err != nil {
			t.Fatal(err)
		}
		_, err = exotest.Send(t, s, "send", c.arg)
		if c.sent && err != nil || !c.sent && fail.KindOf(err) != fail.Denied {
			t.Errorf("%s: %v", what, err)
		}
	}
	// Nothing of an argument that is labelled as a whole is known: not that a field was left out.
	left, err := service.New("mail", "", service.AdmitsFor(service.Method("send", "", post).Admits(salary), func(in struct {
		Tiny int8 `json:"tiny,omitempty"`
	}) value.Label {
		return map[bool]value.Label{true: salary}[in.Tiny == 0]
	}))
	if err != nil {
		t.Fatal(err)
	}
	for what, arg := range map[string]value.Value{"as a whole": value.RecordValue(to(), body, tiny(9)).WithLabel(salary), "in a part": value.RecordValue(to(), body, tiny(9))} {
		if _, err := exotest.Send(t, left, "send", arg); fail.KindOf(err) != fail.Denied {
			t.Errorf("labelled %s: %v", what, err)
		}
	}
	if _, err := exotest.Send(t, left, "send", value.RecordValue(to(), body)); err != nil {
		t.Errorf("the twin: %v", err)
	}
	// Without AdmitsFor the method admits the label whoever it is for.
	s, err := service.New("mail", "", service.Method("send", "", post).Admits(salary))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exotest.Send(t, s, "send", value.RecordValue(to(text("mallory@outside")), body)); err != nil {
		t.Errorf("the twin: %v", err)
	}
}

// A part that is none of the argument would decide by nothing, and is refused.
func TestAdmitsForMisdeclared(t *testing.T) {
	m := service.Method("send", "", post)
	for what, c := range map[string]struct {
		op   service.Operation
		want string
	}{
		"a misspelt field": {service.AdmitsFor(m, func(struct{ T []string }) value.Label { return value.Label{} }), "field T"},
		"another type": {service.AdmitsFor(m, func(struct {
			To string `json:"to"`
		}) value.Label {
			return value.Label{}
		}), "field to"},
		"another option": {service.AdmitsFor(m, func(struct {
			To []string `json:"to,omitempty"`
		}) value.Label {
			return value.Label{}
		}), "field to"},
		"no struct":        {service.AdmitsFor(m, func(string) value.Label { return value.Label{} }), "must take a struct"},
		"no fields":        {service.AdmitsFor(m, func(service.None) value.Label { return value.Label{} }), "must take a struct"},
		"no form":          {service.AdmitsFor(m, func(struct{ C chan int }) value.Label { return value.Label{} }), "can't be a value of a program"},
		"nothing to admit": {service.AdmitsFor(m, inside), "there are none: call Admits"},
		"no function":      {service.AdmitsFor[recipients](m, nil), "a nil function"},
	} {
		if _, err := service.New("mail", "", c.op); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
}

// TestTrustedFields: a field that demands trust is not given by who read what outsiders wrote; the others are.
func TestTrustedFields(t *testing.T) {
	stranger := value.NewLabel(value.Untrusted)
	to := value.Field{Name: "to", Value: value.List(value.Text("bob@inside"))}
	body := value.Field{Name: "body", Value: value.Text("hello").WithLabel(stranger)}
	for what, c := range map[string]struct {
		op   service.Operation
		sent bool
	}{
		"what admits nothing":      {service.Method("send", "", post), false},
		"what admits it":           {service.Method("send", "", post).Admits(stranger), true},
		"and demands trust of one": {service.Method("send", "", post).Admits(stranger).Trusted("to"), false},
		"of one that is not given": {service.Method("send", "", post).Admits(stranger).Trusted("tiny"), true},
		"what changes nothing":     {service.Read("send", "", post), true},
		"and demands trust":        {service.Read("send", "", post).Trusted("to"), false},
	} {
		s, err := service.New("mail", "", c.op)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = exotest.Send(t, s, "send", value.RecordValue(to, body)); c.sent && err != nil || !c.sent && fail.KindOf(err) != fail.Denied {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := service.New("mail", "", service.Method("send", "", post).Trusted("too")); err == nil || !strings.Contains(err.Error(), `names the field "too"`) {
		t.Error(err)
	}
	all := service.Method("send", "", post)
	one, two := all.Trusted("to"), all.Trusted("tiny")
	one.Trusted("body")
	for _, op := range []service.Operation{one, two} { // neither has what was said of another
		s, err := service.New("mail", "", op.Admits(stranger))
		if err != nil {
			t.Fatal(err)
		}
		d, err := s.Describe()
		if err != nil || len(d.Interfaces) == 0 {
			t.Fatal(err)
		}
		n := 0
		for _, f := range d.Interfaces[0].Methods["send"].Params[0].Want.Con.Fields {
			if f.Trusted {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d fields", n)
		}
	}
}

// TestAdmitsWhose: a method that admits what some principal may read, for whoever it is called, would send what is one's to another.
func TestAdmitsWhose(t *testing.T) {
	chosen := func(recipients) value.Label { return value.NewLabel("pii@member:42") }
	for _, c := range []struct {
		admits string
		chosen bool
		ok     bool
	}{{"pii@member", false, false}, {"pii@member", true, true}, {"pii", false, true}, {"pii@member:42", false, true}, {"untrusted:mail@x", false, true}} {
		op := service.Method("send", "", post).Admits(value.NewLabel(c.admits))
		if c.chosen {
			op = service.AdmitsFor(op, chosen)
		}
		s, err := service.New("mail", "", op)
		if (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), "add AdmitsFor") {
			t.Errorf("%s, chosen %t: %v", c.admits, c.chosen, err)
		}
		if err == nil && s.Chooses("send") != c.chosen {
			t.Errorf("%s: chosen %t", c.admits, !c.chosen)
		}
	}
}

// TestAdmitsTwice: a method that admits two readers, one by one, has both as its recipients, and takes what each of them may read. The twin is a
// method that admits one.
func TestAdmitsTwice(t *testing.T) {
	text := func(tags ...string) value.Value {
		return value.RecordValue(value.Field{Name: "to", Value: value.List()}, value.Field{Name: "body", Value: value.Text("x").WithLabel(value.NewLabel(tags...))})
	}
	one, two := value.NewLabel("pii@member:1"), value.NewLabel("pii@member:2")
	for _, c := range []struct {
		of   string
		more bool
		sent bool
	}{{"pii@member:1|2", true, true}, {"pii@member:1|2", false, true}, {"pii@member:1", false, true}, {"pii@member:1", true, false}, {"pii@member:2", true, false}, {"pii@member:3", true, false}, {"pii@member", true, false}} {
		op := service.Method("send", "", post).Admits(one)
		if c.more {
			op = op.Admits(two)
		}
		s, err := service.New("mail", "", op)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := exotest.Send(t, s, "send", text(c.of)); (err == nil) != c.sent {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
