package exo

import (
	"fmt"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"math"
	"strings"
	"testing"
)

// twin is an attack on the checker and the message next to it that is honest.
type twin struct {
	what string
	bad  message.Expr
	kind fail.Kind
	good message.Expr
}

func graphAttacks() []twin {
	ok := then(open8(), call(7, "execute"))
	with := func(i int, n message.WireNode) message.Expr {
		x := then(ok)
		x.Nodes = append([]message.WireNode(nil), x.Nodes...)
		x.Nodes[i] = n
		return x
	}
	return []twin{
		{"the message has no nodes", message.Expr{}, fail.Invalid, ok},
		{"receiver ahead", with(3, fld(7, "done")), fail.Invalid, ok},
		{"receiver itself", with(3, fld(3, "done")), fail.Invalid, ok},
		{"receiver beyond the end", with(3, fld(1<<30, "done")), fail.Invalid, ok},
		{"receiver negative", with(3, fld(-2, "done")), fail.Invalid, ok},
		{"no receiver", with(3, fld(-1, "done")), fail.Invalid, ok},
		{"argument ahead", with(5, call(3, "eq", 8)), fail.Invalid, ok},
		{"argument itself", with(5, call(3, "eq", 5)), fail.Invalid, ok},
		{"argument negative", with(5, call(3, "eq", -1)), fail.Invalid, ok},
		{"node not used", then(open8(), lit(value.Int(1)), call(7, "execute")), fail.Invalid, then(open8(), lit(value.Int(1)), call(7, "limit", 8), call(9, "execute"))},
		{"root that does not send", open8(), fail.Invalid, ok},
		{"root that is no call", msg(ref(todosID)), fail.Invalid, msg(ref(todosID), call(0, "execute"))},
		{"root that is a literal", msg(lit(value.Int(1))), fail.Invalid, ok},
		{"root that depends on a callback", msg(ref(todosID), param(0, "join", 0), fld(1, "todo"), call(2, "user"), call(3, "execute")), fail.Invalid,
			msg(ref(todosID), param(0, "join", 0), fld(1, "todo"), call(2, "user"), lam(1, 3), call(0, "join", 4), call(5, "execute"))},
		{"unknown op 0", with(4, message.WireNode{Op: 0, Recv: -1}), fail.Invalid, ok},
		{"unknown op 9", with(4, message.WireNode{Op: 9, Recv: -1}), fail.Invalid, ok},
		{"unknown op 255", with(8, message.WireNode{Op: 255, Recv: 7}), fail.Invalid, ok},
		{"literal with a name", with(4, message.WireNode{Op: message.OpLit, Lit: value.Bool(false), Name: "x", Recv: -1}), fail.Invalid, ok},
		{"literal with a receiver", with(4, message.WireNode{Op: message.OpLit, Lit: value.Bool(false), Recv: 0}), fail.Invalid, ok},
		{"literal with arguments", with(4, message.WireNode{Op: message.OpLit, Lit: value.Bool(false), Recv: -1, Args: []int32{0}}), fail.Invalid, ok},
		{"literal with a reference", with(4, message.WireNode{Op: message.OpLit, Lit: value.Bool(false), Recv: -1, Ref: 1}), fail.Invalid, ok},
		{"reference with a literal", with(0, message.WireNode{Op: message.OpRef, Ref: todosID, Recv: -1, Lit: value.Int(1)}), fail.Invalid, ok},
		{"reference with a name", with(0, message.WireNode{Op: message.OpRef, Ref: todosID, Recv: -1, Name: "todos"}), fail.Invalid, ok},
		{"field with arguments", with(3, message.WireNode{Op: message.OpField, Name: "done", Recv: 2, Args: []int32{0}}), fail.Invalid, ok},
		{"field without a name", with(3, fld(2, "")), fail.Invalid, ok},
		{"call with names", with(7, message.WireNode{Op: message.OpCall, Name: "where", Recv: 0, Args: []int32{6}, Names: []string{"x"}}), fail.Invalid, ok},
		{"call with a number", with(7, message.WireNode{Op: message.OpCall, Name: "where", Recv: 0, Args: []int32{6}, Arg: 1}), fail.Invalid, ok},
		{"call with a literal", with(8, message.WireNode{Op: message.OpCall, Name: "execute", Recv: 7, Lit: value.Int(1)}), fail.Invalid, ok},
		{"lambda with a name", with(6, message.WireNode{Op: message.OpLambda, Name: "x", Recv: 1, Args: []int32{5}}), fail.Invalid, ok},
		{"list with a receiver", msg(ref(todosID), param(0, "orderBy", 0), fld(1, "todo"), fld(2, "id"), message.WireNode{Op: message.OpList, Args: []int32{3}, Recv: 0}, lam(1, 4), call(0, "orderBy", 5), call(6, "execute")), fail.Invalid,
			msg(ref(todosID), param(0, "orderBy", 0), fld(1, "todo"), fld(2, "id"), list(3), lam(1, 4), call(0, "orderBy", 5), call(6, "execute"))},
		{"reference never granted", with(0, ref(3)), fail.Denied, ok},
		{"reference far out", with(0, ref(1<<31)), fail.Denied, ok},
	}
}

