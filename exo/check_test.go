package exo

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// twin is an attack on the checker and the message next to it that is honest.
type twin struct {
	what string
	bad  Expr
	kind Kind
	good Expr
}

func graphAttacks() []twin {
	ok := then(open8(), call(7, "execute"))
	with := func(i int, n WireNode) Expr {
		x := then(ok)
		x.Nodes = append([]WireNode(nil), x.Nodes...)
		x.Nodes[i] = n
		return x
	}
	return []twin{
		{"empty message", Expr{}, Invalid, ok},
		{"receiver ahead", with(3, fld(7, "done")), Invalid, ok},
		{"receiver itself", with(3, fld(3, "done")), Invalid, ok},
		{"receiver beyond the end", with(3, fld(1<<30, "done")), Invalid, ok},
		{"receiver negative", with(3, fld(-2, "done")), Invalid, ok},
		{"no receiver", with(3, fld(-1, "done")), Invalid, ok},
		{"argument ahead", with(5, call(3, "eq", 8)), Invalid, ok},
		{"argument itself", with(5, call(3, "eq", 5)), Invalid, ok},
		{"argument negative", with(5, call(3, "eq", -1)), Invalid, ok},
		{"node not used", then(open8(), lit(Int(1)), call(7, "execute")), Invalid, then(open8(), lit(Int(1)), call(7, "limit", 8), call(9, "execute"))},
		{"root that does not send", open8(), Invalid, ok},
		{"root that is no call", msg(ref(todosID)), Invalid, msg(ref(todosID), call(0, "execute"))},
		{"root that is a literal", msg(lit(Int(1))), Invalid, ok},
		{"root that depends on a callback", msg(ref(todosID), param(0, "join", 0), fld(1, "todo"), call(2, "user"), call(3, "execute")), Invalid,
			msg(ref(todosID), param(0, "join", 0), fld(1, "todo"), call(2, "user"), lam(1, 3), call(0, "join", 4), call(5, "execute"))},
		{"unknown op 0", with(4, WireNode{Op: 0, Recv: -1}), Invalid, ok},
		{"unknown op 9", with(4, WireNode{Op: 9, Recv: -1}), Invalid, ok},
		{"unknown op 255", with(8, WireNode{Op: 255, Recv: 7}), Invalid, ok},
		{"literal with a name", with(4, WireNode{Op: OpLit, Lit: Bool(false), Name: "x", Recv: -1}), Invalid, ok},
		{"literal with a receiver", with(4, WireNode{Op: OpLit, Lit: Bool(false), Recv: 0}), Invalid, ok},
		{"literal with arguments", with(4, WireNode{Op: OpLit, Lit: Bool(false), Recv: -1, Args: []int32{0}}), Invalid, ok},
		{"literal with a reference", with(4, WireNode{Op: OpLit, Lit: Bool(false), Recv: -1, Ref: 1}), Invalid, ok},
		{"reference with a literal", with(0, WireNode{Op: OpRef, Ref: todosID, Recv: -1, Lit: Int(1)}), Invalid, ok},
		{"reference with a name", with(0, WireNode{Op: OpRef, Ref: todosID, Recv: -1, Name: "todos"}), Invalid, ok},
		{"field with arguments", with(3, WireNode{Op: OpField, Name: "done", Recv: 2, Args: []int32{0}}), Invalid, ok},
		{"field without a name", with(3, fld(2, "")), Invalid, ok},
		{"call with names", with(7, WireNode{Op: OpCall, Name: "where", Recv: 0, Args: []int32{6}, Names: []string{"x"}}), Invalid, ok},
		{"call with a number", with(7, WireNode{Op: OpCall, Name: "where", Recv: 0, Args: []int32{6}, Arg: 1}), Invalid, ok},
		{"call with a literal", with(8, WireNode{Op: OpCall, Name: "execute", Recv: 7, Lit: Int(1)}), Invalid, ok},
		{"lambda with a name", with(6, WireNode{Op: OpLambda, Name: "x", Recv: 1, Args: []int32{5}}), Invalid, ok},
		{"list with a receiver", msg(ref(todosID), param(0, "orderBy", 0), fld(1, "todo"), fld(2, "id"), WireNode{Op: OpList, Args: []int32{3}, Recv: 0}, lam(1, 4), call(0, "orderBy", 5), call(6, "execute")), Invalid,
			msg(ref(todosID), param(0, "orderBy", 0), fld(1, "todo"), fld(2, "id"), list(3), lam(1, 4), call(0, "orderBy", 5), call(6, "execute"))},
		{"reference never granted", with(0, ref(3)), Denied, ok},
		{"reference far out", with(0, ref(1<<31)), Denied, ok},
	}
}

