package guest

// This file makes the errors that the program catches, with their places.

import (
	"slices"
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval/internal/guest/hint"
	"github.com/exoagent/exoagent/internal/scalar"
)

// thrown is what the run knows about an error object in the program. The object has only the guest's text, never the host's cause.
type thrown struct {
	Err       error
	Line, Col int // the place in the wrapped text; 0 if the object's stack has it
}

// Throw makes the JavaScript error for err. Never use NewGoError: it would
// give the program the Go error itself, with everything that it wraps.
func (r *Guest) Throw(err error) goja.Value {
	kind := fail.KindOf(err)
	if kind == fail.Limit {
		r.stop(err)
	}
	if n := len(r.Frames); n > 0 && kind == fail.Invalid && r.Frames[n-1].refused == nil {
		r.Frames[n-1].refused = err
	}
	line, col := r.here()
	return r.ErrorObject(err, line, col)
}

func (r *Guest) ErrorObject(err error, line, col int) goja.Value {
	o, e := r.VM.New(r.Intrinsic("Error"), r.VM.ToValue(fail.GuestText(err)))
	if e != nil {
		return r.VM.ToValue(fail.GuestText(err))
	}
	_ = o.DefineDataProperty("kind", r.VM.ToValue(fail.KindOf(err).String()), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
	Put(&r.Thrown, o, thrown{err, line, col})
	return o
}

// NoMember returns the error for a member that a thing lacks. The text what names the thing, and how says what to write instead.
func NoMember(what, name, how string) error {
	return fail.Errorf(fail.Denied, "", "%s has no member `%s`; %s", what, scalar.Shorten(name, 60), how)
}

func (r *Guest) ThrowMissing(what, name string, names []string) goja.Value {
	if n := scalar.Nearest(scalar.Shorten(name, 60), names); n != "" {
		return r.Throw(NoMember(what, name, "did you mean `"+n+"`?"))
	}
	if len(names) > 24 {
		names = append(slices.Clone(names[:24]), "…")
	}
	return r.Throw(NoMember(what, name, "it has `"+strings.Join(names, "`, `")+"`"))
}

// here returns the place in the program from which the host was called.
func (r *Guest) here() (line, col int) { return FrameOf(r.VM.CaptureCallStack(12, nil)) }

var StackPlace = scalar.Pattern(programName + `:(\d+):(\d+)`)

// programName is the file name of a program in goja's positions.
const programName = "program"

// OfResult returns the error text for a member that plain data of a reply lacks. It is "" if nothing is known about the name.
func (r *Guest) OfResult(name string) string {
	if name == "then" {
		return "only promises have `then`" + hint.Prefixed(": ", r.Say(nil, "result.then", ""))
	}
	if s := r.Say(nil, "read."+name, ""); s != "" {
		return "what was read is plain data and has no `" + name + "`: " + s
	}
	if s := r.Say(nil, "result."+name, ""); s != "" {
		return "results are plain data and have no `" + name + "`: " + r.Say(nil, "result", "write {instead}", "instead", s)
	}
	if r.isLink(name) {
		return r.Say(nil, "linked", "what was read is plain data and has no `{name}`", "name", name)
	}
	return ""
}

// isLink reports whether a granted interface has a method of this name.
func (r *Guest) isLink(name string) bool {
	for _, i := range r.Check.Catalog {
		if i.Methods[name] != nil {
			return true
		}
	}
	return false
}

// FrameOf returns the innermost place of a stack within the program, or 0, 0 if there is none.
func FrameOf(stack []goja.StackFrame) (line, col int) {
	for _, f := range stack {
		if f.SrcName() == programName {
			return f.Position().Line, f.Position().Column
		}
	}
	return 0, 0
}

// Placed gives an error its place in the given text of the program.
func (r *Guest) Placed(err error, line, col int) error {
	var at fail.Pos
	if line > 0 && r.Prog != nil {
		at = r.Prog.Position(line, col)
	}
	return AsError(err).At(at)
}

// spot is a line and a column that the engine reports.
type spot struct{ line, col int }

// place returns the place of a call in the given text of the program. A cache helps loops, which send from one place.
func (r *Guest) place(line, col int) fail.Pos {
	at := spot{line, col}
	p, ok := r.spots[at]
	if !ok && line > 0 && r.Prog != nil {
		p = r.Prog.Position(line, col)
		p.Text = ""
		Put(&r.spots, at, p)
	}
	return p
}

// AsError returns err as a *fail.Error. err must not be nil.
func AsError(err error) *fail.Error { return fail.Classify("", err).(*fail.Error) }
