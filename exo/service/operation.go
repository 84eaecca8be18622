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
	name, doc string
	in, out   reflect.Type
	effect    message.EffectMode
	admits    value.Label
	trusted   []string                      // fields of the argument, see Trusted
	labelled  []labelled                    // see Labelled
	sizes     []size                        // see MaxBytes
	part      reflect.Type                  // what AdmitsFor decides by
	admitsFor func(value.Value) value.Label // nil: admits, whatever the argument is
	like      exo.Object                    // what kind of object it returns
	own       bool                          // it returns objects of the service's own kind
	call      func(context.Context, value.Value, *hidden) (value.Value, error)
	checkArg  func(value.Value) error // what call would say of its argument
	result    *message.Type
	hidden    *hidden // of the result
	opens     string  // the interface of the object that it returns
	misuse    error   // what New says of it

	declassifies *value.Label // nil: it doesn't
	ranges       []limited    // see OneOf and Between
}

// Method makes a method of a function that changes something. It is Held: the program gets a
// receipt, and f is called once the program has ended well and what it changed has been committed,
// so a program that fails has sent no mail. f's result is not waited for: it is dropped, and only
// its digest is recorded. [Operation.Immediate] is for a program that needs the answer, [Read] for
// a function that changes nothing. [Key] names the call.
//
// The method is a sink that admits public values only, unless Admits says more.
func Method[In, Out any](name, doc string, f func(ctx context.Context, in In) (Out, error)) Operation {
	op := Read(name, doc, f)
	op.effect = message.Held
	return op
}

// Read makes a method of a function that changes nothing: it is called at once, the program gets
// its result, and no record is demanded for it. If f changes something all the same, a program that
// fails has changed it, and no error says so. Such an f needs [Method].
//
// The method is a sink that admits public values only, unless Admits says more: what f is
// asked leaves the host, too.
func Read[In, Out any](name, doc string, f func(ctx context.Context, in In) (Out, error)) Operation {
	op := Operation{name: name, doc: doc, in: reflect.TypeFor[In](), out: reflect.TypeFor[Out]()}
	if f == nil {
		return op
	}
	in, _ := formOf(op.in, "argument")
	var out *form
	if !op.object() {
		out, _ = formOf(op.out, "result")
	}
	op.checkArg = func(v value.Value) error {
		var arg In
		return in.read(v, reflect.ValueOf(&arg).Elem(), "")
	}
	op.call = func(ctx context.Context, v value.Value, h *hidden) (value.Value, error) {
		var arg In
		if err := in.read(v, reflect.ValueOf(&arg).Elem(), ""); err != nil {
			return value.Value{}, err
		}
		res, err := f(ctx, arg)
		if err != nil {
			return value.Value{}, failure(ctx, err)
		}
		if out == nil {
			o, _ := any(res).(exo.Object)
			return value.RefValue(o), nil
		}
		if op.out == reflect.TypeFor[None]() {
			return value.Null(), nil
		}
		w, err := out.write(reflect.ValueOf(&res).Elem(), h, "result", 0)
		if err != nil {
			return value.Value{}, internal(err)
		}
		return w, nil
	}
	return op
}

// Immediate says that a Method acts at once and for good, since the program needs its
// answer. It is refused where the program has changes that are not final yet; and it has
// happened, whatever becomes of the program. On a Read it is an error of New.
func (op Operation) Immediate() Operation {
	if op.effect == message.NoEffect {
		op.misuse = errors.New("it is made with Read, which changes nothing, so it can't be Immediate: make it with Method")
		return op
	}
	op.effect = message.Immediate
	return op
}

// Admits says which labels may leave the host by this method, besides those that it was given before; AdmitsFor, which of
// them by one call. A method that admits two readers has both as recipients, and takes what each of them may read.
func (op Operation) Admits(l value.Label) Operation {
	op.admits = value.NewLabel(slices.Concat(op.admits.Tags(), l.Tags())...) // no Join: of two readers it makes everybody of their kind
	return op
}

