package service

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/exoagent/exoagent/exo"
)

// None is the argument, or the result, of a function that has none.
type None = struct{}

// Service is an exo.Object made of Go functions. The zero Service refuses.
type Service struct {
	description exo.Description
	ops         map[string]Operation
}

var _ exo.Object = (*Service)(nil)

// New makes a service. Its name is that of its interface, in PascalCase: two
// services of one name are one kind of object and must have the same methods.
// It fails when a name can't be used or a Go type can't be expressed.
func New(name, doc string, operations ...Operation) (*Service, error) {
	iname, err := interfaceName(name)
	if err != nil {
		return nil, err
	}
	own := &exo.Type{Name: iname}
	i := &exo.Interface{Name: iname, Doc: doc, Methods: map[string]*exo.Method{}}
	s := &Service{description: exo.Description{Type: own, Interfaces: []*exo.Interface{i}, Doc: doc}, ops: map[string]Operation{}}
	for _, op := range operations {
		if exo.ReservedName(op.name) {
			return nil, fmt.Errorf("service: %s: %q can't be the name of a method", name, op.name)
		}
		if i.Methods[op.name] != nil {
			return nil, fmt.Errorf("service: %s: method %s is given twice", name, op.name)
		}
		m, more, err := op.method(own)
		if err != nil {
			return nil, fmt.Errorf("service: %s.%s: %w", name, op.name, err)
		}
		op.opens = m.Result.Con.Name
		i.Methods[op.name], i.Order = m, append(i.Order, op.name)
		s.ops[op.name] = op
		s.description.Interfaces = append(s.description.Interfaces, more...)
	}
	return s, nil
}

// interfaceName is name in PascalCase.
func interfaceName(name string) (string, error) {
	if exo.ReservedName(name) {
		return "", fmt.Errorf("service: %q can't be the name of a service", name)
	}
	var b strings.Builder
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '$' }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	if n := b.String(); n != "" && n != exo.TypeRow && !(n[0] >= '0' && n[0] <= '9') && !exo.ReservedName(n) {
		return n, nil
	}
	return "", fmt.Errorf("service: %q can't be the name of a service", name)
}

// Describe says what the service is.
func (s *Service) Describe() (exo.Description, error) {
	if s == nil || s.description.Type == nil {
		return exo.Description{}, errors.New("service: the zero Service can't be used; call New")
	}
	return s.description, nil
}

// Eval calls the function that the message names.
func (s *Service) Eval(ctx context.Context, m *exo.Message) (exo.Value, error) {
	if s == nil || m.Root.Recv.Op != exo.OpRef {
		return exo.Value{}, exo.ErrDenied
	}
	op, ok := s.ops[m.Root.Name]
	if !ok {
		return exo.Value{}, exo.ErrDenied
	}
	in := exo.Record()
	if len(m.Root.Args) > 0 {
		if a := m.Root.Args[0]; a.Op == exo.OpLit {
			in = a.Lit
		} else {
			return exo.Value{}, exo.Errorf(exo.Invalid, "", "the argument must be plain data")
		}
	}
	v, err := op.call(ctx, in)
	if err != nil {
		return exo.Value{}, failure(ctx, err)
	}
	if err := op.check(v); err != nil {
		return exo.Value{}, internal(err)
	}
	rows := 0
	if v.Kind() == exo.KindList {
		rows = v.Len()
	}
	return v, m.Spend(rows, v.Bytes())
}

// failure is what becomes of a function's error. Only an *exo.Error was written
// for a guest; of any other, and of what is wrapped around one, no text may
// reach it (facts/attacks.md 3.1, number 5).
func failure(ctx context.Context, err error) error {
	var e *exo.Error
	switch {
	case errors.As(err, &e):
		if e == nil {
			return err // the gate knows
		}
		return &exo.Error{Op: e.Op, Kind: e.Kind, Msg: e.Msg, Err: err}
	case ctx.Err() != nil:
		return errors.Join(ctx.Err(), err)
	}
	return internal(err)
}

func internal(err error) error { return &exo.Error{Kind: exo.Internal, Err: err} }

var objectType = reflect.TypeFor[exo.Object]()
