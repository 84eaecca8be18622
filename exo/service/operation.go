package service

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// Operation is one method of a service. Make it with [Method], [Read] or [Declassify].
type Operation struct {
	name, doc  string
	in, out    reflect.Type
	effect     message.EffectMode
	admits     value.Label
	trusted    []string                      // the argument's fields that were passed to Trusted
	labelled   []labelled                    // the calls of Labelled
	sizes      []size                        // the calls of MaxBytes
	part       reflect.Type                  // the type Part of AdmitsFor
	admitsFor  func(value.Value) value.Label // the decision of AdmitsFor; nil: admits applies to every argument
	like       exo.Object                    // an example of the objects that the operation returns
	own        bool                          // the operation returns objects of the same kind as the service
	call       func(context.Context, value.Value, *hidden) (value.Value, error)
	checkArg   func(value.Value) error // returns the error that call would return for this argument
	result     *message.Type
	hidden     *hidden                                                  // the sealed parts of the result
	opens      string                                                   // the interface of the object that the operation returns
	approve    *approval                                                // the rule by which a person must agree to calls; nil: none
	settle     func(ctx context.Context, key string) (exo.State, error) // the function passed to Settle
	compensate func(ctx context.Context, key string) error              // the function passed to Compensate
	misuse     error                                                    // an error that New returns

	declassifies *value.Label // the tags passed to Declassify; nil: the operation does not declassify
	ranges       []limited    // the calls of OneOf and Between
}

// Method makes a method of a function that changes something. It is Held: the program gets a
// receipt, and f is called after the program has succeeded and its changes are committed. So a
// program that fails sends no mail. The result of f is dropped, and only its digest is recorded.
// Use [Operation.Immediate] if the program needs the answer, and [Read] if f changes nothing. In f,
// [Key] identifies the call.
//
// The method is a sink that admits public values only, unless Admits adds more labels.
func Method[In, Out any](name, doc string, f func(ctx context.Context, in In) (Out, error)) Operation {
	return Read(name, doc, f).Held()
}

// Read makes a method of a function that changes nothing. It is called at once, the program gets
// its result, and the host needs no record for it. Use [Method] if f changes something: with Read,
// the change would stay even if the program fails.
//
// The method is a sink that admits public values only, unless Admits adds more labels: the argument
// of f leaves the host, too.
func Read[In, Out any](name, doc string, f func(ctx context.Context, in In) (Out, error)) Operation {
	if f == nil {
		return ReadOf(name, doc, reflect.TypeFor[In](), reflect.TypeFor[Out](), nil, nil)
	}
	return ReadOf(name, doc, reflect.TypeFor[In](), reflect.TypeFor[Out](), nil, func(ctx context.Context, in any) (any, error) {
		arg, _ := in.(*In)
		res, err := f(ctx, *arg)
		return &res, err
	})
}

// ReadOf does the work of Read for types that are known only at run time. f gets a pointer to a value of type in, and returns a pointer to a value of
// type out. check may be nil. It can refuse an argument with [Refuse] while the program runs, when a Held f has not been called yet.
func ReadOf(name, doc string, in, out reflect.Type, check func(in any) error, f func(ctx context.Context, in any) (any, error)) Operation {
	op := Operation{name: name, doc: doc, in: in, out: out}
	if in == nil || out == nil || f == nil {
		return op // New returns an error for an operation without a call
	}
	argForm, _ := formOf(in, "argument")
	var resForm *form
	if !op.object() {
		resForm, _ = formOf(out, "result")
	}
	read := func(v value.Value) (any, error) {
		arg := reflect.New(in)
		return arg.Interface(), argForm.read(v, arg.Elem(), "")
	}
	op.checkArg = func(v value.Value) error {
		arg, err := read(v)
		if err == nil && check != nil {
			if err = check(arg); err != nil {
				err = failure(context.Background(), err)
			}
		}
		return err
	}
	op.call = func(ctx context.Context, v value.Value, h *hidden) (value.Value, error) {
		arg, err := read(v)
		if err != nil {
			return value.Value{}, err
		}
		p, err := f(ctx, arg)
		if err != nil {
			return value.Value{}, failure(ctx, err)
		}
		res := reflect.Indirect(reflect.ValueOf(p))
		if !res.IsValid() || res.Type() != out {
			return value.Value{}, internal(fmt.Errorf("service: %s: the function returned %T, want a pointer to %s", name, p, out))
		}
		if resForm == nil {
			o, _ := res.Interface().(exo.Object)
			return value.RefValue(o), nil
		}
		if out == reflect.TypeFor[None]() {
			return value.Null(), nil
		}
		w, err := resForm.write(res, h, "result", 0)
		if err != nil {
			return value.Value{}, internal(err)
		}
		return w, nil
	}
	return op
}

