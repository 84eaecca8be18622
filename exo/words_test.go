package exo

import (
	"context"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"strings"
	"testing"
)

type worded struct{}

func (worded) Describe() (message.Description, error) {
	method := func(name string) *message.Method {
		return &message.Method{Name: name, Sends: true, Result: &message.Term{Con: &message.Type{Name: value.TypeInt}}}
	}
	i := &message.Interface{Name: "Worded", Methods: map[string]*message.Method{"get": method("get"), "put": method("put")}, Order: []string{"get", "put"}, Words: []message.Words{message.NewWords(
		message.Phrase{On: ".fetch .load", Needs: "get", Text: "write .get()"},
		message.Phrase{On: ".fetch", Needs: "put", Text: "there is only .put()"},
	), message.NewWords(message.Phrase{On: "clash", Needs: "*.put", Text: "{name} is taken, .put() another"})}}
	return message.Description{Type: &message.Type{Name: "Worded"}, Interfaces: []*message.Interface{i}}, nil
}

func (worded) Eval(context.Context, *Message) (value.Value, error) { return value.Int(1), nil }

// A phrase that names what a policy took away is not said; the next one is.
func TestPhrasesNameNothingThatWasTakenAway(t *testing.T) {
	for _, c := range []struct {
		without             string
		fetch, load, clash_ string
	}{
		{"", "write .get()", "write .get()", "x is taken, .put() another"},
		{"get", "there is only .put()", "", "x is taken, .put() another"},
		{"put", "write .get()", "write .get()", "otherwise x"},
	} {
		o := Wrap(worded{}, Policy{Narrow: func(d *message.Description) error {
			delete(d.Interfaces[0].Methods, c.without)
			return nil
		}})
		g, err := NewGate(Config{Grants: map[string]Object{"o": o}})
		if err != nil {
			t.Fatal(err)
		}
		cat := g.Catalog()
		i := cat[g.Granted()[0].Type.Name]
		if (c.without != "") != (i.Name != "Worded") {
			t.Errorf("without %q the interface is %s", c.without, i.Name)
		}
		for on, want := range map[string]string{".fetch": c.fetch, ".load": c.load} {
			if got := cat.Say(i, on, ""); got != want {
				t.Errorf("without %q: %s says %q, want %q", c.without, on, got, want)
			}
		}
		if got := cat.Say(nil, "clash", "otherwise {name}", "name", "x"); got != c.clash_ {
			t.Errorf("without %q: %q, want %q", c.without, got, c.clash_)
		}
	}
}

// A policy may take the phrases away, and put in nothing of its own.
func TestPoliciesDropPhrasesOnly(t *testing.T) {
	narrowed := func(f func(*message.Interface)) (*message.Interface, error) {
		d, err := Wrap(worded{}, Policy{Narrow: func(d *message.Description) error { f(d.Interfaces[0]); return nil }}).Describe()
		if err != nil {
			return nil, err
		}
		return d.Interfaces[0], nil
	}
	if i, err := narrowed(func(i *message.Interface) { i.Words = nil }); err != nil || len(i.Words) != 0 {
		t.Errorf("%v, %v", i, err)
	}
	for name, f := range map[string]func(*message.Interface){
		"another": func(i *message.Interface) {
			i.Words = append(i.Words, message.NewWords(message.Phrase{On: ".x", Text: "y"}))
		},
		"changed": func(i *message.Interface) {
			i.Words[0] = message.NewWords(message.Phrase{On: ".fetch .load", Text: "write .get()"})
		},
		"reversed": func(i *message.Interface) { i.Words[0], i.Words[1] = i.Words[1], i.Words[0] },
	} {
		if _, err := narrowed(f); err == nil {
			t.Errorf("%s: a policy changed what errors say", name)
		}
	}
}

// Parts are put in once: what a program wrote is never read for parts.
func TestPartsAreNotReadAgain(t *testing.T) {
	cat := message.Catalog{"X": {Name: "X", Words: []message.Words{message.NewWords(message.Phrase{On: "link", Text: "{link} of {part}"})}}}
	if got := cat.Say(nil, "link", "", "link", "{part}", "part", "{link}"); got != "{part} of {link}" {
		t.Error(got)
	}
}

func TestPhrasesAreChecked(t *testing.T) {
	for on, text := range map[string]string{".sum": "a", "eq()": "a", "word:like": "a", "begin:SELECT": "a", "op:!": "a", "call:Number": "a", "result.sum": "r", "clash": "({ {name} }) {name}", "unsent": "{it}"} {
		if err := (message.Phrase{On: ".x " + on, Text: text}).Check(); err != nil && !strings.Contains(text, "{") {
			t.Errorf("%s: %v", on, err)
		}
		if err := (message.Phrase{On: on, Text: text}).Check(); err != nil {
			t.Errorf("%s: %v", on, err)
		}
	}
	for on, text := range map[string]string{"sum": "a", "nonsense": "a", "clash": "{it}", ".sum": "{name}", "wrong:x": "a"} {
		if (message.Phrase{On: on, Text: text}).Check() == nil {
			t.Errorf("%s: %q passes", on, text)
		}
	}
}