func placeholderAttacks() []twin {
	ok := then(open8(), call(7, "execute"))
	secondWhere := then(open8(), param(7, "where", 0), fld(8, "todo"), fld(9, "done"), call(10, "eq", 4), lam(8, 11), call(7, "where", 12), call(13, "execute"))
	orderBy := msg(ref(todosID), param(0, "orderBy", 0), fld(1, "todo"), fld(2, "id"), lam(1, 3), call(0, "orderBy", 4), call(5, "execute"))
	joinOn := msg(ref(todosID), ref(usersID), param(0, "join", 1, 1), fld(2, "user"), fld(3, "id"), fld(2, "todo"), fld(5, "id"), call(4, "eq", 6), lam(2, 7), call(0, "join", 1, 8), call(9, "execute"))
	named := func(param string) Expr {
		return msg(ref(todosID), txt(param), WireNode{Op: OpParam, Name: "named", Recv: 0, Arg: 1, Args: []int32{1}}, fld(2, param), fld(3, "done"), lam(2, 4), txt("a"), call(0, "named", 6, 5), call(7, "execute"))
	}
	return []twin{
		{"condition of a callback that has returned", then(open8(), param(7, "where", 0), lam(8, 5), call(7, "where", 9), call(10, "execute")), Invalid, secondWhere},
		{"placeholder of a callback that has returned", then(open8(), param(7, "where", 0), fld(1, "todo"), fld(9, "done"), call(10, "eq", 4), lam(8, 11), call(7, "where", 12), call(13, "execute")), Invalid, secondWhere},
		{"placeholder of another call", msg(ref(todosID), lit(Int(1)), call(0, "limit", 1), param(0, "where", 0), fld(3, "todo"), fld(4, "done"), lam(3, 5), call(2, "where", 6), call(7, "execute")), Invalid,
			msg(ref(todosID), lit(Int(1)), call(0, "limit", 1), param(2, "where", 0), fld(3, "todo"), fld(4, "done"), lam(3, 5), call(2, "where", 6), call(7, "execute"))},
		{"placeholder of a live outer callback that is left", msg(ref(todosID), param(0, "join", 0), ref(usersID), param(2, "where", 0), fld(1, "todo"), fld(4, "done"), lam(3, 5), call(2, "where", 6), call(7, "execute")), Invalid,
			msg(ref(todosID), param(0, "join", 0), ref(usersID), param(2, "where", 0), fld(1, "todo"), fld(4, "done"), lam(3, 5), call(2, "where", 6), lam(1, 7), call(0, "join", 8), call(9, "execute"))},
		{"placeholder under two lambdas", then(open8(), lam(1, 5), call(7, "where", 8), call(9, "execute")), Invalid, secondWhere},
		{"lambda used by two calls on one receiver", then(open8(), call(0, "where", 6), txt("b"), call(8, "as", 9), call(7, "join", 10), call(11, "execute")), Invalid,
			then(open8(), param(0, "where", 0), fld(8, "todo"), fld(9, "done"), lam(8, 10), call(0, "where", 11), txt("b"), call(12, "as", 13), call(7, "join", 14), call(15, "execute"))},
		{"lambda used by the next call too", then(open8(), call(7, "where", 6), call(8, "execute")), Invalid, secondWhere},
		{"lambda of another method", msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, "id"), lam(1, 3), call(0, "orderBy", 4), call(5, "execute")), Invalid, orderBy},
		{"lambda of another position", msg(ref(todosID), ref(usersID), param(0, "join", 0), fld(2, "todo"), fld(3, "done"), lam(2, 4), call(0, "join", 1, 5), call(6, "execute")), Invalid, joinOn},
		{"placeholder made with other arguments", msg(ref(todosID), ref(usersID), txt("b"), call(0, "as", 2), param(0, "join", 1, 3), fld(4, "b"), fld(5, "done"), lam(4, 6), call(0, "join", 1, 7), call(8, "execute")), Invalid, joinOn},
		{"placeholder made with another static literal", named("b"), Invalid, named("a")},
		{"placeholder without its arguments", msg(ref(todosID), ref(usersID), param(0, "join", 1), fld(2, "todo"), fld(3, "done"), lam(2, 4), call(0, "join", 1, 5), call(6, "execute")), Invalid, joinOn},
		{"placeholder of a parameter that is none", msg(ref(todosID), param(0, "limit", 0), lam(1, 1), call(0, "limit", 2), call(3, "execute")), Invalid, ok},
		{"placeholder of a negative parameter", msg(ref(todosID), param(0, "where", -1), lam(1, 1), call(0, "where", 2), call(3, "execute")), Invalid, ok},
		{"placeholder of a method that is none", msg(ref(todosID), param(0, "nowhere", 0), lam(1, 1), call(0, "where", 2), call(3, "execute")), Denied, ok},
		{"placeholder as a condition", msg(ref(todosID), param(0, "where", 0), lam(1, 1), call(0, "where", 2), call(3, "execute")), Invalid, ok},
		{"placeholder as a receiver of methods", msg(ref(todosID), param(0, "where", 0), call(1, "execute")), Denied, ok},
		{"lambda over no placeholder", msg(ref(todosID), lit(Bool(true)), lam(0, 1), call(0, "where", 2), call(3, "execute")), Invalid, ok},
		{"lambda without a result", msg(ref(todosID), param(0, "where", 0), WireNode{Op: OpLambda, Recv: 1}, call(0, "where", 2), call(3, "execute")), Invalid, ok},
		{"lambda with two results", msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, "done"), WireNode{Op: OpLambda, Recv: 1, Args: []int32{3, 3}}, call(0, "where", 4), call(5, "execute")), Invalid, ok},
		{"lambda that returns a lambda", msg(ref(todosID), param(0, "where", 0), param(0, "where", 0), fld(2, "todo"), fld(3, "done"), lam(2, 4), lam(1, 5), call(0, "where", 6), call(7, "execute")), Invalid, ok},
		{"lambda in a record", msg(ref(todosID), param(0, "select", 0), param(0, "where", 0), fld(2, "todo"), fld(3, "done"), lam(2, 4), record([]string{"a"}, 5), lam(1, 6), call(0, "select", 7), call(8, "execute")), Invalid, titles()},
		{"lambda in a list", msg(ref(todosID), param(0, "orderBy", 0), fld(1, "todo"), fld(2, "id"), lam(1, 3), list(4), call(0, "orderBy", 5), call(6, "execute")), Invalid, orderBy},
		{"condition without a callback", msg(ref(todosID), lit(Bool(true)), call(0, "where", 1), call(2, "execute")), Invalid, ok},
		{"callback where a value is due", msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, "id"), lam(1, 3), call(0, "limit", 4), call(5, "execute")), Invalid, ok},
	}
}

