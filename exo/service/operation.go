package service

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/exoagent/exoagent/exo"
)

// Operation is one method of a service. Make it with Method.
type Operation struct {
	name, doc string
	in, out   reflect.Type
	effect    exo.EffectMode
	admits    exo.Label
	part      reflect.Type              // what AdmitsFor decides by
	admitsFor func(exo.Value) exo.Label // nil: admits, whatever the argument is
	like      exo.Object                // what kind of object it returns
	own       bool                      // it returns objects of the service's own kind
	call      func(context.Context, exo.Value) (exo.Value, error)
	read      func(exo.Value) error // what call would say of its argument
	result    *exo.Type
	opens     string // the interface of the object that it returns
}

// Method makes a method of a function. It sends, it is a sink that admits
// public values only, and it has no effect unless Effect says so.
func Method[In, Out any](name, doc string, f func(ctx context.Context, in In) (Out, error)) Operation {
	op := Operation{name: name, doc: doc, in: reflect.TypeFor[In](), out: reflect.TypeFor[Out]()}
	if f == nil {
		return op
	}
	in, _ := formOf(op.in, "argument")
	var out *form
	if !op.object() {
		out, _ = formOf(op.out, "result")
	}
	op.read = func(v exo.Value) error {
		var arg In
		if err := in.read(v, reflect.ValueOf(&arg).Elem(), ""); err != nil {
			return err
		}
		return nil
	}
	op.call = func(ctx context.Context, v exo.Value) (exo.Value, error) {
		var arg In
		if err := in.read(v, reflect.ValueOf(&arg).Elem(), ""); err != nil {
			return exo.Value{}, err
		}
		res, err := f(ctx, arg)
		if err != nil {
			return exo.Value{}, failure(ctx, err)
		}
		if out == nil {
			o, _ := any(res).(exo.Object)
			return exo.RefValue(o), nil
		}
		if op.out == reflect.TypeFor[None]() {
			return exo.Null(), nil
		}
		w, err := out.write(reflect.ValueOf(&res).Elem(), "result", 0)
		if err != nil {
			return exo.Value{}, internal(err)
		}
		return w, nil
	}
	return op
}

// Effect says that the method changes something. It is Held: the program gets a receipt,
// and the function is called once the program has ended well and what it changed has been
// committed, so that a program that fails has sent no mail. Of its result only the record
// hears. See [Key] for a function that may be asked again by others.
func (op Operation) Effect() Operation {
	op.effect = exo.Held
	return op
}

// Immediate says that the method changes something at once and for good, since the program
// needs its answer. It is refused where the program has changes that are not final yet; and
// it has happened, whatever becomes of the program.
func (op Operation) Immediate() Operation {
	op.effect = exo.Immediate
	return op
}

// Admits says which labels may leave the host by this method; AdmitsFor, which of them
// by one call.
func (op Operation) Admits(l exo.Label) Operation {
	op.admits = l
	return op
}

// Returns says that the method's result is an object of the same kind as like,
// which serves as an example only. Every function whose result is an
// exo.Object needs it, or ReturnsOwnKind.
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
func (op *Operation) method(own *exo.Type) (*exo.Method, []*exo.Interface, error) {
	if op.call == nil {
		return nil, nil, errors.New("has no function")
	}
	m := &exo.Method{Name: op.name, Doc: op.doc, Sends: true, Sink: true, Effect: op.effect, Admits: op.admits}
	if op.in.Kind() != reflect.Struct {
		return nil, nil, fmt.Errorf("the argument is %s; it must be a struct", op.in)
	}
	in, err := typeOf(op.in, "argument")
	if err != nil {
		return nil, nil, err
	}
	if in.Name != exo.TypeRecord {
		return nil, nil, fmt.Errorf("the argument is %s; it must be a struct with fields", op.in)
	}
	if err := op.checkPart(in); err != nil {
		return nil, nil, err
	}
	if len(in.Fields) > 0 {
		opt := true
		for _, f := range in.Fields {
			opt = opt && f.Opt
		}
		m.Params = []exo.Param{{Name: "the argument", Want: &exo.Term{Con: in}, Opt: opt}}
	}
	t, more, err := op.resultType(own)
	if err != nil {
		return nil, nil, err
	}
	op.result, m.Result = t, &exo.Term{Con: t}
	if op.effect == exo.Held {
		if op.object() {
			return nil, nil, errors.New("the result is an object, and the program gets a receipt: it can't be an Effect, only Immediate")
		}
		m.Result = &exo.Term{Con: exo.Receipt()}
	}
	return m, more, nil
}

func (op *Operation) resultType(own *exo.Type) (*exo.Type, []*exo.Interface, error) {
	switch {
	case !op.object():
		if op.own || op.like != nil {
			return nil, nil, fmt.Errorf("the result is %s, which is no exo.Object", op.out)
		}
		if op.out == reflect.TypeFor[None]() {
			return &exo.Type{Name: exo.TypeNull}, nil, nil
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
func (op *Operation) check(v exo.Value) error {
	if !op.object() {
		return fits(op.result, v, "result")
	}
	o := v.Ref()
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
