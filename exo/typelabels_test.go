package exo

import (
	"context"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/message/coding"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/wire"
)

// letters is an object of one method, whose result is of type t, and that takes param.
func letters(t *message.Type, param *message.Type) *fake {
	m := &message.Method{Name: "read", Sends: true, Result: &message.Term{Con: t}}
	if param != nil {
		m.Params = []message.Param{{Name: "the argument", Want: &message.Term{Con: param}}}
	}
	return &fake{desc: message.Description{Type: con("Letters").Con, Interfaces: []*message.Interface{iface("Letters", nil, false, m)}}}
}

// TestTypeLabels: a label is declared of a field of what a method gives; where nobody would go by it, it is refused.
func TestTypeLabels(t *testing.T) {
	text := &message.Type{Name: value.TypeText}
	field := func(l value.Label) *message.Type {
		return &message.Type{Name: value.TypeList, Args: map[string]*message.Type{"of": {Name: value.TypeRecord, Fields: []message.TypeField{{Name: "by", Type: text, Label: l}, {Name: "at", Type: text}}}}}
	}
	pii := value.NewLabel("pii")
	admitting := &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: "by", Type: text, Admits: pii}}}
	for want, o := range map[string]*fake{
		"": letters(field(pii), field(value.Label{})),
		"Letters.read: the type text has the label {pii}, which only exo's checker may set":                letters(&message.Type{Name: value.TypeText, Label: pii}, nil),
		"Letters.read: the type record has the label {pii}":                                                letters(&message.Type{Name: value.TypeList, Args: map[string]*message.Type{"of": {Name: value.TypeRecord, Label: pii}}}, nil),
		"Letters.read: field by of an argument admits {pii}, but the Effect":                               letters(text, admitting),
		"Letters.read: field by of the result admits {pii}: only a field of an argument can":               letters(admitting, nil),
		"Letters.read: the type text has the label {pii}, which only exo's checker may set: label a field": letters(text, &message.Type{Name: value.TypeText, Label: pii}),
	} {
		_, err := NewGate(Config{Grants: map[string]Object{"letters": o}, Record: Unrecorded})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	o := iface("Letters", nil, false)
	o.Fields["x"] = &message.Property{Type: &message.Type{Name: value.TypeText, Label: pii}}
	if err := o.Validate(); err == nil || !strings.Contains(err.Error(), "Letters.x: the type text has the label") {
		t.Error(err)
	}
}

// TestTypeLabelsHold: what is labelled in a reply is sealed, its tags of integrity are the run's, and Flows names the method.
func TestTypeLabelsHold(t *testing.T) {
	record := func(tags ...string) *message.Type {
		t := &message.Type{Name: value.TypeRecord}
		for _, tag := range tags {
			t.Fields = append(t.Fields, message.TypeField{Name: tag, Type: &message.Type{Name: value.TypeText}, Label: value.NewLabel(tag)})
		}
		return t
	}
	for tags, want := range map[string]string{"pii": `{"pii":"[sealed pii]"} {}`, value.Untrusted: `{"untrusted":"x"} {untrusted}`,
		"pii untrusted": `{"pii":"[sealed pii]","untrusted":"x"} {untrusted}`} {
		tags := strings.Fields(tags)
		o := letters(record(tags...), nil)
		o.eval = func(context.Context, *Message) (value.Value, error) {
			var fs []value.Field
			for _, tag := range tags {
				fs = append(fs, value.Field{Name: tag, Value: value.Text("x")})
			}
			return value.RecordValue(fs...), nil
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
	granted := []message.GrantedName{{Name: "letters", Type: con("Letters").Con}}
	d := value.Decoder{Reader: wire.NewReader(string(crossed(granted, message.Catalog{"Letters": letters(record("pii", value.Untrusted), nil).desc.Interfaces[0]}))), Values: 1000}
	_, c := coding.ReadGrants(&d)
	if d.Err() != nil || c["Letters"].Methods["read"].Shows().String() != "{pii,untrusted}" {
		t.Error(d.Err(), c["Letters"])
	}
}