func typeAttacks() []twin {
	cond := func(col, method string, arg WireNode) Expr {
		return msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, col), arg, call(3, method, 4), lam(1, 5), call(0, "where", 6), call(7, "execute"))
	}
	limit := func(x Value) Expr { return msg(ref(todosID), lit(x), call(0, "limit", 1), call(2, "execute")) }
	as := func(n WireNode) Expr { return msg(ref(todosID), n, call(0, "as", 1), call(2, "execute")) }
	put := func(x Value) Expr { return msg(ref(mailID), lit(x), call(0, "put", 1)) }
	send := func(fs ...Field) Expr { return msg(ref(mailID), lit(RecordValue(fs...)), call(0, "send", 1)) }
	ok := then(open8(), call(7, "execute"))
	var nested, shallow Value = Int(1), Int(1)
	for range 70 {
		nested = List(nested)
	}
	for range 60 {
		shallow = List(shallow)
	}
	return []twin{
		{"method that is none", msg(ref(todosID), call(0, "drop")), Denied, msg(ref(todosID), call(0, "count"))},
		{"method by its prototype's name", msg(ref(todosID), call(0, "constructor")), Denied, msg(ref(todosID), call(0, "count"))},
		{"field that is none", cond("owner", "eq", lit(Int(1))), Denied, cond("id", "eq", lit(Int(1)))},
		{"table that is not in the query", msg(ref(todosID), param(0, "where", 0), fld(1, "user"), fld(2, "id"), lam(1, 3), call(0, "where", 4), call(5, "execute")), Denied, ok},
		{"field of a query", msg(ref(todosID), fld(0, "todo"), call(1, "execute")), Denied, ok},
		{"method as a field", msg(ref(todosID), fld(0, "where"), call(1, "execute")), Denied, ok},
		{"field as a method", cond("id", "id", lit(Int(1))), Denied, cond("id", "eq", lit(Int(1)))},
		{"message inside a message", msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, "id"), ref(usersID), call(4, "count"), call(3, "eq", 5), lam(1, 6), call(0, "where", 7), call(8, "execute")), Invalid, ok},
		{"message whose answer would fit inside a message", msg(ref(mailID), call(0, "dup"), call(0, "forward", 1)), Invalid, msg(ref(mailID), ref(mailID), call(0, "forward", 1))},
		{"message continued by a call", then(ok, call(8, "count")), Invalid, ok},
		{"message continued by a field", then(ok, fld(8, "length"), call(9, "count")), Invalid, ok},
		{"message in a list", then(ok, list(8), call(7, "join", 9), call(10, "execute")), Invalid, ok},
		{"placeholder of a message", then(ok, param(8, "where", 0), lam(9, 4), call(8, "where", 10), call(11, "execute")), Invalid, ok},
		{"call on a literal", msg(lit(Int(1)), call(0, "execute")), Invalid, ok},
		{"call on a record", msg(ref(todosID), record([]string{"a"}, 0), call(1, "execute")), Invalid, ok},
		{"field of a record", msg(ref(todosID), record([]string{"a"}, 0), fld(1, "a"), call(2, "execute")), Invalid, msg(ref(todosID), call(0, "execute"))},
		{"call on a list", msg(ref(todosID), list(0), call(1, "execute")), Invalid, ok},
		{"call on a lambda", then(open8(), call(6, "eq", 4), call(7, "where", 8), call(9, "execute")), Invalid, ok},
		{"condition of another type", cond("id", "desc", lit(Int(1))), Invalid, cond("id", "eq", lit(Int(1)))},
		{"text for a number", cond("id", "eq", txt("1")), Invalid, cond("id", "eq", lit(Int(1)))},
		{"fraction for a number", cond("id", "eq", lit(Float(1.5))), Invalid, cond("id", "eq", lit(Float(1)))},
		{"whole but not exact", cond("id", "eq", lit(Float(1<<53))), Invalid, cond("id", "eq", lit(Float(1<<53-1)))},
		{"digits that are exact anyway", cond("id", "eq", txt("0000000000000017")), Invalid, cond("id", "eq", txt("9007199254740993"))},
		{"null", cond("title", "eq", lit(Null())), Invalid, cond("title", "eq", txt(""))},
		{"list of other things", cond("id", "in", lit(List(Int(1), Text("x")))), Invalid, cond("id", "in", lit(List(Int(1), Float(2))))},
		{"another type of column", msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, "title"), fld(2, "id"), call(3, "eq", 4), lam(1, 5), call(0, "where", 6), call(7, "execute")), Invalid,
			msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, "title"), fld(2, "diary"), call(3, "eq", 4), lam(1, 5), call(0, "where", 6), call(7, "execute"))},
		{"limit of text", limit(Text("1")), Invalid, limit(Int(1))},
		{"limit of half a row", limit(Float(0.5)), Invalid, limit(Float(1))},
		{"too many arguments", msg(ref(todosID), lit(Int(1)), call(0, "limit", 1, 1), call(2, "execute")), Invalid, limit(Int(1))},
		{"too few arguments", msg(ref(todosID), call(0, "limit"), call(1, "execute")), Invalid, limit(Int(1))},
		{"empty order", msg(ref(todosID), param(0, "orderBy", 0), list(), lam(1, 2), call(0, "orderBy", 3), call(4, "execute")), Invalid,
			msg(ref(todosID), param(0, "orderBy", 0), fld(1, "todo"), fld(2, "id"), list(3), lam(1, 4), call(0, "orderBy", 5), call(6, "execute"))},
		{"alias __proto__", as(txt("__proto__")), Invalid, as(txt("proto"))},
		{"alias constructor", as(txt("constructor")), Invalid, as(txt("constructor2"))},
		{"alias that is no name", as(txt(`a"; DROP TABLE`)), Invalid, as(txt("a_b"))},
		{"alias that is empty", as(txt("")), Invalid, as(txt("_"))},
		{"alias that is no text", as(lit(Int(5))), Invalid, as(txt("a5"))},
		{"alias that is no literal", msg(ref(todosID), param(0, "join", 0), fld(1, "todo"), fld(2, "title"), call(0, "as", 3), lam(1, 4), call(0, "join", 5), call(6, "execute")), Invalid,
			msg(ref(todosID), param(0, "join", 0), fld(1, "todo"), call(2, "user"), lam(1, 3), call(0, "join", 4), call(5, "execute"))},
		{"alias for two tables", msg(ref(todosID), ref(usersID), call(0, "join", 1), txt("a"), call(2, "as", 3), call(4, "execute")), Invalid, as(txt("a"))},
		{"one table twice", msg(ref(todosID), call(0, "join", 0), call(1, "execute")), Invalid, msg(ref(todosID), txt("b"), call(0, "as", 1), call(0, "join", 2), call(3, "execute"))},
		{"two tables by one alias", msg(ref(todosID), ref(usersID), txt("todo"), call(1, "as", 2), call(0, "join", 3), call(4, "execute")), Invalid, msg(ref(todosID), ref(usersID), txt("b"), call(1, "as", 2), call(0, "join", 3), call(4, "execute"))},
		{"mailer as a query", msg(ref(todosID), ref(mailID), call(0, "join", 1), call(2, "execute")), Invalid, msg(ref(todosID), ref(usersID), call(0, "join", 1), call(2, "execute"))},
		{"selection of nothing", msg(ref(todosID), param(0, "select", 0), record(nil), lam(1, 2), call(0, "select", 3), call(4, "execute")), Invalid, titles()},
		{"selection of a query", msg(ref(todosID), param(0, "select", 0), ref(usersID), record([]string{"a"}, 2), lam(1, 3), call(0, "select", 4), call(5, "execute")), Invalid, titles()},
		{"names that are too few", msg(ref(todosID), param(0, "select", 0), fld(1, "todo"), record(nil, 2), lam(1, 3), call(0, "select", 4), call(5, "execute")), Invalid, titles()},
		{"one name twice", msg(ref(todosID), param(0, "select", 0), fld(1, "todo"), record([]string{"a", "a"}, 2, 2), lam(1, 3), call(0, "select", 4), call(5, "execute")), Invalid,
			msg(ref(todosID), param(0, "select", 0), fld(1, "todo"), record([]string{"a", "b"}, 2, 2), lam(1, 3), call(0, "select", 4), call(5, "execute"))},
		{"result named then", msg(ref(todosID), param(0, "select", 0), fld(1, "todo"), record([]string{"then"}, 2), lam(1, 3), call(0, "select", 4), call(5, "execute")), Invalid, titles()},
		{"result name with NUL", msg(ref(todosID), param(0, "select", 0), fld(1, "todo"), record([]string{"a\x00"}, 2), lam(1, 3), call(0, "select", 4), call(5, "execute")), Invalid, titles()},
		{"argument with an unknown field", send(Field{"to", Text("x")}, Field{"bcc", Text("y")}), Invalid, send(Field{"to", Text("x")})},
		{"argument without a field", send(Field{"n", Int(1)}), Invalid, send(Field{"to", Text("x")}, Field{"n", Int(1)})},
		{"argument with a field twice", send(Field{"to", Text("x")}, Field{"to", Text("y")}), Invalid, send(Field{"to", Text("x")})},
		{"argument that is an expression", msg(ref(mailID), record([]string{"to"}, 0), call(0, "send", 1)), Invalid, send(Field{"to", Text("x")})},
		{"value that nobody made", put(Value{}), Invalid, put(Null())},
		{"not a number", put(List(Float(math.NaN()))), Invalid, put(List(Float(0)))},
		{"text with NUL in a list", put(List(Text("a\x00b"))), Invalid, put(List(Text("ab")))},
		{"name that is not UTF-8", put(RecordValue(Field{"\xff", Int(1)})), Invalid, put(RecordValue(Field{"é", Int(1)}))},
		{"name with NUL", put(RecordValue(Field{"a\x00", Int(1)})), Invalid, put(RecordValue(Field{"a", Int(1)}))},
		{"reference as a literal", put(RefValue(newMail())), Invalid, put(Int(0))},
		{"reference in a list", put(List(RefValue(newMail()))), Invalid, put(List(Int(0)))},
		{"rows as a literal", put(RowsValue(&Rows{Shape: &Shape{Names: []string{"a"}}, Cells: []Value{Int(1)}})), Invalid, put(List(Int(0)))},
		{"literal nested too deeply", put(nested), Invalid, put(shallow)},
	}
}

