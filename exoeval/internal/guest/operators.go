package guest

// This file has the helpers that rewritten programs call.

import (
	"fmt"
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval/internal/front"
	"github.com/exoagent/exoagent/exoeval/internal/guest/hint"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
	"github.com/exoagent/exoagent/internal/scalar"
)

// mirrored maps each operator to the method of the right operand that has the same result.
var mirrored = map[string]string{"===": "===", "!==": "!==", "<": ">", "<=": ">=", ">": "<", ">=": "<=", "*": "*", "-": "rsub", "/": "rdiv", "%": "rmod"}

// sameInCallbacks makes == mean === in a callback: a
// recorded expression can't follow JavaScript's loose rules.
var sameInCallbacks = map[string]string{"==": "===", "!=": "!=="}

// Helpers are the functions that rewritten operators call. A realm has only those that its program calls (needs). With a recorded operand a
// helper records; otherwise it does what JavaScript does, also its short circuits.
var Helpers = map[string]func(*Guest, goja.FunctionCall) goja.Value{
	front.HelperAwait: func(r *Guest, c goja.FunctionCall) goja.Value { return r.Awaited(c.Argument(0)) },
	front.HelperCalled: func(r *Guest, c goja.FunctionCall) goja.Value {
		name := c.Argument(1).String()
		return r.HandPromise(c.Argument(0), Unawaited{Name: name, GoesOn: name != "new Promise"})
	},
	front.HelperKept: func(r *Guest, c goja.FunctionCall) goja.Value {
		if x := r.RecordedIn(c.Argument(0)); x != nil {
			panic(r.Throw(x.Novalue()))
		}
		return c.Argument(0)
	},
	front.HelperSent: func(r *Guest, c goja.FunctionCall) goja.Value { return r.sent(c.Argument(0)) },
	front.HelperOp: func(r *Guest, c goja.FunctionCall) goja.Value {
		return r.binary(c.Argument(0).String(), c.Argument(1), c.Argument(2))
	},
	front.HelperCalc: func(r *Guest, c goja.FunctionCall) goja.Value {
		op, a := c.Argument(0).String(), c.Argument(1)
		switch {
		case len(c.Arguments) == 2:
			return r.calculate(op, a, nil)
		case op != "Number":
			return r.calculate(op, a, c.Argument(2))
		case !c.Argument(2).SameAs(r.Intrinsics.Get("Number")): // a function of the program
			return a
		}
		return r.calculate(op, a, nil)
	},
	front.HelperRef: func(r *Guest, c goja.FunctionCall) goja.Value {
		return &target{of: c.Argument(0), name: c.Argument(1), was: r.plain(".", c.Argument(0), c.Argument(1))}
	},
	front.HelperAssign: func(r *Guest, c goja.FunctionCall) goja.Value {
		at := c.Argument(1).(*target)
		v := r.calculate(c.Argument(0).String(), at.was, c.Argument(2))
		return r.plain(".=", at.of, at.name, v)
	},
	front.HelperExact: func(r *Guest, c goja.FunctionCall) goja.Value {
		r.calculates = c.Argument(0)
		return goja.Undefined()
	},
	front.HelperUnary: func(r *Guest, c goja.FunctionCall) goja.Value {
		op, v := c.Argument(0).String(), c.Argument(1)
		if op == "!" {
			v = r.asTruth(v)
		}
		if x := r.RecordedIn(v); x != nil {
			switch op {
			case "-":
				return r.operateAs(x.Node, "neg", op)
			case "+":
				return r.converted("Number", op, v)
			}
			return r.operate(x.Node, op)
		}
		if op == "!" {
			return r.VM.ToValue(!v.ToBoolean())
		}
		return r.calculate(op+"x", v, nil)
	},
	front.HelperAnd: func(r *Guest, c goja.FunctionCall) goja.Value {
		return r.logical("&&", c.Argument(0), c.Argument(1), func(v goja.Value) bool { return v.ToBoolean() })
	},
	front.HelperOr: func(r *Guest, c goja.FunctionCall) goja.Value {
		return r.logical("||", c.Argument(0), c.Argument(1), func(v goja.Value) bool { return !v.ToBoolean() })
	},
	front.HelperNullish: func(r *Guest, c goja.FunctionCall) goja.Value {
		return r.logical("??", c.Argument(0), c.Argument(1), func(v goja.Value) bool { return goja.IsUndefined(v) || goja.IsNull(v) })
	},
	front.HelperCond: func(r *Guest, c goja.FunctionCall) goja.Value {
		if x := r.RecordedIn(r.asTruth(c.Argument(0))); x != nil {
			if r.methodOf(x.Node, "?:") != nil {
				return r.operate(x.Node, "?:", r.thunk(c.Argument(1)), r.thunk(c.Argument(2)))
			}
			form := "write the condition with && and ||"
			if t := r.ValueType(x.Node); t != "" && t != value.TypeBool {
				form = r.Say(x.Node, "op:?:", "compare it, like "+r.Comparison(x.Node))
			}
			panic(r.Throw(fail.Errorf(fail.Invalid, "", "`?:` can't decide by %s, which has no value in the program; %s", r.Check.Name(x.Node), form)))
		}
		if c.Argument(0).ToBoolean() {
			return r.thunk(c.Argument(1))
		}
		return r.thunk(c.Argument(2))
	},
	front.HelperTemplate: (*Guest).template,
	front.HelperTest: func(r *Guest, c goja.FunctionCall) goja.Value {
		if x := r.RecordedIn(r.asTruth(c.Argument(0))); x != nil {
			panic(r.Throw(fail.Errorf(fail.Invalid, "", "`if` and loops can't decide by %s, which has no value in the program; return one expression made with &&, || and ?:", r.Check.Name(x.Node))))
		}
		return r.VM.ToValue(c.Argument(0).ToBoolean())
	},
	front.HelperSwitch: func(r *Guest, c goja.FunctionCall) goja.Value {
		r.RefuseUnawaited(c.Argument(0))
		if x := r.RecordedIn(c.Argument(0)); x != nil {
			panic(r.Throw(fail.Errorf(fail.Invalid, "", "`switch` can't decide by %s, which has no value in the program; return one expression made with &&, || and ?:", r.Check.Name(x.Node))))
		}
		return c.Argument(0)
	},
	front.HelperTypeof: func(r *Guest, c goja.FunctionCall) goja.Value {
		r.RefuseUnawaited(c.Argument(0))
		r.refuseColumn(c.Argument(0), "`typeof` can't look at %s, which has no value in the program; leave the test out, since its type never changes", "typeof")
		if r.RecordedIn(c.Argument(0)) != nil {
			return r.VM.ToValue("object")
		}
		return r.calculate("typeof", c.Argument(0), nil)
	},
	front.HelperSpread: func(r *Guest, c goja.FunctionCall) goja.Value {
		if o := r.Fields(c.Argument(0)); o != nil {
			return o
		}
		return c.Argument(0)
	},
	front.HelperTarget: func(r *Guest, c goja.FunctionCall) goja.Value {
		if x := r.RecordedIn(c.Argument(0)); x != nil {
			x.Set(c.Argument(1).String(), nil)
		}
		return c.Argument(0)
	},
	front.HelperMember: func(r *Guest, c goja.FunctionCall) goja.Value { return r.member(c.Argument(0), c.Argument(1).String()) },
	front.HelperCallee: func(r *Guest, c goja.FunctionCall) goja.Value { return r.callee(c.Argument(0).String(), c.Argument(1)) },
	front.HelperArgument: func(r *Guest, c goja.FunctionCall) goja.Value {
		return r.argumentOfChain(c.Argument(0).String(), c.Argument(1))
	},
}