func placeholderAttacks() []twin {
	ok := then(open8(), call(7, "execute"))
	secondWhere := then(open8(), param(7, "where", 0), fld(8, "todo"), fld(9, "done"), call(10, "eq", 4), lam(8, 11), call(7, "where", 12), call(13, "execute"))
	orderBy := msg(ref(todosID), param(0, "orderBy", 0), fld(1, "todo"), fld(2, "id"), lam(1, 3), call(0, "orderBy", 4), call(5, "execute"))
	joinOn := msg(ref(todosID), ref(usersID), param(0, "join", 1, 1), fld(2, "user"), fld(3, "id"), fld(2, "todo"), fld(5, "id"), call(4, "eq", 6), lam(2, 7), call(0, "join", 1, 8), call(9, "execute"))
	named := func(param string) message.Expr {
		return msg(ref(todosID), txt(param), message.WireNode{Op: message.OpParam, Name: "named", Recv: 0, Arg: 1, Args: []int32{1}}, fld(2, param), fld(3, "done"), lam(2, 4), txt("a"), call(0, "named", 6, 5), call(7, "execute"))
	}
	return []twin{
		{"condition of a callback that has returned", then(open8(), param(7, "where", 0), lam(8, 5), call(7, "where", 9), call(10, "execute")), fail.Invalid, secondWhere},
		{"placeholder of a callback that has returned", then(open8(), param(7, "where", 0), fld(1, "todo"), fld(9, "done"), call(10, "eq", 4), lam(8, 11), call(7, "where", 12), call(13, "execute")), fail.Invalid, secondWhere},
		{"placeholder of another call", msg(ref(todosID), lit(value.Int(1)), call(0, "limit", 1), param(0, "where", 0), fld(3, "todo"), fld(4, "done"), lam(3, 5), call(2, "where", 6), call(7, "execute")), fail.Invalid,
			msg(ref(todosID), lit(value.Int(1)), call(0, "limit", 1), param(2, "where", 0), fld(3, "todo"), fld(4, "done"), lam(3, 5), call(2, "where", 6), call(7, "execute"))},
		{"placeholder of a live outer callback that is left", msg(ref(todosID), param(0, "join", 0), ref(usersID), param(2, "where", 0), fld(1, "todo"), fld(4, "done"), lam(3, 5), call(2, "where", 6), call(7, "execute")), fail.Invalid,
			msg(ref(todosID), param(0, "join", 0), ref(usersID), param(2, "where", 0), fld(1, "todo"), fld(4, "done"), lam(3, 5), call(2, "where", 6), lam(1, 7), call(0, "join", 8), call(9, "execute"))},
		{"placeholder under two lambdas", then(open8(), lam(1, 5), call(7, "where", 8), call(9, "execute")), fail.Invalid, secondWhere},
		{"lambda used by two calls on one receiver", then(open8(), call(0, "where", 6), txt("b"), call(8, "as", 9), call(7, "join", 10), call(11, "execute")), fail.Invalid,
			then(open8(), param(0, "where", 0), fld(8, "todo"), fld(9, "done"), lam(8, 10), call(0, "where", 11), txt("b"), call(12, "as", 13), call(7, "join", 14), call(15, "execute"))},
		{"lambda used by the next call too", then(open8(), call(7, "where", 6), call(8, "execute")), fail.Invalid, secondWhere},
		{"lambda of another method", msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, "id"), lam(1, 3), call(0, "orderBy", 4), call(5, "execute")), fail.Invalid, orderBy},
		{"lambda of another position", msg(ref(todosID), ref(usersID), param(0, "join", 0), fld(2, "todo"), fld(3, "done"), lam(2, 4), call(0, "join", 1, 5), call(6, "execute")), fail.Invalid, joinOn},
		{"placeholder made with other arguments", msg(ref(todosID), ref(usersID), txt("b"), call(0, "as", 2), param(0, "join", 1, 3), fld(4, "b"), fld(5, "done"), lam(4, 6), call(0, "join", 1, 7), call(8, "execute")), fail.Invalid, joinOn},
		{"placeholder made with another static literal", named("b"), fail.Invalid, named("a")},
		{"placeholder without its arguments", msg(ref(todosID), ref(usersID), param(0, "join", 1), fld(2, "todo"), fld(3, "done"), lam(2, 4), call(0, "join", 1, 5), call(6, "execute")), fail.Invalid, joinOn},
		{"placeholder of a parameter that is none", msg(ref(todosID), param(0, "limit", 0), lam(1, 1), call(0, "limit", 2), call(3, "execute")), fail.Invalid, ok},
		{"placeholder of a negative parameter", msg(ref(todosID), param(0, "where", -1), lam(1, 1), call(0, "where", 2), call(3, "execute")), fail.Invalid, ok},
		{"placeholder of a method that is none", msg(ref(todosID), param(0, "nowhere", 0), lam(1, 1), call(0, "where", 2), call(3, "execute")), fail.Denied, ok},
		{"placeholder as a condition", msg(ref(todosID), param(0, "where", 0), lam(1, 1), call(0, "where", 2), call(3, "execute")), fail.Invalid, ok},
		{"placeholder as a receiver of methods", msg(ref(todosID), param(0, "where", 0), call(1, "execute")), fail.Denied, ok},
		{"lambda over no placeholder", msg(ref(todosID), lit(value.Bool(true)), lam(0, 1), call(0, "where", 2), call(3, "execute")), fail.Invalid, ok},
		{"lambda without a result", msg(ref(todosID), param(0, "where", 0), message.WireNode{Op: message.OpLambda, Recv: 1}, call(0, "where", 2), call(3, "execute")), fail.Invalid, ok},
		{"lambda with two results", msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, "done"), message.WireNode{Op: message.OpLambda, Recv: 1, Args: []int32{3, 3}}, call(0, "where", 4), call(5, "execute")), fail.Invalid, ok},
		{"lambda that returns a lambda", msg(ref(todosID), param(0, "where", 0), param(0, "where", 0), fld(2, "todo"), fld(3, "done"), lam(2, 4), lam(1, 5), call(0, "where", 6), call(7, "execute")), fail.Invalid, ok},
		{"lambda in a record", msg(ref(todosID), param(0, "select", 0), param(0, "where", 0), fld(2, "todo"), fld(3, "done"), lam(2, 4), record([]string{"a"}, 5), lam(1, 6), call(0, "select", 7), call(8, "execute")), fail.Invalid, titles()},
		{"lambda in a list", msg(ref(todosID), param(0, "orderBy", 0), fld(1, "todo"), fld(2, "id"), lam(1, 3), list(4), call(0, "orderBy", 5), call(6, "execute")), fail.Invalid, orderBy},
		{"condition without a callback", msg(ref(todosID), lit(value.Bool(true)), call(0, "where", 1), call(2, "execute")), fail.Invalid, ok},
		{"callback where a value is due", msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, "id"), lam(1, 3), call(0, "limit", 4), call(5, "execute")), fail.Invalid, ok},
	}
}

