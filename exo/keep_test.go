package exo

import (
	"fmt"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// inFrame is a message whose texts are all cut out of one, as a decoder may do.
func inFrame(x message.Expr) (message.Expr, string) {
	var all strings.Builder
	each := func(move func(string) string) message.Expr {
		var val func(v value.Value) value.Value
		val = func(v value.Value) value.Value {
			switch v.Kind() {
			case value.KindText:
				return value.Text(move(v.Text())).WithLabel(v.Label())
			case value.KindSealed:
				return value.NewSealed(v.Number(), move(v.SealedType()), v.Label())
			case value.KindList:
				l := slices.Clone(v.Items())
				for i := range l {
					l[i] = val(l[i])
				}
				return v.WithItems(l)
			case value.KindRecord:
				l := slices.Clone(v.FieldList())
				for i, f := range l {
					l[i] = value.Field{Name: move(f.Name), Value: val(f.Value)}
				}
				return v.WithFields(l)
			}
			return v
		}
		y := message.Expr{Nodes: append([]message.WireNode(nil), x.Nodes...)}
		for i := range y.Nodes {
			n := &y.Nodes[i]
			n.Name, n.Lit, n.Names = move(n.Name), val(n.Lit), append([]string(nil), n.Names...)
			for k := range n.Names {
				n.Names[k] = move(n.Names[k])
			}
		}
		return y
	}
	each(func(s string) string { all.WriteString(s); return s })
	frame, at := all.String()+"|", 0
	return each(func(s string) string { at += len(s); return frame[at-len(s) : at] }), frame
}

func huge(x message.Expr) bool {
	return len(x.Nodes) > 5000 || slices.ContainsFunc(x.Nodes, func(n message.WireNode) bool { return n.Lit.BytesUpTo(1<<20, 0) > 1<<20 || len(n.Names) > 5000 })
}

// held is a path from x to a text that is a part of frame, or "".
func held(x any, frame string) string {
	from := uintptr(unsafe.Pointer(unsafe.StringData(frame)))
	seen := map[any]bool{}
	var walk func(v reflect.Value, at string) string
	walk = func(v reflect.Value, at string) string {
		switch v.Kind() {
		case reflect.String:
			if p := uintptr(unsafe.Pointer(unsafe.StringData(v.String()))); v.Len() > 0 && from <= p && p < from+uintptr(len(frame)) {
				return at + fmt.Sprintf(" %q", v.String())
			}
		case reflect.Pointer, reflect.Map:
			if v.IsNil() || seen[v.UnsafePointer()] {
				return ""
			}
			seen[v.UnsafePointer()] = true
			if v.Kind() == reflect.Pointer {
				return walk(v.Elem(), at)
			}
			for _, k := range v.MapKeys() {
				if s := walk(k, at+"[key]") + walk(v.MapIndex(k), at+"[]"); s != "" {
					return s
				}
			}
		case reflect.Interface:
			return walk(v.Elem(), at)
		case reflect.Slice, reflect.Array:
			for i := range v.Len() {
				if s := walk(v.Index(i), at+"[]"); s != "" {
					return s
				}
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if s := walk(v.Field(i), at+"."+v.Type().Field(i).Name); s != "" {
					return s
				}
			}
		}
		return ""
	}
	return walk(reflect.ValueOf(x), "")
}

// What the gate makes of a message, admitted or refused, holds no part of it: whoever
// keeps a name of it, a literal or an error keeps that and nothing else.
func TestNothingOfAMessageIsKept(t *testing.T) {
	var all []message.Expr
	for _, a := range attacks() {
		all = append(all, a.bad, a.good)
	}
	passed, literals := 0, 0
	for _, x := range append(all, honest()...) {
		if huge(x) {
			continue // written out, it would be as large as it says
		}
		y, frame := inFrame(x)
		if held(y, frame) == "" && len(frame) > 1 {
			t.Fatal("the twin: the message is not made of its frame")
		}
		got, err := checker().Check(y)
		if err != nil {
			if at := held(fail.AsError("", err).Bounded(), frame); at != "" {
				t.Errorf("the error %v holds the message at %s", err, at)
			}
			continue
		}
		passed++
		literals += len(got.Args)
		if at := held(got, frame); at != "" {
			t.Errorf("%+v: the checked message holds the one that was sent at %s", x, at)
		}
	}
	if passed < 50 || literals < 20 {
		t.Errorf("%d messages with %d literals were admitted", passed, literals)
	}
}

// A run can have as many refused calls as it may call, and replies and records of them
// stay. One worker that was taken over made 4.9 GB of them.
func TestRefusalsKeepNothing(t *testing.T) {
	const size, runs = 1 << 20, 64
	name := func(i int) string { return strings.Repeat("x", size) + fmt.Sprint(i) }
	long := func(i int) []message.WireNode { // a query with a name of its own for each of many tables
		x := []message.WireNode{ref(todosID)}
		at := int32(0)
		for k := range 90 {
			n := fmt.Sprintf("%s%d_%d", strings.Repeat("n", 80), i, k)
			x = append(x, ref(usersID), message.WireNode{Op: message.OpLit, Recv: -1, Lit: value.Text(n)}, call(at+1, "as", at+2), call(at, "join", at+3))
			x[len(x)-2].Recv, x[len(x)-2].Args = int32(len(x)-4), []int32{int32(len(x) - 3)}
			x[len(x)-1].Args = []int32{int32(len(x) - 2)}
			at = int32(len(x) - 1)
		}
		return x
	}
	shapes := map[string]func(i int) message.Expr{
		"no such method": func(i int) message.Expr { return msg(ref(todosID), call(0, name(i))) },
		"no such field": func(i int) message.Expr {
			return msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, name(i)), lam(1, 3), call(0, "where", 4), call(5, "execute"))
		},
		"part of a name": func(i int) message.Expr { n := name(i); return msg(ref(todosID), call(0, n[len(n)-3:])) },
		"a literal":      func(i int) message.Expr { return msg(txt(name(i)), call(0, "execute")) },
		"a text for a number": func(i int) message.Expr {
			n := name(i)
			return msg(ref(todosID), txt(n[len(n)-40:]), call(0, "limit", 1), call(2, "execute"))
		},
		"a long query": func(i int) message.Expr {
			return then(message.Expr{Nodes: long(i)}, call(int32(len(long(i))-1), "nothing"))
		},
		"a row of a long query": func(i int) message.Expr {
			x := message.Expr{Nodes: long(i)}
			k := int32(len(x.Nodes))
			return then(x, param(k-1, "where", 0), fld(k, "nothing"), lam(k, k+1), call(k-1, "where", k+2), call(k+3, "execute"))
		},
	}
	for what, shape := range shapes {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t, Config{Limits: Limits{UnansweredBytes: 1 << 30, MessageBytes: 1 << 40, LiteralBytes: 8 << 20}})
			var kept []error
			before := heap()
			for i := range runs {
				_, err := w.send(shape(i))
				if err == nil {
					t.Fatal("it was admitted")
				}
				kept = append(kept, err)
			}
			if grown := heap() - before; grown > runs*32<<10 {
				t.Errorf("%d refusals keep %d KiB", runs, grown>>10)
			}
			for _, err := range kept {
				if n := len(fail.GuestText(err)); n == 0 || n > fail.MaxOp+fail.MaxMsg {
					t.Errorf("a text of %d bytes", n)
				}
			}
			runtime.KeepAlive(w)
		})
	}
}

func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