func (r *Guest) thunk(v goja.Value) goja.Value {
	f, _ := goja.AssertFunction(v)
	x, err := f(goja.Undefined())
	if err != nil {
		panic(r.Rethrow(err))
	}
	return x
}

func (r *Guest) logical(op string, a, thunk goja.Value, goOn func(goja.Value) bool) goja.Value {
	r.RefuseUnawaited(a)
	if op != "??" {
		a = r.asTruth(a)
	} else if recv, m, called := r.linkIn(a); m != nil && !called {
		panic(r.Throw(r.uncalled(recv, m)))
	}
	if x := r.RecordedIn(a); x != nil {
		if op == "??" {
			b := r.thunk(thunk)
			if goja.IsNull(b) || goja.IsUndefined(b) {
				return a // `x ?? null` is a frequent habit
			}
			return r.operate(x.Node, op, b)
		}
		b := r.asTruth(r.thunk(thunk))
		if r.ValueType(x.Node) == value.TypeBool && (goja.IsString(b) || goja.IsNumber(b)) { // the author wrote role === 'owner' || 'admin'
			s, _ := r.ToValue(b, forArgument)
			panic(r.Throw(fail.Errorf(fail.Invalid, "", "`%s` joins conditions, and %s is none: compare it too, like %s === %s", op, scalar.Shorten(s.String(), 60), r.MemberNoun(), scalar.Shorten(s.String(), 60))))
		}
		return r.operate(x.Node, op, b)
	}
	if !goOn(a) {
		return a
	}
	return r.thunk(thunk)
}

