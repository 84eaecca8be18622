package exo

import (
	"context"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/wire"
)

// letters is an object of one method, whose result is of type t, and that takes param.
func letters(t *Type, param *Type) *fake {
	m := &Method{Name: "read", Sends: true, Result: &Term{Con: t}}
	if param != nil {
		m.Params = []Param{{Name: "the argument", Want: &Term{Con: param}}}
	}
	return &fake{desc: Description{Type: con("Letters").Con, Interfaces: []*Interface{iface("Letters", nil, false, m)}}}
}

// TestTypeLabels: a label is declared of a field of what a method gives; where nobody would go by it, it is refused.
func TestTypeLabels(t *testing.T) {
	text := &Type{Name: TypeText}
	field := func(l Label) *Type {
		return &Type{Name: TypeList, Args: map[string]*Type{"of": {Name: TypeRecord, Fields: []TypeField{{Name: "by", Type: text, Label: l}, {Name: "at", Type: text}}}}}
	}
	pii := NewLabel("pii")
	admitting := &Type{Name: TypeRecord, Fields: []TypeField{{Name: "by", Type: text, Admits: pii}}}
	for want, o := range map[string]*fake{
		"": letters(field(pii), field(Label{})),
		"Letters.read: type text is labelled {pii}, which the checker alone does":        letters(&Type{Name: TypeText, Label: pii}, nil),
		"Letters.read: type record is labelled {pii}":                                    letters(&Type{Name: TypeList, Args: map[string]*Type{"of": {Name: TypeRecord, Label: pii}}}, nil),
		"Letters.read: by of an argument admits {pii}, and the method keeps nothing":     letters(text, admitting),
		"Letters.read: by of its result admits {pii}: only what it takes can":            letters(admitting, nil),
		"Letters.read: type text is labelled {pii}, which the checker alone does: label": letters(text, &Type{Name: TypeText, Label: pii}),
	} {
		_, err := NewGate(Config{Grants: map[string]Object{"letters": o}, Record: Unrecorded})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	o := iface("Letters", nil, false)
	o.Fields["x"] = &Property{Type: &Type{Name: TypeText, Label: pii}}
	if err := o.validate(); err == nil || !strings.Contains(err.Error(), "Letters.x: type text is labelled") {
		t.Error(err)
	}
}

// TestTypeLabelsHold: what is labelled in a reply is sealed, its tags of integrity are the run's, and Flows names the method.
func TestTypeLabelsHold(t *testing.T) {
	record := func(tags ...string) *Type {
		t := &Type{Name: TypeRecord}
		for _, tag := range tags {
			t.Fields = append(t.Fields, TypeField{Name: tag, Type: &Type{Name: TypeText}, Label: NewLabel(tag)})
		}
		return t
	}
	for tags, want := range map[string]string{"pii": `{"pii":"[sealed pii]"} {}`, Untrusted: `{"untrusted":"x"} {untrusted}`,
		"pii untrusted": `{"pii":"[sealed pii]","untrusted":"x"} {untrusted}`} {
		tags := strings.Fields(tags)
		o := letters(record(tags...), nil)
		o.eval = func(context.Context, *Message) (Value, error) {
			var fs []Field
			for _, tag := range tags {
				fs = append(fs, Field{tag, Text("x")})
			}
			return RecordValue(fs...), nil
		}
		w := newWorld(t, Config{Grants: map[string]Object{"letters": o}})
		if f := w.gate.Flows(); len(f) != len(tags) || f[0].Tag != tags[0] || strings.Join(f[0].From, " ") != "Letters.read" {
			t.Errorf("flows: %+v", f)
		}
		v, err := w.send(msg(ref(0), call(0, "read")))
		text, _ := v.AppendJSON(nil)
		if got := string(text) + " " + w.s.Label().String(); err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", tags, got, err, want)
		}
	} // As a catalogue comes to a worker.
	granted := []GrantedName{{Name: "letters", Type: con("Letters").Con}}
	d := Decoder{Reader: wire.NewReader(string(crossed(granted, Catalog{"Letters": letters(record("pii", Untrusted), nil).desc.Interfaces[0]}))), Values: 1000}
	_, c := ReadGrants(&d)
	if d.Err() != nil || c["Letters"].Methods["read"].Shows().String() != "{pii,untrusted}" {
		t.Error(d.Err(), c["Letters"])
	}
}