func sizeAttacks() []twin {
	limits := func(n int) Expr {
		x := msg(ref(todosID), lit(Int(1)), call(0, "limit", 1))
		for i := range n {
			x.Nodes = append(x.Nodes, call(int32(i+2), "limit", 1))
		}
		return then(x, call(int32(n+2), "execute"))
	}
	doubling := func(n int) Expr { // each step holds the one before it twice
		x := msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, "done"))
		for i := range n {
			x = then(x, call(int32(3+i), "and", int32(3+i)))
		}
		k := int32(3 + n)
		return then(x, lam(1, k), call(0, "where", k+1), call(k+2, "execute"))
	}
	doubled := func(n int) Expr {
		x := Int(1)
		for range n {
			x = List(x, x)
		}
		return msg(ref(mailID), lit(x), call(0, "put", 1))
	}
	put := func(n int) Expr { return msg(ref(mailID), txt(strings.Repeat("x", n)), call(0, "put", 1)) }
	wide := func(n int) Expr {
		names, args := make([]string, n), make([]int32, n)
		for i := range names {
			names[i], args[i] = fmt.Sprint("n", i), 2
		}
		return msg(ref(todosID), param(0, "select", 0), fld(1, "todo"), record(names, args...), lam(1, 3), call(0, "select", 4), call(5, "execute"))
	}
	return []twin{
		{"depth", limits(250), Limit, limits(150)},
		{"more nodes than allowed", limits(5000), Limit, limits(150)},
		{"graph that doubles", doubling(60), Limit, doubling(6)},
		{"graph that doubles often", doubling(150), Limit, doubling(6)},
		{"literal that doubles", doubled(60), Limit, doubled(6)},
		{"literal size", put(Limits{}.OrDefault().LiteralBytes), Limit, put(Limits{}.OrDefault().LiteralBytes - 16)},
		{"names by the million", wide(1_000_000), Limit, wide(100)},
	}
}

