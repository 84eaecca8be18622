package front

// This file gives a function literal two bodies: one runs as written, and one records operators for a query.

import (
	"reflect"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/unistring"
)

// A function literal may be stored, returned or passed on. It may end as the callback of a describing method, or be called a million times
// over rows. So its body is compiled twice, as written and with its operators recorded. While a describing callback is called, the host's flag
// selects the second body. So a condition is always recorded, and a loop only pays for reading the flag.

// These constants limit how much is compiled twice. A literal within literals is copied once for each level.
const (
	maxTwinDepth = 3
	maxTwinNodes = 20_000
)

// plainCallbacks are methods of JavaScript that call their callback with values, once for each item. So the callback has no second body. A
// program's own method with such a name can't get a callback that needs recording.
var plainCallbacks = map[string]bool{"map": true, "filter": true, "forEach": true, "reduce": true, "reduceRight": true, "some": true, "every": true, "find": true, "findIndex": true,
	"findLast": true, "findLastIndex": true, "flatMap": true, "sort": true, "toSorted": true, "then": true, "catch": true, "finally": true, "replace": true, "replaceAll": true,
	"from": true, "fromAsync": true, "groupBy": true, "stringify": true, "parse": true}

// value rewrites an expression for its value: a function literal gets a second body. name is the name that JavaScript gives the function, or
// "".
func (r *rewriter) value(e ast.Expression, name string) ast.Expression {
	if e == nil {
		return nil
	}
	twin, plain := r.twice(e, name != "")
	if twin == nil {
		return plain
	}
	return r.either(twin, plain)
}

// twice returns a function literal twice: with its operators recorded, and as written. twin is nil if there can be no second body.
func (r *rewriter) twice(e ast.Expression, named bool) (twin, plain ast.Expression) {
	info := r.infos[e]
	if r.records || info == nil || info.records || !twinnable(e, named) || r.twinDepth >= maxTwinDepth {
		return nil, r.expr(e)
	}
	if b := r.bound[e]; b != nil && b.uses == b.calls {
		return nil, r.expr(e) // the program only calls it by its name
	}
	if twin = r.clone(e); twin == nil {
		return nil, r.expr(e)
	}
	r.twinDepth++
	plain = r.expr(e)
	r.twinDepth--
	fault := r.fault
	if twin = r.expr(twin); r.fault != fault {
		// The recorded copy would await among recorded operators, which is refused. So the function can't be a describing callback.
		r.fault = fault
		return nil, plain
	}
	return twin, plain
}

// either returns the function literal plain with two bodies. If the host's flag is set, the body of recorded runs, which is a copy of plain with
// recorded operators. Otherwise the body of plain runs.
func (r *rewriter) either(recorded, plain ast.Expression) ast.Expression {
	at := plain.Idx0()
	r.helpers[HelperRecording] = true
	flag := &ast.Identifier{Name: unistring.String(HelperRecording), Idx: at}
	choose := func(a, b ast.Statement) *ast.BlockStatement {
		return &ast.BlockStatement{LeftBrace: at, RightBrace: at, List: []ast.Statement{&ast.IfStatement{If: at, Test: flag, Consequent: a, Alternate: b}}}
	}
	if redeclares(plain) {
		return plain // a parameter that is declared again is a syntax error, which goja finds only in a function's own body
	}
	switch plain := plain.(type) {
	case *ast.ArrowFunctionLiteral:
		recorded := recorded.(*ast.ArrowFunctionLiteral)
		a, isExpression := recorded.Body.(*ast.ExpressionBody)
		b, isExpression2 := plain.Body.(*ast.ExpressionBody)
		if isExpression && isExpression2 {
			b.Expression = &ast.ConditionalExpression{Test: flag, Consequent: a.Expression, Alternate: b.Expression}
		} else {
			plain.Body = choose(blockOf(recorded.Body), blockOf(plain.Body))
		}
		plain.DeclarationList = append(plain.DeclarationList, recorded.DeclarationList...)
	case *ast.FunctionLiteral:
		recorded := recorded.(*ast.FunctionLiteral)
		plain.Body = choose(recorded.Body, plain.Body)
		plain.DeclarationList = append(plain.DeclarationList, recorded.DeclarationList...)
	}
	return plain
}

// redeclares reports whether a body declares a parameter again by let, const or class.
func redeclares(fn ast.Expression) bool {
	var params *ast.ParameterList
	var body *ast.BlockStatement
	switch fn := fn.(type) {
	case *ast.ArrowFunctionLiteral:
		params = fn.ParameterList
		body, _ = fn.Body.(*ast.BlockStatement)
	case *ast.FunctionLiteral:
		params, body = fn.ParameterList, fn.Body
	}
	if body == nil {
		return false
	}
	c := &checker{maxDepth: 1 << 20} // a walk of patterns needs no bound, because the checker has bounded their depth
	names := map[string]bool{}
	declare := func(name string, _ file.Idx) { names[name] = true }
	for _, b := range params.List {
		c.bindNames(b.Target, declare)
	}
	c.bindNames(params.Rest, declare)
	again := false
	seen := func(name string, _ file.Idx) { again = again || names[name] }
	for _, s := range body.List {
		switch s := s.(type) {
		case *ast.LexicalDeclaration:
			for _, b := range s.List {
				c.bindNames(b.Target, seen)
			}
		case *ast.ClassDeclaration:
			if s.Class.Name != nil {
				seen(s.Class.Name.Name.String(), 0)
			}
		}
	}
	return again
}

