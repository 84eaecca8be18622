package service

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// AdmitsFor lets f choose for each call which of the labels that the method Admits may leave: a mail may
// carry what its recipient may read. Part is a struct of the argument's fields that f needs, with the same
// names, options and types. f runs in the host, never in a worker: for each call of a Method, and of a Read
// once the run has read anything labelled. It returns the labels that all recipients may read
// (value.ReaderTag), and the zero Label for an unknown recipient. It must not wait or act. The zero Label
// also applies if one of the fields is labelled or does not fit Part, or if f panics.
func AdmitsFor[Part any](op Operation, f func(Part) value.Label) Operation {
	op.part, op.admitsFor = reflect.TypeFor[Part](), nil
	if f == nil {
		return op
	}
	form, err := formOf(op.part, "argument")
	if err != nil || form.kind != formRecord {
		return op // New returns the error: see checkPart
	}
	op.admitsFor = func(arg value.Value) value.Label {
		if arg.Type() != value.TypeRecord { // if the argument is labelled as a whole, no field is known
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

// known reports whether v is complete, with no part removed because of a label.
func known(v value.Value) bool {
	for x := range v.All() {
		if x.IsZero() {
			return false
		}
	}
	return true
}

// checkPart refuses a Part with a field that the argument lacks. A misspelt field would always be
// missing, and f would decide without it.
func (op *Operation) checkPart(in *message.Type) error {
	if op.part == nil {
		return nil
	}
	if op.admitsFor == nil && op.part.Kind() == reflect.Struct {
		if _, err := formOf(op.part, "argument"); err == nil {
			return fmt.Errorf("AdmitsFor got a nil function: pass one")
		}
	}
	part, err := typeOf(op.part, "the part that AdmitsFor decides by")
	if err != nil {
		return err
	}
	if part.Name != value.TypeRecord || len(part.Fields) == 0 {
		return fmt.Errorf("the function of AdmitsFor takes %s; it must take a struct with fields of the argument", op.part)
	}
	for _, f := range part.Fields {
		same := func(g message.TypeField) bool {
			return g.Name == f.Name && g.Opt == f.Opt && reflect.DeepEqual(g.Type, f.Type)
		}
		if !slices.ContainsFunc(in.Fields, same) {
			return fmt.Errorf("AdmitsFor decides by the field %s of type %s, but the argument has no field of that name and type: correct one of them", f.Name, f.Type)
		}
	}
	if op.admits.Empty() {
		return fmt.Errorf("AdmitsFor chooses among the labels of Admits, and there are none: call Admits, too")
	}
	return nil
}

// Chooses reports whether AdmitsFor was called for a method. exo.Gate.Flows uses it.
func (s *Service) Chooses(method string) bool {
	if s == nil {
		return false
	}
	op, ok := s.ops[method]
	return ok && op.admitsFor != nil
}

// checkReaders refuses a method that admits a tag for any reader in every call, since values of one reader could go to another.
func (op *Operation) checkReaders() error {
	for _, t := range op.admits.Unnamed() {
		if about := value.NewLabel(t).About().Tags()[0]; op.admitsFor == nil {
			return fmt.Errorf("the method admits %s without naming the reader: add AdmitsFor, which chooses by the recipient, or admit %s if values of any reader may go there", t, about)
		}
	}
	return nil
}

// Admits implements exo.Sink. The labels of a method without AdmitsFor are the same in every call.
func (s *Service) Admits(m *exo.Message) value.Label {
	if s == nil {
		return value.Label{}
	}
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