func attacks() []twin {
	all := graphAttacks()
	all = append(all, placeholderAttacks()...)
	all = append(all, typeAttacks()...)
	return append(all, sizeAttacks()...)
}

// Every attack is refused, whichever way it comes in, and nothing is asked to
// answer it; its twin is answered.
func TestAttacks(t *testing.T) {
	for _, a := range attacks() {
		_, err := checker().Check(a.bad)
		wantKind(t, a.what, err, a.kind)
		_, err = checker().Check(a.good)
		wantOK(t, a.what+", the twin", err)

		w := newWorld(t, Config{})
		_, err = w.send(a.bad)
		wantKind(t, a.what+", sent", err, a.kind)
		if n := w.asked(); n != 0 {
			t.Errorf("%s: an object was asked %d times", a.what, n)
		}
		w.open() // a limit that ran out ends the program
		_, err = w.send(a.good)
		wantOK(t, a.what+", the twin, sent", err)
		if n := w.asked(); n != 1 {
			t.Errorf("%s: the twin was asked %d times", a.what, n)
		}
	}
}

// A hidden member and one that never was read the same, letter for letter.
func TestHiddenIsMissing(t *testing.T) {
	text := func(c *Checker, x Expr) string {
		t.Helper()
		_, err := c.Check(x)
		wantKind(t, "hidden", err, Denied)
		return GuestText(err)
	}
	field := func(n string) Expr {
		return msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, n), lam(1, 3), call(0, "where", 4), call(5, "execute"))
	}
	method := func(n string) Expr { return msg(ref(todosID), call(0, n)) }

	c := checker() // of a grant that hides them
	delete(c.Catalog["Todo"].Fields, "diary")
	delete(c.Catalog["Query"].Methods, "remove")
	c.Catalog["Query"].Order = nil
	if a, b := text(c, field("diary")), text(c, field("sauce")); strings.ReplaceAll(a, "diary", "?") != strings.ReplaceAll(b, "sauce", "?") {
		t.Errorf("%q and %q differ", a, b)
	}
	for _, near := range []string{"diari", "Diary", "diary_"} {
		if a := text(c, field(near)); strings.Contains(a, "`diary`") {
			t.Errorf("a hidden name was suggested: %q", a)
		}
		if a := text(checker(), field(near)); !strings.Contains(a, "`diary`") {
			t.Errorf("the twin: a visible name was not suggested: %q", a)
		}
	}
	if a := text(c, method("removes")); strings.Contains(a, "`remove`") {
		t.Errorf("a hidden method was suggested: %q", a)
	}
}

