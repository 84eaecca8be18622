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

// None is the type of an argument or result that a function does not have.
type None = struct{}

// Service is an exo.Object that consists of Go functions. The zero Service refuses every message.
type Service struct {
	description message.Description
	ops         map[string]Operation
}

var _ exo.Validator = (*Service)(nil)

// New makes a service. Its interface is named name in PascalCase, so services with one name must
// have the same methods. New fails if a name is not allowed, or a Go type has no form in
// programs.
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
			return nil, fmt.Errorf("service: %s: %q can't be the name of a method: want letters, digits and _, a letter first, and no reserved word", name, op.name)
		}
		if i.Methods[op.name] != nil {
			return nil, fmt.Errorf("service: %s: two methods are named %s: rename one", name, op.name)
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

// interfaceName returns name in PascalCase.
func interfaceName(name string) (string, error) {
	if scalar.ReservedName(name) {
		return "", fmt.Errorf("service: %q can't be the name of a service: want letters, digits and _, a letter first, and no reserved word", name)
	}
	var b strings.Builder
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '$' }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	if n := b.String(); n != "" && n != value.TypeRow && !(n[0] >= '0' && n[0] <= '9') && !scalar.ReservedName(n) {
		return n, nil
	}
	return "", fmt.Errorf("service: %q can't be the name of a service: want a letter first, no reserved word, and no name of a type that every program has", name)
}

// Describe returns the description of the service.
func (s *Service) Describe() (message.Description, error) {
	if s == nil || s.description.Type == nil {
		return message.Description{}, errors.New("service: the zero Service can't be used; call New")
	}
	return s.description, nil
}

// asked returns the operation that a message names, and its argument.
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
			return op, in, &fail.Error{Kind: fail.Invalid, Msg: "the argument must be plain data: await calls first, and pass their results", Err: exo.ErrNothingDone}
		}
		in = a.Lit
	}
	return op, in, nil
}

// Validate checks the argument of a Held method at once, since the program can't read an error that
// comes after its end.
func (s *Service) Validate(m *exo.Message) error {
	op, in, err := s.asked(m)
	if err != nil {
		return err
	}
	return op.checkArg(in)
}

type keyOf struct{}

// Key identifies one call in one run. Pass it to a mail or payment API as its idempotency key, for
// the case that the function tries again. If the program runs again, its calls have other keys. Key
// is "" outside of a service's function.
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

// Refuse makes an error with a text that the guest reads; the texts of other errors never reach it.
// It has Kind Invalid, and its text should name what the program can do instead. Return it before
// anything was done: it wraps [exo.ErrNothingDone], so the model reads that nothing was done. For a
// Held method, which acts after the program, the model reads the text, unless the run has read what
// the model may not. If a function that changes something returns another error, it is unknown what
// was done.
func Refuse(format string, args ...any) error {
	return &refusal{fmt.Sprintf(format, args...)}
}

type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }
func (r *refusal) Unwrap() error { return exo.ErrNothingDone }

// failure converts a function's error. It keeps only the text of Refuse. It drops the text of any
// other *fail.Error, which may name a table that the guest must not know. The Kind Limit stays.
// Every other Kind becomes Internal, since a guest would relate it to its own request.
func failure(ctx context.Context, err error) error {
	var r *refusal
	var e *fail.Error
	switch {
	case errors.As(err, &r):
		return &fail.Error{Kind: fail.Invalid, Msg: r.text, Err: err}
	case ctx.Err() == nil && errors.As(err, &e) && e != nil && e.Kind == fail.Limit:
		return &fail.Error{Kind: fail.Limit, Msg: "a limit was reached while the host answered this call: ask for less", Err: unsure{err}}
	case ctx.Err() != nil:
		return errors.Join(ctx.Err(), unsure{err})
	}
	return internal(err)
}

func internal(err error) error { return &fail.Error{Kind: fail.Internal, Err: unsure{err}} }

// unsure is an error after which something may have been done. It hides that the error wraps
// exo.ErrNothingDone, which another layer, such as a transaction, may have used for its own part
// only: the function may already have sent a mail.
type unsure struct{ error }

func (u unsure) Is(target error) bool {
	return target != exo.ErrNothingDone && errors.Is(u.error, target)
}
func (u unsure) As(target any) bool { return errors.As(u.error, target) }

var objectType = reflect.TypeFor[exo.Object]()