func typeAttacks() []twin {
	cond := func(col, method string, arg message.WireNode) message.Expr {
		return msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, col), arg, call(3, method, 4), lam(1, 5), call(0, "where", 6), call(7, "execute"))
	}
	limit := func(x value.Value) message.Expr {
		return msg(ref(todosID), lit(x), call(0, "limit", 1), call(2, "execute"))
	}
	as := func(n message.WireNode) message.Expr {
		return msg(ref(todosID), n, call(0, "as", 1), call(2, "execute"))
	}
	put := func(x value.Value) message.Expr { return msg(ref(mailID), lit(x), call(0, "put", 1)) }
	send := func(fs ...value.Field) message.Expr {
		return msg(ref(mailID), lit(value.RecordValue(fs...)), call(0, "send", 1))
	}
	ok := then(open8(), call(7, "execute"))
	var nested, shallow value.Value = value.Int(1), value.Int(1)
	for range 70 {
		nested = value.List(nested)
	}
	for range 60 {
		shallow = value.List(shallow)
	}
	return []twin{
		{"method that is none", msg(ref(todosID), call(0, "drop")), fail.Denied, msg(ref(todosID), call(0, "count"))},
		{"method by its prototype's name", msg(ref(todosID), call(0, "constructor")), fail.Denied, msg(ref(todosID), call(0, "count"))},
		{"field that is none", cond("owner", "eq", lit(value.Int(1))), fail.Denied, cond("id", "eq", lit(value.Int(1)))},
		{"table that is not in the query", msg(ref(todosID), param(0, "where", 0), fld(1, "user"), fld(2, "id"), lam(1, 3), call(0, "where", 4), call(5, "execute")), fail.Denied, ok},
		{"field of a query", msg(ref(todosID), fld(0, "todo"), call(1, "execute")), fail.Denied, ok},
		{"method as a field", msg(ref(todosID), fld(0, "where"), call(1, "execute")), fail.Denied, ok},
		{"field as a method", cond("id", "id", lit(value.Int(1))), fail.Denied, cond("id", "eq", lit(value.Int(1)))},
		{"message inside a message", msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, "id"), ref(usersID), call(4, "count"), call(3, "eq", 5), lam(1, 6), call(0, "where", 7), call(8, "execute")), fail.Invalid, ok},
		{"message whose answer would fit inside a message", msg(ref(mailID), call(0, "dup"), call(0, "forward", 1)), fail.Invalid, msg(ref(mailID), ref(mailID), call(0, "forward", 1))},
		{"message continued by a call", then(ok, call(8, "count")), fail.Invalid, ok},
		{"message continued by a field", then(ok, fld(8, "length"), call(9, "count")), fail.Invalid, ok},
		{"message in a list", then(ok, list(8), call(7, "join", 9), call(10, "execute")), fail.Invalid, ok},
		{"placeholder of a message", then(ok, param(8, "where", 0), lam(9, 4), call(8, "where", 10), call(11, "execute")), fail.Invalid, ok},
		{"call on a literal", msg(lit(value.Int(1)), call(0, "execute")), fail.Invalid, ok},
		{"call on a record", msg(ref(todosID), record([]string{"a"}, 0), call(1, "execute")), fail.Invalid, ok},
		{"field of a record", msg(ref(todosID), record([]string{"a"}, 0), fld(1, "a"), call(2, "execute")), fail.Invalid, msg(ref(todosID), call(0, "execute"))},
		{"call on a list", msg(ref(todosID), list(0), call(1, "execute")), fail.Invalid, ok},
		{"call on a lambda", then(open8(), call(6, "eq", 4), call(7, "where", 8), call(9, "execute")), fail.Invalid, ok},
		{"condition of another type", cond("id", "desc", lit(value.Int(1))), fail.Invalid, cond("id", "eq", lit(value.Int(1)))},
		{"text for a number", cond("id", "eq", txt("1")), fail.Invalid, cond("id", "eq", lit(value.Int(1)))},
		{"fraction for a number", cond("id", "eq", lit(value.Float(1.5))), fail.Invalid, cond("id", "eq", lit(value.Float(1)))},
		{"whole but not exact", cond("id", "eq", lit(value.Float(1<<53))), fail.Invalid, cond("id", "eq", lit(value.Float(1<<53-1)))},
		{"digits that are exact anyway", cond("id", "eq", txt("0000000000000017")), fail.Invalid, cond("id", "eq", txt("9007199254740993"))},
		{"null", cond("title", "eq", lit(value.Null())), fail.Invalid, cond("title", "eq", txt(""))},
		{"list of other things", cond("id", "in", lit(value.List(value.Int(1), value.Text("x")))), fail.Invalid, cond("id", "in", lit(value.List(value.Int(1), value.Float(2))))},
		{"another type of column", msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, "title"), fld(2, "id"), call(3, "eq", 4), lam(1, 5), call(0, "where", 6), call(7, "execute")), fail.Invalid,
			msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, "title"), fld(2, "diary"), call(3, "eq", 4), lam(1, 5), call(0, "where", 6), call(7, "execute"))},
		{"limit of text", limit(value.Text("1")), fail.Invalid, limit(value.Int(1))},
		{"limit of half a row", limit(value.Float(0.5)), fail.Invalid, limit(value.Float(1))},
		{"too many arguments", msg(ref(todosID), lit(value.Int(1)), call(0, "limit", 1, 1), call(2, "execute")), fail.Invalid, limit(value.Int(1))},
		{"too few arguments", msg(ref(todosID), call(0, "limit"), call(1, "execute")), fail.Invalid, limit(value.Int(1))},
		{"empty order", msg(ref(todosID), param(0, "orderBy", 0), list(), lam(1, 2), call(0, "orderBy", 3), call(4, "execute")), fail.Invalid,
			msg(ref(todosID), param(0, "orderBy", 0), fld(1, "todo"), fld(2, "id"), list(3), lam(1, 4), call(0, "orderBy", 5), call(6, "execute"))},
		{"alias __proto__", as(txt("__proto__")), fail.Invalid, as(txt("proto"))},
		{"alias constructor", as(txt("constructor")), fail.Invalid, as(txt("constructor2"))},
		{"alias that is no name", as(txt(`a"; DROP TABLE`)), fail.Invalid, as(txt("a_b"))},
		{"alias that is empty", as(txt("")), fail.Invalid, as(txt("_"))},
		{"alias that is no text", as(lit(value.Int(5))), fail.Invalid, as(txt("a5"))},
		{"alias that is no literal", msg(ref(todosID), param(0, "join", 0), fld(1, "todo"), fld(2, "title"), call(0, "as", 3), lam(1, 4), call(0, "join", 5), call(6, "execute")), fail.Invalid,
			msg(ref(todosID), param(0, "join", 0), fld(1, "todo"), call(2, "user"), lam(1, 3), call(0, "join", 4), call(5, "execute"))},
		{"alias for two tables", msg(ref(todosID), ref(usersID), call(0, "join", 1), txt("a"), call(2, "as", 3), call(4, "execute")), fail.Invalid, as(txt("a"))},
		{"one table twice", msg(ref(todosID), call(0, "join", 0), call(1, "execute")), fail.Invalid, msg(ref(todosID), txt("b"), call(0, "as", 1), call(0, "join", 2), call(3, "execute"))},
		{"two tables by one alias", msg(ref(todosID), ref(usersID), txt("todo"), call(1, "as", 2), call(0, "join", 3), call(4, "execute")), fail.Invalid, msg(ref(todosID), ref(usersID), txt("b"), call(1, "as", 2), call(0, "join", 3), call(4, "execute"))},
		{"mailer as a query", msg(ref(todosID), ref(mailID), call(0, "join", 1), call(2, "execute")), fail.Invalid, msg(ref(todosID), ref(usersID), call(0, "join", 1), call(2, "execute"))},
		{"selection of nothing", msg(ref(todosID), param(0, "select", 0), record(nil), lam(1, 2), call(0, "select", 3), call(4, "execute")), fail.Invalid, titles()},
		{"selection of a query", msg(ref(todosID), param(0, "select", 0), ref(usersID), record([]string{"a"}, 2), lam(1, 3), call(0, "select", 4), call(5, "execute")), fail.Invalid, titles()},
		{"names that are too few", msg(ref(todosID), param(0, "select", 0), fld(1, "todo"), record(nil, 2), lam(1, 3), call(0, "select", 4), call(5, "execute")), fail.Invalid, titles()},
		{"one name twice", msg(ref(todosID), param(0, "select", 0), fld(1, "todo"), record([]string{"a", "a"}, 2, 2), lam(1, 3), call(0, "select", 4), call(5, "execute")), fail.Invalid,
			msg(ref(todosID), param(0, "select", 0), fld(1, "todo"), record([]string{"a", "b"}, 2, 2), lam(1, 3), call(0, "select", 4), call(5, "execute"))},
		{"result named then", msg(ref(todosID), param(0, "select", 0), fld(1, "todo"), record([]string{"then"}, 2), lam(1, 3), call(0, "select", 4), call(5, "execute")), fail.Invalid, titles()},
		{"result name with NUL", msg(ref(todosID), param(0, "select", 0), fld(1, "todo"), record([]string{"a\x00"}, 2), lam(1, 3), call(0, "select", 4), call(5, "execute")), fail.Invalid, titles()},
		{"argument with an unknown field", send(value.Field{Name: "to", Value: value.Text("x")}, value.Field{Name: "bcc", Value: value.Text("y")}), fail.Invalid, send(value.Field{Name: "to", Value: value.Text("x")})},
		{"argument without a field", send(value.Field{Name: "n", Value: value.Int(1)}), fail.Invalid, send(value.Field{Name: "to", Value: value.Text("x")}, value.Field{Name: "n", Value: value.Int(1)})},
		{"argument with a field twice", send(value.Field{Name: "to", Value: value.Text("x")}, value.Field{Name: "to", Value: value.Text("y")}), fail.Invalid, send(value.Field{Name: "to", Value: value.Text("x")})},
		{"argument that is an expression", msg(ref(mailID), record([]string{"to"}, 0), call(0, "send", 1)), fail.Invalid, send(value.Field{Name: "to", Value: value.Text("x")})},
		{"value that nobody made", put(value.Value{}), fail.Invalid, put(value.Null())},
		{"not a number", put(value.List(value.Float(math.NaN()))), fail.Invalid, put(value.List(value.Float(0)))},
		{"text with NUL in a list", put(value.List(value.Text("a\x00b"))), fail.Invalid, put(value.List(value.Text("ab")))},
		{"name that is not UTF-8", put(value.RecordValue(value.Field{Name: "\xff", Value: value.Int(1)})), fail.Invalid, put(value.RecordValue(value.Field{Name: "é", Value: value.Int(1)}))},
		{"name with NUL", put(value.RecordValue(value.Field{Name: "a\x00", Value: value.Int(1)})), fail.Invalid, put(value.RecordValue(value.Field{Name: "a", Value: value.Int(1)}))},
		{"reference as a literal", put(value.RefValue(newMail())), fail.Invalid, put(value.Int(0))},
		{"reference in a list", put(value.List(value.RefValue(newMail()))), fail.Invalid, put(value.List(value.Int(0)))},
		{"rows as a literal", put(value.RowsValue(&value.Rows{Shape: &value.Shape{Names: []string{"a"}}, Cells: []value.Value{value.Int(1)}})), fail.Invalid, put(value.List(value.Int(0)))},
		{"literal nested too deeply", put(nested), fail.Invalid, put(shallow)},
	}
}

