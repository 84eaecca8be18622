package exoeval

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
	"github.com/exoagent/exoagent/internal/scalar"
)

// thrown is what the run knows of an error object that it gave to the program:
// the object carries the guest's text only, never the host's cause.
type thrown struct {
	err       error
	line, col int // in the wrapped text; 0: take it from the object's stack
}

// throw makes the JavaScript error for err. Never NewGoError: it would hand the
// Go error itself to the program, with everything that it wraps.
func (r *run) throw(err error) goja.Value {
	kind := exo.KindOf(err)
	if kind == exo.Limit {
		r.stop(err)
	}
	if n := len(r.frames); n > 0 && kind == exo.Invalid && r.frames[n-1].refused == nil {
		r.frames[n-1].refused = err
	}
	line, col := r.here()
	return r.errorObject(err, line, col)
}

func (r *run) errorObject(err error, line, col int) goja.Value {
	o, e := r.VM.New(r.Intrinsic("Error"), r.VM.ToValue(exo.GuestText(err)))
	if e != nil {
		return r.VM.ToValue(exo.GuestText(err))
	}
	_ = o.DefineDataProperty("kind", r.VM.ToValue(exo.KindOf(err).String()), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
	put(&r.thrown, o, thrown{err, line, col})
	return o
}

func (r *run) throwMissing(what, name string, names []string) goja.Value {
	name = scalar.Shorten(name, 60)
	if n := scalar.Nearest(name, names); n != "" {
		return r.throw(exo.Errorf(exo.Denied, "", "%s has no member `%s`; did you mean `%s`?", what, name, n))
	}
	if len(names) > 24 {
		names = append(slices.Clone(names[:24]), "…")
	}
	return r.throw(exo.Errorf(exo.Denied, "", "%s has no member `%s`; it has `%s`", what, name, strings.Join(names, "`, `")))
}

// here is the place in the program that called into the host.
func (r *run) here() (line, col int) {
	return frameOf(r.VM.CaptureCallStack(12, nil))
}

var stackPlace = realm.Expression(programName + `:(\d+):(\d+)`)

// programName is the file name of programs in goja's positions.
const programName = "program"

// failure turns what ended the program into the error that the model reads.
func (r *run) failure(err error) error {
	r.failed = true
	var ex *goja.Exception
	if r.fatal != nil {
		if exo.PosOf(r.fatal).Line > 0 {
			return r.fatal
		}
		return r.placed(r.fatal, 0, 0)
	}
	var interrupted *goja.InterruptedError
	var overflow *goja.StackOverflowError
	switch {
	case errors.As(err, &interrupted):
		if e, ok := interrupted.Value().(error); ok {
			line, col := frameOf(interrupted.Stack())
			return r.placed(e, line, col)
		}
		return r.placed(&exo.Error{Kind: exo.Cancelled, Err: err}, 0, 0)
	case errors.As(err, &overflow):
		line, col := frameOf(overflow.Stack())
		return r.placed(exo.Errorf(exo.Limit, "", "functions call each other too deeply: the limit is %d calls", r.bounds.CallDepth), line, col)
	case errors.As(err, &ex):
		line, col := frameOf(ex.Stack())
		return r.reason(ex.Value(), line, col)
	}
	return r.placed(&exo.Error{Kind: exo.Internal, Err: err}, 0, 0)
}

var missingMember = realm.Expression(`^Object has no member '(\w+)'`)

var memberOfNothing = realm.Expression(`^(Cannot read property '.*' of (undefined|null)|Value is not object coercible)$`)

var fixedMember = realm.Expression(`^Cannot assign to read only property '(\w+)'`)

// ofResult is the error for a member that plain data, what a call gave, does not have;
// "" if nothing is known of the name.
func (r *run) ofResult(name string) string {
	if name == "then" {
		return "only promises have `then`" + prefixed(": ", r.say(nil, "result.then", ""))
	}
	if s := r.say(nil, "read."+name, ""); s != "" {
		return "what was read is plain data and has no `" + name + "`: " + s
	}
	decimals := ""
	if r.hasDecimals() {
		decimals = r.say(nil, "decimals", "")
	}
	if s := r.say(nil, "result."+name, "", "decimals", decimals); s != "" {
		return "results are plain data and have no `" + name + "`: " + r.say(nil, "result", "write {instead}", "instead", s)
	}
	if r.isLink(name) {
		return r.say(nil, "linked", "what was read is plain data and has no `{name}`", "name", name)
	}
	return ""
}

// isLink reports whether something that was granted has a method of this name.
func (r *run) isLink(name string) bool {
	for _, i := range r.check.Catalog {
		if i.Methods[name] != nil {
			return true
		}
	}
	return false
}

// hasDecimals reports whether something that was granted has a field of decimals.
func (r *run) hasDecimals() bool {
	for _, i := range r.check.Catalog {
		for _, f := range i.Fields {
			if of := f.Type.Args["of"]; of != nil && of.Name == exo.TypeDecimal {
				return true
			}
		}
	}
	return false
}

// frameOf is the innermost place of a stack that is in the program.
func frameOf(stack []goja.StackFrame) (line, col int) {
	for _, f := range stack {
		if f.SrcName() == programName {
			return f.Position().Line, f.Position().Column
		}
	}
	return 0, 0
}

// reason describes a thrown or rejected value. It may run code of the program.
func (r *run) reason(v goja.Value, line, col int) error {
	r.failed = true
	o, ok := v.(*goja.Object)
	if v, ok := r.sealedIn(v); ok {
		return r.placed(exo.Errorf(exo.Program, "", "the program threw %s", v), line, col)
	}
	if !ok {
		return r.placed(exo.Errorf(exo.Program, "", "the program threw %s", scalar.Shorten(r.safeString(v), 500)), line, col)
	}
	if t, ok := r.thrown[o]; ok {
		if t.line > 0 {
			line, col = t.line, t.col
		}
		return r.placed(t.err, line, col)
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
	if m := stackPlace().FindStringSubmatch(stack); m != nil && line == 0 {
		line, _ = strconv.Atoi(m[1])
		col, _ = strconv.Atoi(m[2])
	}
	if m := missingMember().FindStringSubmatch(msg); m != nil {
		if s := r.ofResult(m[1]); s != "" {
			msg = s
		}
	}
	if r.noRow != nil && memberOfNothing().MatchString(msg) {
		msg += ": " + r.say(nil, "found.nothing", "{it} found nothing and gave null; test it with if (x), or read x?.member", "it", r.check.Name(r.noRow))
	}
	if m := fixedMember().FindStringSubmatch(msg); m != nil && r.fixes(m[1]) {
		return r.placed(r.isFixed(m[1]), line, col)
	}
	if strings.HasPrefix(msg, "Compiler bug: unknown type") { // of typeof, in the engine's own functions
		msg = "`typeof` can't look at what " + r.describes() + ": it has no value in the program"
	}
	text := scalar.Shorten(msg, 2000)
	if name != "" && name != "Error" {
		text = scalar.Shorten(name, 100) + ": " + text
	}
	return r.placed(exo.Errorf(exo.Program, "", "%s", text), line, col)
}

func (r *run) safeString(v goja.Value) (s string) {
	r.guarded(func() { s = v.String() })
	return s
}

// guarded runs f, which may run code of the program, from outside the realm.
func (r *run) guarded(f func()) {
	defer func() { _ = recover() }() // interrupts and engine panics: the run is over anyway
	_ = r.VM.Try(f)
}

// placed gives an error its place in the program as it was handed in.
func (r *run) placed(err error, line, col int) error {
	var at exo.Pos
	if line > 0 && r.prog != nil {
		at = r.prog.Position(line, col)
	}
	return asError(err).At(at)
}

// spot is a line and column as the engine has them.
type spot struct{ line, col int }

// place is where in the program as it was handed in a call stands. A loop sends from one place.
func (r *run) place(line, col int) exo.Pos {
	at := spot{line, col}
	p, ok := r.spots[at]
	if !ok && line > 0 && r.prog != nil {
		p = r.prog.Position(line, col)
		p.Text = ""
		put(&r.spots, at, p)
	}
	return p
}

// asError is err, which is not nil, with its fields.
func asError(err error) *exo.Error { return exo.Classify("", err).(*exo.Error) }
