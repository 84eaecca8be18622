package service

import (
	"fmt"
	"reflect"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// AdmitsFor has f decide, by some fields of the argument, which of the labels that the
// method Admits may leave by one call: a mail may carry what its recipient may read. Part is a
// struct of those fields of the method's argument that f decides by, with the same
// names, options and types. f runs on the host and never crosses to a worker: for each call of a Method, and of a Read once the run has
// read anything labelled. It returns what all recipients may read (see value.ReaderTag), and must not wait or act. The answer for what it does not know is the
// zero Label. It is the answer, without f being asked, where one of the fields is itself
// labelled or does not fit Part, and where f panics.
func AdmitsFor[Part any](op Operation, f func(Part) value.Label) Operation {
	op.part, op.admitsFor = reflect.TypeFor[Part](), nil
	if f == nil {
		return op
	}
	form, err := formOf(op.part, "argument")
	if err != nil || form.kind != formRecord {
		return op // New says what is wrong
	}
	op.admitsFor = func(arg value.Value) value.Label {
		if arg.Type() != value.TypeRecord { // it is labelled as a whole
			return value.Label{}
		}
		var fs []value.Field
		for _, x := range form.fields {
			v, ok := arg.Get(x.name)
			if !ok {
				continue
			}
			if !known(v) {
				return value.Label{}
			}
			fs = append(fs, value.Field{Name: x.name, Value: v})
		}
		var part Part
		if form.read(value.RecordValue(fs...), reflect.ValueOf(&part).Elem(), "") != nil {
			return value.Label{}
		}
		return f(part)
	}
	return op
}

// known reports whether nothing was taken out of v because it is labelled.
func known(v value.Value) bool {
	switch v.Type() {
	case "":
		return false
	case value.TypeList:
		for i := range v.Len() {
			if !known(v.At(i)) {
				return false
			}
		}
	case value.TypeRecord:
		for _, x := range v.Fields() {
			if !known(x) {
				return false
			}
		}
	}
	return true
}

// checkPart refuses a Part that has other fields than the argument: a misspelt one would
// never be there, and f would decide by nothing.
func (op *Operation) checkPart(in *message.Type) error {
	if op.part == nil {
		return nil
	}
	if op.admitsFor == nil && op.part.Kind() == reflect.Struct {
		if _, err := formOf(op.part, "argument"); err == nil {
			return fmt.Errorf("AdmitsFor was given no function")
		}
	}
	part, err := typeOf(op.part, "the part that AdmitsFor decides by")
	if err != nil {
		return err
	}
	if part.Name != value.TypeRecord || len(part.Fields) == 0 {
		return fmt.Errorf("AdmitsFor decides by %s; it must be a struct of fields of the argument", op.part)
	}
	for _, f := range part.Fields {
		var same bool
		for _, g := range in.Fields {
			same = same || g.Name == f.Name && g.Opt == f.Opt && reflect.DeepEqual(g.Type, f.Type)
		}
		if !same {
			return fmt.Errorf("AdmitsFor decides by a field %s of type %s; the argument has none such", f.Name, f.Type)
		}
	}
	if op.admits.Empty() {
		return fmt.Errorf("AdmitsFor chooses among the labels that Admits names, and it names none")
	}
	return nil
}

// Chooses reports whether a method was given to AdmitsFor: exo.Gate.Flows asks.
func (s *Service) Chooses(method string) bool {
	if s == nil {
		return false
	}
	op, ok := s.ops[method]
	return ok && op.admitsFor != nil
}

// checkReaders refuses a method that admits what some principal may read, and for whoever it is called: values of one would go to another.
func (op *Operation) checkReaders() error {
	for _, t := range op.admits.Unnamed() {
		if about := value.NewLabel(t).About().Tags()[0]; op.admitsFor == nil {
			return fmt.Errorf("it admits %s, whoever the reader is: add AdmitsFor, which chooses by the recipient, or admit %s if values of any reader may go there", t, about)
		}
	}
	return nil
}

// Admits implements exo.Sink by the functions of AdmitsFor.
func (s *Service) Admits(m *exo.Message) value.Label {
	op, ok := s.ops[m.Root.Name]
	if !ok || m.Root.Recv.Op != message.OpRef {
		return value.Label{}
	}
	if op.admitsFor == nil {
		return op.admits
	}
	arg := value.RecordValue()
	if len(m.Root.Args) > 0 {
		if m.Root.Args[0].Op != message.OpLit {
			return value.Label{}
		}
		arg = m.Root.Args[0].Lit
	}
	return op.admitsFor(arg)
}

var _ exo.Sink = (*Service)(nil)
