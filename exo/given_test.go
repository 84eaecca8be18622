package exo

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"testing"
)

// ledger is a shop with a method that writes fields, and one that shows a secret of one.
type ledger struct{ *shop }

func (l ledger) Describe() (message.Description, error) {
	text := &message.Type{Name: value.TypeText, Null: true}
	values := &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: "mail", Type: text, Opt: true, Admits: value.NewLabel("pii")}, {Name: "both", Type: text, Opt: true, Admits: value.NewLabel("pii", "pay")},
		{Name: "name", Type: text, Opt: true}, {Name: "boss", Type: text, Opt: true, Label: value.NewLabel("pay")}}}
	i := iface("Ledger", nil, false,
		&message.Method{Name: "write", Sends: true, Effect: message.InUnit, Params: []message.Param{{Name: "the values", Want: &message.Term{Con: values}}}, Result: con(value.TypeInt)},
		&message.Method{Name: "pii", Sends: true, Reply: value.NewLabel("pii"), Result: con(value.TypeInt)},
		&message.Method{Name: "pay", Sends: true, Reply: value.NewLabel("pay"), Result: con(value.TypeInt)})
	return message.Description{Type: &message.Type{Name: "Ledger"}, Interfaces: []*message.Interface{i}}, nil
}

// written is what becomes of a write of these fields by a run that has read something, and the run's label.
func written(t *testing.T, read string, fields ...string) (label string, err error) {
	t.Helper()
	w := newWorld(t, Config{Grants: map[string]Object{"ledger": ledger{&shop{name: "a"}}}, Admits: value.NewLabel("pii", "pay")})
	if read != "" {
		_, err := w.send(msg(ref(0), call(0, read)))
		wantOK(t, read, err)
	}
	var fs []value.Field
	for _, f := range fields {
		fs = append(fs, value.Field{Name: f, Value: value.Text("x")})
	}
	_, err = w.send(msg(ref(0), lit(value.RecordValue(fs...)), call(0, "write", 1)))
	return w.s.Label().String(), err
}

// TestWriteAdmits: what a run has read may be written to fields that admit it, and to none beside.
func TestWriteAdmits(t *testing.T) {
	for _, c := range []struct {
		read   string
		fields []string
		ok     bool
	}{
		{"", []string{"name", "mail"}, true}, {"pii", []string{"mail"}, true}, {"pii", []string{"both"}, true}, {"pii", []string{"mail", "both"}, true}, {"pii", []string{"name"}, false},
		{"pii", []string{"mail", "name"}, false}, {"pii", []string{"name", "both"}, false}, {"pii", nil, false}, {"pay", []string{"mail"}, false}, {"pay", []string{"both"}, true}, {"pay", []string{"both", "mail"}, false},
	} {
		_, err := written(t, c.read, c.fields...)
		if c.ok {
			wantOK(t, c.read, err)
		} else {
			wantKind(t, c.read, err, fail.Denied)
		}
	}
}

// TestGiven: who gives a labelled field has read the label, and who doesn't has not.
func TestGiven(t *testing.T) {
	if label, err := written(t, "", "name"); err != nil || label != "{}" {
		t.Error(err, label)
	}
	if label, err := written(t, "", "name", "boss"); fail.KindOf(err) != fail.Denied || label != "{pay}" {
		t.Error(err, label)
	}
	for _, admits := range []value.Label{{}, value.NewLabel("pii")} {
		g, err := NewGate(Config{Grants: map[string]Object{"ledger": ledger{&shop{name: "a"}}}, Admits: admits, Record: Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range g.Flows() {
			if f.To == "ledger.write" && f.May != admits.HasExactly(f.Tag) {
				t.Errorf("%+v", f)
			}
		}
	}
}