func sizeAttacks() []twin {
	limits := func(n int) message.Expr {
		x := msg(ref(todosID), lit(value.Int(1)), call(0, "limit", 1))
		for i := range n {
			x.Nodes = append(x.Nodes, call(int32(i+2), "limit", 1))
		}
		return then(x, call(int32(n+2), "execute"))
	}
	doubling := func(n int) message.Expr { // each step holds the one before it twice
		x := msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, "done"))
		for i := range n {
			x = then(x, call(int32(3+i), "and", int32(3+i)))
		}
		k := int32(3 + n)
		return then(x, lam(1, k), call(0, "where", k+1), call(k+2, "execute"))
	}
	doubled := func(n int) message.Expr {
		x := value.Int(1)
		for range n {
			x = value.List(x, x)
		}
		return msg(ref(mailID), lit(x), call(0, "put", 1))
	}
	put := func(n int) message.Expr { return msg(ref(mailID), txt(strings.Repeat("x", n)), call(0, "put", 1)) }
	wide := func(n int) message.Expr {
		names, args := make([]string, n), make([]int32, n)
		for i := range names {
			names[i], args[i] = fmt.Sprint("n", i), 2
		}
		return msg(ref(todosID), param(0, "select", 0), fld(1, "todo"), record(names, args...), lam(1, 3), call(0, "select", 4), call(5, "execute"))
	}
	return []twin{
		{"depth", limits(250), fail.Limit, limits(150)},
		{"more nodes than allowed", limits(5000), fail.Limit, limits(150)},
		{"graph that doubles", doubling(60), fail.Limit, doubling(6)},
		{"graph that doubles often", doubling(150), fail.Limit, doubling(6)},
		{"literal that doubles", doubled(60), fail.Limit, doubled(6)},
		{"literal size", put(Limits{}.OrDefault().LiteralBytes), fail.Limit, put(Limits{}.OrDefault().LiteralBytes - 16)},
		{"names by the million", wide(1_000_000), fail.Limit, wide(100)},
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
	text := func(c *message.Checker, x message.Expr) string {
		t.Helper()
		_, err := c.Check(x)
		wantKind(t, "hidden", err, fail.Denied)
		return fail.GuestText(err)
	}
	field := func(n string) message.Expr {
		return msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, n), lam(1, 3), call(0, "where", 4), call(5, "execute"))
	}
	method := func(n string) message.Expr { return msg(ref(todosID), call(0, n)) }

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
	for what, end := range map[string]func(c *message.Checker, p, body *message.Node){
		"returned": func(c *message.Checker, p, body *message.Node) { c.MakeLambda(p, body) }, "failed": func(c *message.Checker, p, _ *message.Node) { c.Kill(p) }, "alive": func(*message.Checker, *message.Node, *message.Node) {},
	} {
		c := checker()
		q, _ := c.MakeRef(todosID)
		p, _ := c.MakeParam(q, "where", 0, nil)
		row, _ := c.MakeField(p, "todo")
		done, err := c.MakeField(row, "done")
		wantOK(t, what, err)
		end(c, p, done)
		_, err1 := c.MakeField(row, "id")
		_, err2 := c.MakeCall(done, "and", []*message.Node{done})
		_, err3 := c.MakeLambda(p, done)
		for _, err := range []error{err1, err2, err3} {
			if what == "alive" {
				wantOK(t, what, err)
			} else {
				wantKind(t, what, err, fail.Invalid)
			}
		}
	}
}