func (r *Guest) binary(op string, a, b goja.Value) goja.Value {
	if p := r.UnawaitedIn(a); p != nil && op == "instanceof" {
		a = p.promise // a program may only ask whether it is a promise
	}
	r.RefuseUnawaited(a, b)
	written := op
	if same, ok := sameInCallbacks[op]; ok {
		op = same
	}
	if v := r.withSealed(op, a, b); v != nil {
		return v
	}
	op = written
	if v := r.linkIsNull(op, a, b); v != nil {
		return v
	}
	x, y := r.RecordedIn(a), r.RecordedIn(b)
	if x == nil && y == nil {
		for _, v := range []goja.Value{a, b} {
			if IsMethod(v) && op != "in" && op != "instanceof" {
				v.(*goja.Object).Get("()") // this throws an error that names the method; the comparison of task.assignee with null would be false
			}
		}
		return r.calculate(op, a, b)
	}
	if same, ok := sameInCallbacks[op]; ok {
		op = same
	}
	if v := r.nullTest(op, x, y, a, b); v != nil {
		return v
	}
	switch op {
	case "in", "instanceof":
		if x != nil {
			panic(r.Throw(fail.Errorf(fail.Invalid, "", "`%s` can't be used with %s: the program does not have its value here%s", op, r.Check.Name(x.Node), hint.And(r.Say(x.Node, "oneof", "", "list", "[…]")))))
		}
		return r.plain(op, a, b)
	case "+":
		return r.plus(a, b)
	case "**":
		return r.power(op, a, b)
	}
	if op == "===" || op == "!==" {
		for _, side := range []*Recorded{x, y} {
			if other := map[bool]goja.Value{true: b, false: a}[side == x]; side != nil && len(r.Frames) > 0 && side.isRow() && (goja.IsNull(other) || goja.IsUndefined(other)) {
				if s := r.Unlinked(side.Node, r.frame().on); s != "" {
					panic(r.Throw(fail.Errorf(fail.Invalid, "", "`%s` can't be used with %s, which is %s; %s", written, r.Check.Name(side.Node), r.Say(nil, "whole", "no value"), s)))
				}
			}
		}
	}
	if x != nil {
		return r.operateAs(x.Node, op, written, b)
	}
	m := mirrored[op]
	if m == "" || strings.Contains("*-/%", op) && r.methodOf(y.Node, m) == nil {
		panic(r.Throw(fail.Errorf(fail.Invalid, "", "`%s` is not available with %s on its right%s", written, r.Check.Name(y.Node), r.Instead(y.Node, op))))
	}
	return r.operateAs(y.Node, m, written, a)
}

// linkIsNull compares a link to at most one row with null. It returns nil for any other comparison.
func (r *Guest) linkIsNull(op string, a, b goja.Value) goja.Value {
	if goja.IsNull(a) || goja.IsUndefined(a) {
		a, b = b, a
	}
	if !goja.IsNull(b) && !goja.IsUndefined(b) {
		return nil
	}
	if _, m, _ := r.linkIn(a); m == nil || m.Truth == "" {
		return nil
	}
	switch op {
	case "===", "==":
		return r.operate(r.RecordedIn(r.truth(a)).Node, "!")
	case "!==", "!=":
		return r.truth(a)
	}
	return nil
}

// nullTest compares an expression with null, if it has only the methods isNull and isNotNull. It returns nil for any other comparison.
func (r *Guest) nullTest(op string, x, y *Recorded, a, b goja.Value) goja.Value {
	method := map[string]string{"===": "isNull", "!==": "isNotNull"}[op]
	if x == nil {
		x, b = y, a
	}
	if method == "" || !goja.IsNull(b) && !goja.IsUndefined(b) || r.methodOf(x.Node, op) != nil || r.methodOf(x.Node, method) == nil {
		return nil
	}
	return r.operate(x.Node, method)
}

// methodOf returns the method of this name that an expression for a value has, or nil.
func (r *Guest) methodOf(n *message.Node, name string) *message.Method {
	i := r.Check.Catalog[n.Type.Name]
	if i == nil || !i.Expr {
		return nil
	}
	return i.Methods[name]
}