// Trusted names fields of the argument, like who gets a mail, that a program can't give once it has read what outsiders
// wrote (see value.Untrusted). A Method that doesn't admit the tag is not called at all then.
func (op Operation) Trusted(fields ...string) Operation {
	op.trusted = append(slices.Clip(op.trusted), fields...)
	return op
}

// Labelled gives a label to fields of the result, or of its items if it is a list. Programs are shown them sealed, like labelled
// columns; a run that reads what [value.Untrusted] marks may have been instructed by outsiders. "author.email" is a field within a
// field, or within each item of one. Where the label is of integrity alone and no field is named, the whole result carries it. See
// MaxBytes.
func (op Operation) Labelled(l value.Label, fields ...string) Operation {
	op.labelled = append(slices.Clip(op.labelled), labelled{l, fields})
	return op
}

// MaxBytes says how large a value of a labelled field may be, in bytes; 1 KiB where it is left out (64 bytes for numbers, dates and truth values). A list that is labelled is one
// value. Limits count each as this large, whatever it holds, and a larger text is "[too large]" where it leaves; any other
// value, and what can't leave at all, is null there.
func (op Operation) MaxBytes(n int, fields ...string) Operation {
	op.sizes = append(slices.Clip(op.sizes), size{n, fields})
	return op
}

// Returns says that the method's result is an object of the same kind as like,
// which serves as an example only. Every function whose result is an
// exo.Object needs it, or ReturnsOwnKind, and is a Read or Immediate.
func (op Operation) Returns(like exo.Object) Operation {
	op.like = like
	return op
}

// ReturnsOwnKind says that the method's result is an object of the same kind as
// the service itself, like a folder's method that opens a folder in it.
func (op Operation) ReturnsOwnKind() Operation {
	op.own = true
	return op
}

func (op *Operation) object() bool { return op.out.Implements(objectType) }

// method is the operation's place in the catalogue, and the interfaces that can
// be reached by its result. It completes op.
func (op *Operation) method(own *message.Type) (*message.Method, []*message.Interface, error) {
	if op.call == nil {
		return nil, nil, errors.New("has no function")
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
		return nil, nil, fmt.Errorf("the argument is %s; it must be a struct with fields", op.in)
	}
	if err := op.checkReaders(); err != nil {
		return nil, nil, err
	}
	if err := op.checkPart(in); err != nil {
		return nil, nil, err
	}
	for _, name := range op.trusted {
		k := slices.IndexFunc(in.Fields, func(f message.TypeField) bool { return f.Name == name })
		if k < 0 {
			return nil, nil, fmt.Errorf("the argument has no field %q that could demand trust", name)
		}
		in.Fields[k].Trusted = true
	}
	if len(in.Fields) > 0 {
		opt := true
		for _, f := range in.Fields {
			opt = opt && f.Opt
		}
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
			return nil, nil, errors.New("the result is an object, and the program would get a receipt: make it with Read if it changes nothing, or Immediate")
		}
		m.Result = &message.Term{Con: message.Receipt()}
	}
	return m, more, nil
}

func (op *Operation) resultType(own *message.Type) (*message.Type, []*message.Interface, error) {
	switch {
	case !op.object():
		if op.own || op.like != nil {
			return nil, nil, fmt.Errorf("the result is %s, which is no exo.Object", op.out)
		}
		if op.out == reflect.TypeFor[None]() {
			return &message.Type{Name: value.TypeNull}, nil, nil
		}
		t, err := typeOf(op.out, "result")
		return t, nil, err
	case op.own:
		return own, nil, nil
	case op.like == nil:
		return nil, nil, errors.New("the result is an object: say of which kind by Returns or ReturnsOwnKind")
	}
	d, err := op.like.Describe()
	if err != nil {
		return nil, nil, err
	}
	if d.Type == nil {
		return nil, nil, errors.New("the example that Returns was given has no type")
	}
	return d.Type, d.Interfaces, nil
}

// check holds a result against what the catalogue promises of it.
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
		return fmt.Errorf("the function returned an object that is no %s", op.opens)
	}
	return nil
}