// A recorder is told at once, not only when the message is sent, that a
// placeholder has outlived its callback.
func TestDeadPlaceholderAtOnce(t *testing.T) {
	for what, end := range map[string]func(c *Checker, p, body *Node){
		"returned": func(c *Checker, p, body *Node) { c.MakeLambda(p, body) }, "failed": func(c *Checker, p, _ *Node) { c.Kill(p) }, "alive": func(*Checker, *Node, *Node) {},
	} {
		c := checker()
		q, _ := c.MakeRef(todosID)
		p, _ := c.MakeParam(q, "where", 0, nil)
		row, _ := c.MakeField(p, "todo")
		done, err := c.MakeField(row, "done")
		wantOK(t, what, err)
		end(c, p, done)
		_, err1 := c.MakeField(row, "id")
		_, err2 := c.MakeCall(done, "and", []*Node{done})
		_, err3 := c.MakeLambda(p, done)
		for _, err := range []error{err1, err2, err3} {
			if what == "alive" {
				wantOK(t, what, err)
			} else {
				wantKind(t, what, err, Invalid)
			}
		}
	}
}

// The zero Checker refuses.
func TestZeroChecker(t *testing.T) {
	var c Checker
	for _, a := range attacks()[:5] {
		if _, err := c.Check(a.good); err == nil {
			t.Error("the zero Checker let a message pass")
		}
	}
	if _, err := c.MakeRef(0); err == nil {
		t.Error("the zero Checker made a reference")
	}
}