// Held makes a method that changes something, like [Method], of a Read.
func (op Operation) Held() Operation {
	op.effect = message.Held
	return op
}

// Effect returns when the operation takes effect.
func (op Operation) Effect() message.EffectMode { return op.effect }

// Immediate makes a Method act at once and for good, because the program needs its answer. The call
// is refused while the program has changes that are not final. Its effect stays, even if the
// program fails later. For a Read, New returns an error.
func (op Operation) Immediate() Operation {
	if op.effect == message.NoEffect {
		op.misuse = errors.New("a method made with Read changes nothing, so it can't be Immediate: make it with Method")
		return op
	}
	op.effect = message.Immediate
	return op
}

// Admits adds labels that may leave the host through this method; AdmitsFor chooses among them for one
// call. A method that admits two readers sends to both, so it accepts only values that both may read.
func (op Operation) Admits(l value.Label) Operation {
	op.admits = value.NewLabel(slices.Concat(op.admits.Tags(), l.Tags())...) // Join would turn two readers into all readers of their kind
	return op
}

// Trusted names fields of the argument, like the recipient of a mail, that a program can't set once it has read what outsiders
// wrote (value.Untrusted). If a Method does not admit that tag, such a program can't call it at all.
func (op Operation) Trusted(fields ...string) Operation {
	op.trusted = append(slices.Clip(op.trusted), fields...)
	return op
}

// Labelled labels fields of the result, or of its items if it is a list. Programs get these fields sealed,
// like labelled columns. Label what outsiders write with [value.Untrusted], since it may contain
// instructions to the model. "author.email" names a field within a field, or within each item of a list. If
// the label has only integrity tags and no field is named, the whole result has it. See MaxBytes.
func (op Operation) Labelled(l value.Label, fields ...string) Operation {
	op.labelled = append(slices.Clip(op.labelled), labelled{l, fields})
	return op
}

// MaxBytes sets the largest size in bytes of a value of a labelled field. The default is 1 KiB, and 64 bytes for
// numbers, dates and truth values. A labelled list is one value. Limits count every value as this large. When
// opened, a larger text is "[too large]"; another larger value, or one that can't leave, is null.
func (op Operation) MaxBytes(n int, fields ...string) Operation {
	op.sizes = append(slices.Clip(op.sizes), size{n, fields})
	return op
}

// Returns declares that the method's result is an object of the same kind as like, which is only an
// example. A function that returns an exo.Object needs Returns or ReturnsOwnKind, and must be a
// Read or Immediate.
func (op Operation) Returns(like exo.Object) Operation {
	op.like = like
	return op
}

// ReturnsOwnKind declares that the method's result is an object of the same kind as the service
// itself. An example is a folder that opens a folder within it.
func (op Operation) ReturnsOwnKind() Operation {
	op.own = true
	return op
}

func (op *Operation) object() bool { return op.out.Implements(objectType) }