// The zero Checker refuses.
func TestZeroChecker(t *testing.T) {
	var c message.Checker
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
	c.Catalog["Query"].Methods["where"].Params[0].Want = &message.Term{Con: column("Sortable", value.TypeBool)}
	cond := func(col string) message.Expr {
		return msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, col), lam(1, 3), call(0, "where", 4), call(5, "execute"))
	}
	_, err := c.Check(cond("id"))
	wantKind(t, "Int for a Sortable of bool", err, fail.Invalid)
	_, err = c.Check(cond("done"))
	wantOK(t, "Bool for a Sortable of bool", err)
}

// A message that names a literal in an error shows a piece of it only.
func TestLongLiteralsAreCut(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for _, x := range []message.Expr{
		msg(txt(long), call(0, "execute")),
		msg(ref(todosID), call(0, long)),
		msg(ref(todosID), txt(long), call(0, "limit", 1), call(2, "execute")),
	} {
		_, err := checker().Check(x)
		if err == nil || len(fail.GuestText(err)) > 500 {
			t.Errorf("the error has %d bytes", len(fail.GuestText(err)))
		}
	}
}

// Where a plain value is wanted, an expression of the database is none: only an
// operator takes one. The twin is the literal.
func TestExpressionIsNoArgument(t *testing.T) {
	w := newWorld(t, Config{})
	join := func(n ...message.WireNode) message.Expr {
		return then(msg(ref(usersID), param(0, "join", 0), fld(1, "user"), call(2, "todos")), n...)
	}
	_, err := w.send(join(fld(2, "id"), call(3, "limit", 4), lam(1, 5), call(0, "join", 6), call(7, "execute")))
	wantKind(t, "limit(user.id)", err, fail.Invalid)
	_, err = w.send(join(lit(value.Int(1)), call(3, "limit", 4), lam(1, 5), call(0, "join", 6), call(7, "execute")))
	wantOK(t, "limit(1)", err)
}
