package exo

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"testing"
)

// The fuzzer's bytes are a message: a byte for each choice, cheap to mutate.

var fuzzNames = []string{"", "todo", "user", "id", "title", "done", "diary", "name", "where", "join", "select", "orderBy", "limit", "as", "named", "sample", "eq", "=", "in",
	"and", "desc", "execute", "count", "remove", "todos", "send", "sendDiary", "peek", "put", "dup", "a", "b", "then", "__proto__"}

var fuzzLits = []value.Value{{}, value.Null(), value.Bool(false), value.Int(1), value.Float(1), value.Float(0.5), value.Text(""), value.Text("a"), value.Text("todo"), value.Text("9007199254740993"), value.List(), value.List(value.Int(1)),
	value.List(value.Text("x"), value.Int(1)), value.RecordValue(), value.RecordValue(value.Field{Name: "to", Value: value.Text("x")}), value.RecordValue(value.Field{Name: "to", Value: value.Text("x")}, value.Field{Name: "n", Value: value.Float(1)})}

func decodeExpr(b []byte) message.Expr {
	next := func() int {
		if len(b) == 0 {
			return 0
		}
		c := b[0]
		b = b[1:]
		return int(c)
	}
	var x message.Expr
	for len(b) > 0 && len(x.Nodes) < 200 {
		n := message.WireNode{Op: message.Op(next()), Name: fuzzNames[next()%len(fuzzNames)], Lit: fuzzLits[next()%len(fuzzLits)], Ref: uint32(next()), Arg: int(int8(next())), Recv: int32(int8(next()))}
		for range next() % 8 {
			n.Args = append(n.Args, int32(int8(next())))
		}
		for range next() % 8 {
			n.Names = append(n.Names, fuzzNames[next()%len(fuzzNames)])
		}
		x.Nodes = append(x.Nodes, n)
	}
	return x
}

// encodeExpr is the seed that decodes to x, or to something close.
func encodeExpr(x message.Expr) []byte {
	var b []byte
	name := func(s string) byte {
		for i, n := range fuzzNames {
			if n == s {
				return byte(i)
			}
		}
		return 0
	}
	for _, n := range x.Nodes {
		l := 0
		for i, v := range fuzzLits {
			if n.Lit.Kind() == v.Kind() && (l == 0 || value.Equal(v, n.Lit)) {
				l = i
			}
		}
		b = append(b, byte(n.Op), name(n.Name), byte(l), byte(n.Ref), byte(n.Arg), byte(n.Recv), byte(len(n.Args)))
		for _, a := range n.Args {
			b = append(b, byte(a))
		}
		b = append(b, byte(len(n.Names)))
		for _, s := range n.Names {
			b = append(b, name(s))
		}
	}
	return b
}

func FuzzCheck(f *testing.F) {
	passed := 0
	for _, x := range honest() {
		b := encodeExpr(x)
		if _, err := checker().Check(decodeExpr(b)); err == nil {
			passed++
		}
		f.Add(b)
	}
	if passed < len(honest())/2 {
		f.Errorf("only %d of %d seeds are still messages", passed, len(honest()))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		x, frame := inFrame(decodeExpr(b))
		got, err := checker().Check(x)
		if at := held([]any{got, err}, frame); at != "" {
			t.Fatalf("%+v: the message is held at %s", x, at)
		}
		if err == nil {
			recheck(t, x, got)
		} else if fail.KindOf(err) == fail.Other || fail.KindOf(err) == fail.Internal {
			t.Fatalf("%+v: %v", x, err)
		}
	})
}
