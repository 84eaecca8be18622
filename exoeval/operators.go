package exoeval

import (
	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
)

// mirrored is the operator that means the same with its operands exchanged.
var mirrored = map[string]string{"===": "===", "!==": "!==", "==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<=", "+": "", "*": ""}

// sameInCallbacks: in a callback == means what === means; the loose rules of
// JavaScript can't be had in a database.
var sameInCallbacks = map[string]string{"==": "===", "!=": "!=="}

// helpers are what the rewritten operators of describing callbacks call; only
// the realms of programs that have such callbacks hold them (needs). They record when an operand is recorded, and otherwise do what JavaScript does,
// short circuits included.
func (r *run) helpers() map[string]func(goja.FunctionCall) goja.Value {
	return map[string]func(goja.FunctionCall) goja.Value{
		helperOp: func(c goja.FunctionCall) goja.Value {
			return r.binary(c.Argument(0).String(), c.Argument(1), c.Argument(2))
		},
		helperUnary: func(c goja.FunctionCall) goja.Value {
			op, v := c.Argument(0).String(), c.Argument(1)
			if x := r.recordedIn(v); x != nil {
				return r.operate(x.node, op)
			}
			if op == "!" {
				return r.vm.ToValue(!v.ToBoolean())
			}
			return r.plain(op+"x", v)
		},
		helperAnd: func(c goja.FunctionCall) goja.Value {
			return r.logical("&&", c.Argument(0), c.Argument(1), func(v goja.Value) bool { return v.ToBoolean() })
		},
		helperOr: func(c goja.FunctionCall) goja.Value {
			return r.logical("||", c.Argument(0), c.Argument(1), func(v goja.Value) bool { return !v.ToBoolean() })
		},
		helperNullish: func(c goja.FunctionCall) goja.Value {
			return r.logical("??", c.Argument(0), c.Argument(1), func(v goja.Value) bool { return goja.IsUndefined(v) || goja.IsNull(v) })
		},
		helperCond: func(c goja.FunctionCall) goja.Value {
			if x := r.recordedIn(c.Argument(0)); x != nil {
				panic(r.throw(exo.Errorf(exo.Invalid, "", "`?:` can't decide by %s, which has no value in the program; write the condition with && and ||", r.check.Name(x.node))))
			}
			if c.Argument(0).ToBoolean() {
				return r.thunk(c.Argument(1))
			}
			return r.thunk(c.Argument(2))
		},
		helperTemplate: r.template,
		helperTest: func(c goja.FunctionCall) goja.Value {
			if x := r.recordedIn(c.Argument(0)); x != nil {
				panic(r.throw(exo.Errorf(exo.Invalid, "", "`if` and loops can't decide by %s, which has no value in the program; return one condition made with && and ||", r.check.Name(x.node))))
			}
			return r.vm.ToValue(c.Argument(0).ToBoolean())
		},
	}
}

func (r *run) thunk(v goja.Value) goja.Value {
	f, _ := goja.AssertFunction(v)
	x, err := f(goja.Undefined())
	if err != nil {
		panic(r.rethrow(err))
	}
	return x
}

func (r *run) logical(op string, a, thunk goja.Value, goOn func(goja.Value) bool) goja.Value {
	if x := r.recordedIn(a); x != nil {
		return r.operate(x.node, op, r.thunk(thunk))
	}
	if !goOn(a) {
		return a
	}
	return r.thunk(thunk)
}

func (r *run) binary(op string, a, b goja.Value) goja.Value {
	x, y := r.recordedIn(a), r.recordedIn(b)
	if x == nil && y == nil {
		return r.plain(op, a, b)
	}
	if same, ok := sameInCallbacks[op]; ok {
		op = same
	}
	if x != nil {
		return r.operate(x.node, op, b)
	}
	m := mirrored[op]
	if m == "" {
		panic(r.throw(exo.Errorf(exo.Invalid, "", "`%s` is not available with %s on its right", op, r.check.Name(y.node))))
	}
	return r.operate(y.node, m, a)
}

// operate records an operator as the method of that name.
func (r *run) operate(n *exo.Node, op string, args ...goja.Value) goja.Value {
	i := r.check.Catalog[n.Type.Name]
	if i == nil || !i.Expr || i.Methods[op] == nil {
		what := "a whole table or query"
		if i != nil && i.Expr {
			what = n.Type.Args["of"].String()
		}
		hint := ""
		switch op {
		case "!":
			hint = "; for an empty value use .isNull()"
		case "-":
			hint = "; to sort backwards use .desc()"
		}
		panic(r.throw(exo.Errorf(exo.Invalid, "", "`%s` can't be used with %s, which is %s%s", op, r.check.Name(n), what, hint)))
	}
	return r.call(n, i.Methods[op], op, args)
}

func (r *run) template(c goja.FunctionCall) goja.Value {
	parts := c.Argument(0).(*goja.Object)
	s := parts.Get("0").String()
	for i, v := range c.Arguments[1:] {
		if x := r.recordedIn(v); x != nil {
			panic(r.throw(exo.Errorf(exo.Invalid, "", "a template can't hold %s, which has no value in the program; select the column and build the text from the rows", r.check.Name(x.node))))
		}
		s += v.ToString().String() + parts.Get(itoa(i+1)).String()
	}
	return r.vm.ToValue(s)
}

// plainSource are JavaScript's own operators, for operands that are not recorded.
const plainSource = `({
'===': (a, b) => a === b, '!==': (a, b) => a !== b, '==': (a, b) => a == b, '!=': (a, b) => a != b,
'<': (a, b) => a < b, '<=': (a, b) => a <= b, '>': (a, b) => a > b, '>=': (a, b) => a >= b,
'+': (a, b) => a + b, '-': (a, b) => a - b, '*': (a, b) => a * b, '/': (a, b) => a / b, '%': (a, b) => a % b, '**': (a, b) => a ** b,
'-x': a => -a, '+x': a => +a, '~x': a => ~a,
})`

var plainProgram = mustCompile("operators", plainSource)

// plain does what JavaScript does. Which closures do it is not looked up in the
// realm: a program can't have touched them.
func (r *run) plain(op string, args ...goja.Value) goja.Value {
	switch op {
	case "===":
		return r.vm.ToValue(args[0].StrictEquals(args[1]))
	case "!==":
		return r.vm.ToValue(!args[0].StrictEquals(args[1]))
	}
	if r.plainOps == nil {
		r.plainOps = r.loadPlainOps()
	}
	v, err := r.plainOps[op](goja.Undefined(), args...)
	if err != nil {
		panic(r.rethrow(err))
	}
	return v
}

func (r *run) loadPlainOps() map[string]goja.Callable {
	v, err := r.vm.RunProgram(plainProgram)
	if err != nil {
		panic(r.rethrow(err))
	}
	o := v.(*goja.Object)
	ops := map[string]goja.Callable{}
	for _, k := range o.Keys() {
		ops[k], _ = goja.AssertFunction(o.Get(k))
	}
	return ops
}
