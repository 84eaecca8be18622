package exo

import (
	"slices"
	"testing"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"pgregory.net/rapid"
)

// honest is messages of every form, to start from.
func honest() []message.Expr {
	var xs []message.Expr
	for _, a := range slices.Concat(graphAttacks(), placeholderAttacks(), typeAttacks()) {
		xs = append(xs, a.good)
	}
	return append(xs, titles(), diaries(), sendMail("send"), sendMail("sendDiary"))
}

// mutate changes one thing about x.
func mutate(t *rapid.T, x message.Expr) message.Expr {
	ns := slices.Clone(x.Nodes)
	if len(ns) == 0 {
		return msg(ref(rapid.Uint32Range(0, 4).Draw(t, "ref")))
	}
	i := rapid.IntRange(0, len(ns)-1).Draw(t, "node")
	at := rapid.Int32Range(-2, int32(len(ns)))
	n := &ns[i]
	n.Args, n.Names = slices.Clone(n.Args), slices.Clone(n.Names)
	switch rapid.IntRange(0, 11).Draw(t, "mutation") {
	case 0:
		n.Recv = at.Draw(t, "recv")
	case 1:
		n.Args = append(n.Args, at.Draw(t, "arg"))
	case 2:
		if len(n.Args) > 0 {
			n.Args[rapid.IntRange(0, len(n.Args)-1).Draw(t, "which")] = at.Draw(t, "arg")
		}
	case 3:
		if len(n.Args) > 0 {
			n.Args = n.Args[:len(n.Args)-1]
		}
	case 4:
		n.Op = message.Op(rapid.IntRange(0, 10).Draw(t, "op"))
	case 5:
		n.Name = rapid.SampledFrom([]string{"", "todo", "user", "id", "title", "done", "diary", "where", "join", "select", "orderBy", "limit", "as", "eq", "in", "and", "desc",
			"execute", "count", "remove", "named", "sample", "send", "put", "todos", "__proto__"}).Draw(t, "name")
	case 6:
		n.Lit = rapid.SampledFrom([]value.Value{{}, value.Null(), value.Bool(true), value.Int(-1), value.Float(2), value.Float(0.5), value.Text("todo"), value.Text("9007199254740993"), value.List(), value.List(value.Int(1), value.Text("x")),
			value.RecordValue(value.Field{Name: "to", Value: value.Text("x")}), value.Time(value.Int(0).Time())}).Draw(t, "lit")
	case 7:
		n.Ref = rapid.Uint32Range(0, 4).Draw(t, "ref")
	case 8:
		n.Arg = rapid.IntRange(-1, 2).Draw(t, "param")
	case 9:
		n.Names = append(n.Names, rapid.SampledFrom([]string{"a", "b", "then", ""}).Draw(t, "field"))
	case 10:
		j := rapid.IntRange(0, len(ns)-1).Draw(t, "other")
		ns[i], ns[j] = ns[j], ns[i]
	case 11: // a node in between; what comes after it moves on
		extra := ns[rapid.IntRange(0, len(ns)-1).Draw(t, "copy")]
		for k := range ns {
			ns[k].Args = slices.Clone(ns[k].Args)
			for a := range ns[k].Args {
				if ns[k].Args[a] >= int32(i) {
					ns[k].Args[a]++
				}
			}
			if ns[k].Recv >= int32(i) {
				ns[k].Recv++
			}
		}
		ns = slices.Insert(ns, i, extra)
	}
	return message.Expr{Nodes: ns}
}

// recheck says what must hold of every message that the checker let pass.
func recheck(t interface{ Fatalf(string, ...any) }, x message.Expr, got *message.Checked) {
	if got.Root == nil || got.Root.Op != message.OpCall || !got.Root.Method().Sends || !got.Root.Closed() {
		t.Fatalf("%+v passed without being a message", x)
	}
	again, err := checker().Check(got.Root.Expr())
	if err != nil {
		t.Fatalf("%+v passed once, and then not: %v", x, err)
	}
	if again.Shape != got.Shape || !slices.EqualFunc(again.Args, got.Args, value.Equal) || !slices.Equal(again.Refs, got.Refs) || !equalLabel(again.Label, got.Label) {
		t.Fatalf("%+v is %q %v at first, and then %q %v", x, got.Shape, got.Args, again.Shape, again.Args)
	}
}

// Whatever is done to a message, it is refused, or is a message like any other;
// and only then is an object asked.
func TestMutations(t *testing.T) {
	start := honest()
	passed, refused := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		x := rapid.SampledFrom(start).Draw(rt, "start")
		for range rapid.IntRange(0, 3).Draw(rt, "mutations") {
			x = mutate(rt, x)
		}
		got, err := checker().Check(x)
		if err == nil {
			recheck(rt, x, got)
			passed++
		} else {
			refused++
			if fail.KindOf(err) == fail.Other || fail.KindOf(err) == fail.Internal {
				rt.Fatalf("%+v: %v", x, err)
			}
		}
		w := newWorld(t, Config{})
		_, sent := w.send(x)
		if asked := w.asked(); asked > 1 || asked == 1 && err != nil || asked == 0 && sent == nil {
			rt.Fatalf("%+v: checked %v, sent %v, asked %d times", x, err, sent, asked)
		}
		w.s.Finish(t.Context(), value.Null(), nil)
	})
	if passed == 0 || refused == 0 {
		t.Errorf("%d passed and %d were refused: the test is blind on one eye", passed, refused)
	}
}