// An interface that is wanted with type arguments is wanted with these.
func TestWantedTypeArguments(t *testing.T) {
	c := checker()
	c.Catalog["Query"].Methods["where"].Params[0].Want = &Term{Con: column("Sortable", TypeBool)}
	cond := func(col string) Expr {
		return msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, col), lam(1, 3), call(0, "where", 4), call(5, "execute"))
	}
	_, err := c.Check(cond("id"))
	wantKind(t, "Int for a Sortable of bool", err, Invalid)
	_, err = c.Check(cond("done"))
	wantOK(t, "Bool for a Sortable of bool", err)
}

// A message that names a literal in an error shows a piece of it only.
func TestLongLiteralsAreCut(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for _, x := range []Expr{
		msg(txt(long), call(0, "execute")),
		msg(ref(todosID), call(0, long)),
		msg(ref(todosID), txt(long), call(0, "limit", 1), call(2, "execute")),
	} {
		_, err := checker().Check(x)
		if err == nil || len(GuestText(err)) > 500 {
			t.Errorf("the error has %d bytes", len(GuestText(err)))
		}
	}
}

// Where a plain value is wanted, an expression of the database is none: only an
// operator takes one. The twin is the literal.
func TestExpressionIsNoArgument(t *testing.T) {
	w := newWorld(t, Config{})
	join := func(n ...WireNode) Expr {
		return then(msg(ref(usersID), param(0, "join", 0), fld(1, "user"), call(2, "todos")), n...)
	}
	_, err := w.send(join(fld(2, "id"), call(3, "limit", 4), lam(1, 5), call(0, "join", 6), call(7, "execute")))
	wantKind(t, "limit(user.id)", err, Invalid)
	_, err = w.send(join(lit(Int(1)), call(3, "limit", 4), lam(1, 5), call(0, "join", 6), call(7, "execute")))
	wantOK(t, "limit(1)", err)
}