// blockOf returns the body of an arrow function as a block.
func blockOf(b ast.ConciseBody) ast.Statement {
	switch b := b.(type) {
	case *ast.BlockStatement:
		return b
	case *ast.ExpressionBody:
		at := b.Expression.Idx0()
		return &ast.BlockStatement{LeftBrace: at, RightBrace: at, List: []ast.Statement{&ast.ReturnStatement{Return: at, Argument: b.Expression}}}
	}
	return nil
}

func (r *rewriter) values(list []ast.Expression) {
	for i, e := range list {
		list[i] = r.value(e, "")
	}
}

// arguments rewrites the arguments of a call.
func (r *rewriter) arguments(e *ast.CallExpression) {
	callee := e.Callee
	if o, ok := callee.(*ast.Optional); ok {
		callee = o.Expression
	}
	if dot, ok := callee.(*ast.DotExpression); ok && plainCallbacks[dot.Identifier.Name.String()] {
		if len(e.ArgumentList) == 1 && synonymCallbacks[dot.Identifier.Name.String()] && mayDescribe(dot.Left) {
			e.ArgumentList[0] = r.heard(e.ArgumentList[0])
			return
		}
		r.exprs(e.ArgumentList)
		return
	}
	r.values(e.ArgumentList)
}

// synonymCallbacks are the plainCallbacks with a name that is a describing method in other libraries.
var synonymCallbacks = map[string]bool{"map": true, "filter": true, "find": true}

// mayDescribe reports whether e, the object of a method call, may be a described thing. It returns false if e is surely an array, a text or an
// awaited value.
func mayDescribe(e ast.Expression) bool {
	switch e := e.(type) {
	case *ast.AwaitExpression, *ast.ArrayLiteral, *ast.StringLiteral, *ast.TemplateLiteral:
		return false
	case *ast.CallExpression:
		if dot, ok := e.Callee.(*ast.DotExpression); ok {
			if id, ok := dot.Left.(*ast.Identifier); ok && (id.Name == "Object" || id.Name == "Array") {
				return false
			}
			return mayDescribe(dot.Left)
		}
	case *ast.DotExpression:
		return mayDescribe(e.Left)
	}
	return true
}

// heard rewrites the callback of a method that both arrays and described things have. The literal is compiled twice, and reading the method
// chooses one. So a loop over rows costs nothing more.
func (r *rewriter) heard(e ast.Expression) ast.Expression {
	twin, plain := r.twice(e, false)
	if twin == nil {
		return plain
	}
	r.helpers[HelperHearing] = true
	at := plain.Idx0()
	return &ast.ConditionalExpression{Test: &ast.Identifier{Name: unistring.String(HelperHearing), Idx: at}, Consequent: twin, Alternate: plain}
}

// nameOf returns the name that an assignment gives to a function, or "" if it gives none.
func nameOf(target ast.Expression) string {
	if id, ok := target.(*ast.Identifier); ok {
		return id.Name.String()
	}
	return ""
}

// twinnable reports whether a literal can be the callback of a describing method, or a named function that such a callback calls.
func twinnable(e ast.Expression, named bool) bool {
	var params *ast.ParameterList
	switch e := e.(type) {
	case *ast.ArrowFunctionLiteral:
		if e.Async {
			return false
		}
		params = e.ParameterList
	case *ast.FunctionLiteral:
		if e.Async || e.Generator {
			return false
		}
		params = e.ParameterList
	default:
		return false
	}
	return named || len(params.List) <= 1 && params.Rest == nil
}

// clone copies a function literal and marks the copy as recorded. After too many copies it returns nil.
func (r *rewriter) clone(e ast.Expression) ast.Expression {
	c := &cloner{seen: map[any]reflect.Value{}, left: maxTwinNodes - r.twinNodes}
	out := c.copy(reflect.ValueOf(&e).Elem())
	if c.left < 0 {
		return nil
	}
	r.twinNodes = maxTwinNodes - c.left
	for old, v := range c.seen {
		if node, ok := old.(ast.Node); ok && r.infos[node] != nil {
			twin := v.Interface().(ast.Node)
			r.infos[twin] = &funcInfo{node: twin, records: true}
		}
		if id, ok := old.(*ast.Identifier); ok && r.free[id] {
			r.free[v.Interface().(*ast.Identifier)] = true
		}
	}
	return out.Interface().(ast.Expression)
}

var astPackage = reflect.TypeFor[ast.Program]().PkgPath()

// cloner copies trees of goja's parser, and fails after left nodes: then left is negative. A node with two parents is copied once: a declaration
// belongs to its statement and to its function's list.
type cloner struct {
	seen map[any]reflect.Value
	left int
	flat bool // the copy fails at a function, a class, an await or a yield
}

func flat(node any) bool {
	switch node.(type) {
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.ClassLiteral, *ast.AwaitExpression, *ast.YieldExpression:
		return false
	}
	return true
}

func (c *cloner) copy(v reflect.Value) reflect.Value {
	if c.left < 0 {
		return v
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().PkgPath() != astPackage {
			return v
		}
		if done, ok := c.seen[v.Interface()]; ok {
			return done
		}
		c.left--
		if c.flat && !flat(v.Interface()) {
			c.left = -1
		}
		out := reflect.New(v.Type().Elem())
		c.seen[v.Interface()] = out
		out.Elem().Set(c.copy(v.Elem()))
		return out
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type()).Elem()
		out.Set(c.copy(v.Elem()))
		return out
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(c.copy(v.Index(i)))
		}
		return out
	case reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(c.copy(v.Field(i)))
			}
		}
		return out
	}
	return v
}
