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

// label sets what Labelled has said, in the type t of the result. A label that could not be kept is an error: who reads the
// declaration would take it for one that is.
func (op *Operation) label(m *message.Method, t *message.Type) error {
	for _, x := range op.labelled {
		switch {
		case x.label.Empty():
			return errors.New("Labelled has no label")
		case len(x.label.Unnamed()) > 0:
			return fmt.Errorf("Labelled has a tag that means a reader without naming one (%s): write the tag alone", x.label)
		case op.object():
			return errors.New("the result is an object: label what that one's methods give")
		case op.effect == message.Held:
			return errors.New("programs get a receipt and no result, so there is nothing to label")
		case len(x.fields) == 0 && !x.label.Secrecy().Empty():
			return fmt.Errorf("Labelled has %s and names no field: name the fields that are secret; a result that is one secret value is a struct of one field", x.label)
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
			return fmt.Errorf("field %q is left out where it is empty (omitempty or omitzero), which would reveal a value that is labelled %s", path, l)
		}
		f.Label = f.Label.Join(l)
		return nil
	}
	return fmt.Errorf("the result has no field %q that could be labelled: %s has none of that name", path, t)
}