// operate records an operator: it calls the method of the same name.
func (r *Guest) operate(n *message.Node, op string, args ...goja.Value) goja.Value {
	return r.operateAs(n, op, op, args...)
}

// operateAs records the method that an operator means here.
func (r *Guest) operateAs(n *message.Node, method, op string, args ...goja.Value) goja.Value {
	r.mustHave(n, method, op)
	return r.call(n, r.methodOf(n, method), method, args)
}

func (r *Guest) mustHave(n *message.Node, method, op string) {
	if r.methodOf(n, method) == nil {
		panic(r.Throw(r.lacks(n, method, op)))
	}
}

// lacks returns the error for an operator that an expression does not have.
func (r *Guest) lacks(n *message.Node, method, op string) error {
	what := ", which is " + r.Say(nil, "whole", "no value")
	if i := r.Check.Catalog[n.Type.Name]; i != nil && i.Expr {
		what = ", which is " + n.Type.Args["of"].String()
	} else if row := (&Recorded{r: r, Node: n}).only(); row != nil {
		n, what = row, r.Check.Unsuited(row)
	}
	return fail.Errorf(fail.Invalid, "", "`%s` can't be used with %s%s%s", op, r.Check.Name(n), what, r.Instead(n, method))
}

// refuseColumn throws if v is an expression where only a value is possible. The error inserts the expression's name in format. It ends with
// the interface's phrase for the situation on[0], whose parts follow in on.
func (r *Guest) refuseColumn(v goja.Value, format string, on ...string) {
	if x := r.RecordedIn(v); x != nil {
		if i := x.Iface(); i != nil && i.Expr {
			s := fmt.Sprintf(format, r.Check.Name(x.Node))
			if len(on) > 0 {
				s += hint.And(r.Say(x.Node, on[0], "", on[1:]...))
			}
			panic(r.Throw(fail.Errorf(fail.Invalid, "", "%s", s)))
		}
	}
}

// plainSource has JavaScript's own operators, for operands that are not recorded.
const plainSource = `({
'.': (o, k) => o[k], '.=': (o, k, v) => o[k] = v, 'typeof': a => typeof a, 'in': (a, b) => a in b, 'instanceof': (a, b) => a instanceof b,
'===': (a, b) => a === b, '!==': (a, b) => a !== b, '==': (a, b) => a == b, '!=': (a, b) => a != b,
'<': (a, b) => a < b, '<=': (a, b) => a <= b, '>': (a, b) => a > b, '>=': (a, b) => a >= b,
'+': (a, b) => a + b, '-': (a, b) => a - b, '*': (a, b) => a * b, '/': (a, b) => a / b, '%': (a, b) => a % b, '**': (a, b) => a ** b,
'|': (a, b) => a | b, '&': (a, b) => a & b, '^': (a, b) => a ^ b, '<<': (a, b) => a << b, '>>': (a, b) => a >> b, '>>>': (a, b) => a >>> b,
'-x': a => -a, '+x': a => +a, '~x': a => ~a,
})`

var plainProgram = realm.Compiled("operators", plainSource)

// plain applies JavaScript's own operator, by functions of our own, because the program could have changed the realm's functions.
func (r *Guest) plain(op string, args ...goja.Value) goja.Value {
	switch op {
	case "===":
		return r.VM.ToValue(args[0].StrictEquals(args[1]))
	case "!==":
		return r.VM.ToValue(!args[0].StrictEquals(args[1]))
	}
	if r.plainOps == nil {
		r.plainOps = r.loadPlainOps()
	}
	if op == "==" || op == "!=" {
		// goja calls a method of the left operand, but turns an object on the right into a primitive. So a recorded value on the right would escape
		// our check. Swap the operands: == and != are symmetric.
		_, left := args[0].(*goja.Object)
		if _, right := args[1].(*goja.Object); right && !left {
			args = []goja.Value{args[1], args[0]}
		}
	}
	return r.Called(r.plainOps[op](goja.Undefined(), args...))
}

func (r *Guest) loadPlainOps() map[string]goja.Callable {
	v, err := r.VM.RunProgram(plainProgram())
	if err != nil {
		panic(r.Rethrow(err))
	}
	o := v.(*goja.Object)
	ops := map[string]goja.Callable{}
	for _, k := range o.Keys() {
		ops[k], _ = goja.AssertFunction(o.Get(k))
	}
	return ops
}
