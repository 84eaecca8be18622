package service

import (
	"errors"
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

type labelled struct {
	label  value.Label
	fields []string
}

// label puts the labels passed to Labelled into the type t of the result. It refuses a label that
// can't be enforced, since readers of the declaration would rely on it.
func (op *Operation) label(m *message.Method, t *message.Type) error {
	for _, x := range op.labelled {
		switch {
		case x.label.Empty():
			return errors.New("Labelled got no label: pass one, or leave Labelled out")
		case len(x.label.Unnamed()) > 0:
			return fmt.Errorf("Labelled has a tag with a kind of readers after the @, and no ids of readers (%s): leave the @ part out", x.label)
		case op.object():
			return errors.New("the result is an object: label the results of its methods instead")
		case op.effect == message.Held:
			return errors.New("programs get a receipt and no result of a Held method, so Labelled has nothing to label")
		case len(x.fields) == 0 && !x.label.Secrecy().Empty():
			return fmt.Errorf("Labelled has %s and names no field: name the secret fields; for a single secret value, return a struct with one field", x.label)
		case len(x.fields) == 0:
			m.Reply = m.Reply.Join(x.label)
		}
		for _, path := range x.fields {
			if err := labelField(t, path, strings.Split(path, "."), x.label); err != nil {
				return err
			}
		}
	}
	return nil
}

func labelField(t *message.Type, path string, names []string, l value.Label) error {
	for t.Name == value.TypeList {
		t = t.Args["of"]
	}
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.Name != names[0] {
			continue
		}
		if len(names) > 1 {
			return labelField(f.Type, path, names[1:], l)
		}
		if f.Opt {
			return fmt.Errorf("field %q has omitempty or omitzero, and its absence would reveal a value labelled %s: remove the option", path, l)
		}
		f.Label = f.Label.Join(l)
		return nil
	}
	return fmt.Errorf("the result has no field %q to label: %s has no field of that name", path, t)
}
