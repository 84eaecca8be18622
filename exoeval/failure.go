package exoeval

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval/internal/guest"
	"github.com/exoagent/exoagent/internal/scalar"
)

// This file reports why a program failed, in words that its author understands.

// failure turns what ended the program into the error that the model reads.
func (r *run) failure(err error) error {
	r.Failed = true
	var ex *goja.Exception
	if r.Fatal != nil {
		if fail.PosOf(r.Fatal).Line > 0 {
			return r.Fatal
		}
		return r.Placed(r.Fatal, 0, 0)
	}
	var interrupted *goja.InterruptedError
	var overflow *goja.StackOverflowError
	switch {
	case errors.As(err, &interrupted):
		if e, ok := interrupted.Value().(error); ok {
			line, col := guest.FrameOf(interrupted.Stack())
			return r.Placed(e, line, col)
		}
		return r.Placed(&fail.Error{Kind: fail.Cancelled, Err: err}, 0, 0)
	case errors.As(err, &overflow):
		line, col := guest.FrameOf(overflow.Stack())
		return r.Placed(fail.Errorf(fail.Limit, "", "functions call each other too deeply, more than %d levels: use a loop", r.MaxDepth), line, col)
	case errors.As(err, &ex):
		line, col := guest.FrameOf(ex.Stack())
		return r.reason(ex.Value(), line, col)
	}
	return r.Placed(&fail.Error{Kind: fail.Internal, Err: err}, 0, 0)
}

var missingMember = scalar.Pattern(`^Object has no member '(\w+)'`)

var memberOfNothing = scalar.Pattern(`^(Cannot read property '.*' of (undefined|null)|Value is not object coercible)$`)

var fixedMember = scalar.Pattern(`^Cannot assign to read only property '(\w+)'`)

const throwAnError = "write throw new Error('what went wrong')"

// reason returns the error for a thrown or rejected value. It may run code of the program.
func (r *run) reason(v goja.Value, line, col int) error {
	r.Failed = true
	o, ok := v.(*goja.Object)
	if v, ok := r.SealedIn(v); ok {
		return r.Placed(fail.Errorf(fail.Program, "", "the program threw %s", v), line, col)
	}
	if !ok {
		text := cmp.Or(scalar.Shorten(r.safeString(v), 500), "a value without a text; "+throwAnError)
		return r.Placed(fail.Errorf(fail.Program, "", "the program threw %s", text), line, col)
	}
	if t, ok := r.Thrown[o]; ok {
		if t.Line > 0 {
			line, col = t.Line, t.Col
		}
		return r.Placed(t.Err, line, col)
	}
	var name, msg, stack string
	r.guarded(func() {
		if x := o.Get("name"); x != nil {
			name = x.String()
		}
		if x := o.Get("message"); x != nil {
			msg = x.String()
		} else {
			msg = r.safeString(v)
		}
		if x := o.Get("stack"); x != nil {
			stack = x.String()
		}
	})
	if m := guest.StackPlace().FindStringSubmatch(stack); m != nil && line == 0 {
		line, _ = strconv.Atoi(m[1])
		col, _ = strconv.Atoi(m[2])
	}
	if m := missingMember().FindStringSubmatch(msg); m != nil {
		if s := r.OfResult(m[1]); s != "" {
			msg = s
		}
	}
	if r.NoRow != nil && memberOfNothing().MatchString(msg) {
		msg += ": " + r.Say(nil, "found.nothing", "{it} found nothing and gave null; test it with if (x), or read x?.member", "it", r.Check.Name(r.NoRow))
	}
	if m := fixedMember().FindStringSubmatch(msg); m != nil && r.Fixes(m[1]) {
		return r.Placed(r.IsFixed(m[1]), line, col)
	}
	if strings.HasPrefix(msg, "Compiler bug: unknown type") { // goja's typeof panics with this text on a type of value that it does not know
		msg = "`typeof` can't look at what " + r.Describes() + ": it has no value in the program"
	}
	if msg == "" || msg == "[object Object]" {
		msg = "the program threw an object without a message; " + throwAnError
	}
	text := scalar.Shorten(msg, 2000)
	if name != "" && name != "Error" {
		text = scalar.Shorten(name, 100) + ": " + text
	}
	return r.Placed(fail.Errorf(fail.Program, "", "%s", text), line, col)
}

func (r *run) safeString(v goja.Value) (s string) {
	r.guarded(func() { s = v.String() })
	return s
}

// guarded runs f, which may run code of the program. No code of the program may be on the stack.
func (r *run) guarded(f func()) {
	defer func() { _ = recover() }() // this drops interrupts and panics of the engine, because the run is over
	_ = r.VM.Try(f)
}