// method returns the operation's method for the catalogue, and the interfaces that its result leads
// to. It also completes op.
func (op *Operation) method(own *message.Type) (*message.Method, []*message.Interface, error) {
	if op.call == nil {
		return nil, nil, errors.New("the function, the type of the argument or the type of the result is nil: pass all three")
	}
	if op.misuse != nil {
		return nil, nil, op.misuse
	}
	m := &message.Method{Name: op.name, Doc: op.doc, Sends: true, Sink: true, Effect: op.effect, Admits: op.admits}
	if op.in.Kind() != reflect.Struct {
		return nil, nil, fmt.Errorf("the argument is %s; it must be a struct", op.in)
	}
	in, err := typeOf(op.in, "argument")
	if err != nil {
		return nil, nil, err
	}
	if in.Name != value.TypeRecord {
		return nil, nil, fmt.Errorf("the argument is %s, which programs see as one value: it must be a struct with a field for each parameter", op.in)
	}
	if err := op.checkReaders(); err != nil {
		return nil, nil, err
	}
	if err := op.checkPart(in); err != nil {
		return nil, nil, err
	}
	if err := op.approve.check(op.effect, in); err != nil {
		return nil, nil, err
	}
	for _, name := range op.trusted {
		k := slices.IndexFunc(in.Fields, func(f message.TypeField) bool { return f.Name == name })
		if k < 0 {
			return nil, nil, fmt.Errorf("Trusted names the field %q, which the argument does not have: correct the name", name)
		}
		in.Fields[k].Trusted = true
	}
	if len(in.Fields) > 0 {
		opt := !slices.ContainsFunc(in.Fields, func(f message.TypeField) bool { return !f.Opt })
		m.Params = []message.Param{{Name: "the argument", Want: &message.Term{Con: in}, Opt: opt}}
	}
	t, more, err := op.resultType(own)
	if err != nil {
		return nil, nil, err
	}
	if err := op.label(m, t); err != nil {
		return nil, nil, err
	}
	if op.hidden, err = op.hide(t); err != nil {
		return nil, nil, err
	}
	if err := op.declassifier(m, t); err != nil {
		return nil, nil, err
	}
	op.result, m.Result = t, &message.Term{Con: t}
	if op.effect == message.Held {
		if op.object() {
			return nil, nil, errors.New("the result is an object, but a Held method returns only a receipt: make it with Read if it changes nothing, or add Immediate")
		}
		m.Result = &message.Term{Con: message.Receipt()}
	}
	return m, more, nil
}

func (op *Operation) resultType(own *message.Type) (*message.Type, []*message.Interface, error) {
	switch {
	case !op.object():
		if op.own || op.like != nil {
			return nil, nil, fmt.Errorf("the result is %s, which is no exo.Object: leave Returns or ReturnsOwnKind out", op.out)
		}
		if op.out == reflect.TypeFor[None]() {
			return &message.Type{Name: value.TypeNull}, nil, nil
		}
		t, err := typeOf(op.out, "result")
		return t, nil, err
	case op.own:
		return own, nil, nil
	case op.like == nil:
		return nil, nil, errors.New("the result is an object: declare its kind with Returns or ReturnsOwnKind")
	}
	d, err := op.like.Describe()
	if err != nil {
		return nil, nil, err
	}
	if d.Type == nil {
		return nil, nil, errors.New("the example object in Returns has no type: its Describe must return one")
	}
	return d.Type, d.Interfaces, nil
}

// check compares a result with the type that the catalogue gives it.
func (op *Operation) check(v value.Value) error {
	if !op.object() {
		return fits(op.result, v, op.hidden, "result")
	}
	o := exo.ObjectOf(v)
	if o == nil {
		return errors.New("the function returned no object")
	}
	d, err := o.Describe()
	if err != nil {
		return err
	}
	if d.Type == nil || d.Type.Name != op.opens {
		return fmt.Errorf("the function must return an object of the type %s, and returned another object", op.opens)
	}
	return nil
}
