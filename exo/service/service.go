package service

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// None is the argument, or the result, of a function that has none.
type None = struct{}

// Service is an exo.Object made of Go functions. The zero Service refuses.
type Service struct {
	description message.Description
	ops         map[string]Operation
}

var _ exo.Validator = (*Service)(nil)

// New makes a service. Its name is that of its interface, in PascalCase: two
// services of one name are one kind of object and must have the same methods.
// It fails when a name can't be used or a Go type can't be expressed.
func New(name, doc string, operations ...Operation) (*Service, error) {
	iname, err := interfaceName(name)
	if err != nil {
		return nil, err
	}
	own := &message.Type{Name: iname}
	i := &message.Interface{Name: iname, Doc: doc, Methods: map[string]*message.Method{}}
	s := &Service{description: message.Description{Type: own, Interfaces: []*message.Interface{i}, Doc: doc}, ops: map[string]Operation{}}
	for _, op := range operations {
		if scalar.ReservedName(op.name) {
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
	if scalar.ReservedName(name) {
		return "", fmt.Errorf("service: %q can't be the name of a service", name)
	}
	var b strings.Builder
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '$' }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	if n := b.String(); n != "" && n != value.TypeRow && !(n[0] >= '0' && n[0] <= '9') && !scalar.ReservedName(n) {
		return n, nil
	}
	return "", fmt.Errorf("service: %q can't be the name of a service", name)
}

// Describe says what the service is.
func (s *Service) Describe() (message.Description, error) {
	if s == nil || s.description.Type == nil {
		return message.Description{}, errors.New("service: the zero Service can't be used; call New")
	}
	return s.description, nil
}

// asked is the operation that a message names, and its argument.
func (s *Service) asked(m *exo.Message) (op Operation, in value.Value, err error) {
	if s == nil || m.Root.Recv.Op != message.OpRef {
		return op, in, fail.ErrDenied
	}
	op, ok := s.ops[m.Root.Name]
	if !ok {
		return op, in, fail.ErrDenied
	}
	in = value.RecordValue()
	if len(m.Root.Args) > 0 {
		a := m.Root.Args[0]
		if a.Op != message.OpLit {
			return op, in, &fail.Error{Kind: fail.Invalid, Msg: "the argument must be plain data", Err: exo.ErrNothingDone}
		}
		in = a.Lit
	}
	return op, in, nil
}

// Validate says what would be wrong with the argument of a method that is held: later there would
// be no program to read it.
func (s *Service) Validate(m *exo.Message) error {
	op, in, err := s.asked(m)
	if err != nil {
		return err
	}
	return op.checkArg(in)
}

type keyOf struct{}

// Key names this one call of this one run: give it to a mail or payment API as its
// idempotency key, for when the function itself tries again. The same program run again has
// other keys. It is empty outside a function of a service.
func Key(ctx context.Context) string {
	k, _ := ctx.Value(keyOf{}).(string)
	return k
}

// Eval calls the function that the message names.
func (s *Service) Eval(ctx context.Context, m *exo.Message) (value.Value, error) {
	op, in, err := s.asked(m)
	if err != nil {
		return value.Value{}, err
	}
	v, err := op.call(context.WithValue(ctx, keyOf{}, m.Key()), in, op.hidden)
	if err != nil {
		return value.Value{}, err
	}
	if err := op.check(v); err != nil {
		return value.Value{}, internal(err)
	}
	rows := 0
	if v.Type() == value.TypeList {
		rows = v.Len()
	}
	return v, m.Spend(rows, op.hidden.charge(v))
}

// Refuse makes the one error of a function whose text reaches the guest: it has Kind Invalid and
// says what the program should do instead. Return it before anything was done: it wraps
// [exo.ErrNothingDone], so the model is told that nothing took place, and of a method that is Held
// the text too, unless the run has read what the model may not. After any other error of a function
// that changes something, it is not known.
func Refuse(format string, args ...any) error {
	return &refusal{fmt.Sprintf(format, args...)}
}

type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }
func (r *refusal) Unwrap() error { return exo.ErrNothingDone }

// failure is what becomes of a function's error. Only Refuse was written for a
// guest. An *fail.Error was not: it may come from the typed API, and name a table
// that this guest has never heard of. So its Kind stays, unless that would say
// something of the caller's own request, and its text does not.
func failure(ctx context.Context, err error) error {
	var r *refusal
	var e *fail.Error
	switch {
	case errors.As(err, &r):
		return &fail.Error{Kind: fail.Invalid, Msg: r.text, Err: err}
	case ctx.Err() == nil && errors.As(err, &e) && e != nil && e.Kind == fail.Limit:
		return &fail.Error{Kind: fail.Limit, Msg: "a limit was reached while this was answered", Err: unsure{err}}
	case ctx.Err() != nil:
		return errors.Join(ctx.Err(), unsure{err})
	}
	return internal(err)
}

func internal(err error) error { return &fail.Error{Kind: fail.Internal, Err: unsure{err}} }

// unsure is an error before which something may have been done. Where it wraps exo.ErrNothingDone,
// that was said by another layer of its own part, such as a transaction: a function that sent a mail
// first, and then returned it, would count as one that did nothing.
type unsure struct{ error }

func (u unsure) Is(target error) bool {
	return target != exo.ErrNothingDone && errors.Is(u.error, target)
}
func (u unsure) As(target any) bool { return errors.As(u.error, target) }

var objectType = reflect.TypeFor[exo.Object]()
