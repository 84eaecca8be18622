package exo

import (
	"bytes"
	"crypto/sha256"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"strings"
	"testing"
)

// titled asks for todos with a title that is each of some texts.
func titled(texts ...value.Value) message.Expr {
	x, before := msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, "title")), int32(-1)
	for _, v := range texts {
		k := int32(len(x.Nodes))
		x.Nodes = append(x.Nodes, lit(v), call(3, "eq", k))
		if before >= 0 {
			x.Nodes = append(x.Nodes, call(before, "and", k+1))
		}
		before = int32(len(x.Nodes) - 1)
	}
	return then(x, lam(1, before), call(0, "where", before+1), call(before+2, "count"))
}

// exact puts the constants of an entry back into its message, as a reader of the record does that has read the entries
// before it.
func exact(t *testing.T, e Entry, known map[value.Digest]value.Value) []byte {
	t.Helper()
	x, err := message.DecodeExpr(string(e.Message), 5000)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range e.Constants {
		if c.Value != nil {
			v, err := value.DecodeValue(string(c.Value), 10_000)
			if d, _ := v.Digest(); err != nil || d != c.Digest || len(c.Value) != c.Bytes {
				t.Fatalf("constant %d: %v, %v, %d bytes", c.Node, err, d, len(c.Value))
			}
			known[c.Digest] = v
		}
		if c.Call == 0 || x.Nodes[c.Node].Op != message.OpLit || x.Nodes[c.Node].Lit.Type() != value.TypeNull {
			t.Fatalf("%+v stands for %v", c, x.Nodes[c.Node])
		}
		x.Nodes[c.Node].Lit = known[c.Digest]
	}
	b, err := x.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A large constant is in the record of a run once, later entries name it, and the exact message can be had from them.
func TestLargeConstantsAreRecordedOnce(t *testing.T) {
	w := newWorld(t, Config{})
	text, other := value.Text(strings.Repeat("x", 100_000)), value.Text(strings.Repeat("y", 5000))
	small := value.Text(strings.Repeat("s", ConstantBytes-16))
	sent := []message.Expr{titled(text, small, text), titled(small, other, text), titled(other, other)}
	var entries []Entry
	for _, x := range sent {
		_, err := w.send(x)
		wantOK(t, "a call", err)
		entries = append(entries, w.events[len(w.events)-2])
	}
	refused := titled(text)
	refused.Nodes[0].Ref = usersID // it has no todo
	_, err := w.send(refused)
	wantKind(t, "refused", err, fail.Denied)
	known, total := map[value.Digest]value.Value{}, 0
	for i, e := range entries {
		want, _ := sent[i].AppendBinary(nil)
		if got := exact(t, e, known); !bytes.Equal(got, want) {
			t.Errorf("%d: %d bytes, not %d", i, len(got), len(want))
		}
		total += len(e.Message)
		for _, c := range e.Constants {
			total += len(c.Value)
		}
	}
	if len(known) != 2 || total > 105_000+2*ConstantBytes+500 {
		t.Errorf("%d entries, %d constants, %d bytes", len(entries), len(known), total)
	}
	if c := entries[1].Constants; len(c) != 2 || c[0].Value == nil || c[1].Value != nil || c[1].Call != entries[0].Call {
		t.Errorf("%d", len(c))
	}
	w.open() // another run has it again
	_, err = w.send(titled(text, small, other))
	wantOK(t, "another run", err)
	if e := w.events[len(w.events)-2]; e.Step != Intent || len(e.Constants) != 2 || e.Constants[0].Value == nil {
		t.Errorf("%v: %d constants", e.Step, len(e.Constants))
	}
}

// An entry has a bounded part of one message, and names what is left out.
func TestRecordedMessageIsBounded(t *testing.T) {
	w := newWorld(t, Config{Limits: Limits{MessageBytes: 64 << 20, MessageNodes: 100_000, MessageDepth: 100_000}})
	many := func(n, size int) message.Expr {
		texts := make([]value.Value, n)
		for i := range texts {
			texts[i] = value.Text(strings.Repeat(string(rune('a'+i%26)), size-i/26))
		}
		return titled(texts...)
	}
	for name, x := range map[string]message.Expr{"large constants": many(30, 200_000), "small constants": many(2000, 3000)} {
		if _, err := w.send(x); err != nil {
			t.Fatal(name, err)
		}
		e := w.events[len(w.events)-2]
		has := len(e.Message)
		for _, c := range e.Constants {
			if has += len(c.Value); c.Value == nil && (c.Call != 0 || c.Bytes < 190_000 || c.Digest == value.Digest{}) {
				t.Errorf("%s: %+v", name, c)
			}
		}
		if e.Step != Intent || has > maxEntryMessage || has == 0 && e.Omitted == nil {
			t.Errorf("%s: %v, %d bytes", name, e.Step, has)
		}
		if want, _ := x.AppendBinary(nil); e.Omitted != nil && (e.Omitted.Bytes != len(want) || e.Omitted.Digest != value.Digest(sha256.Sum256(want)) || e.Message != nil) {
			t.Errorf("%s: %+v", name, e.Omitted)
		}
		if (e.Omitted != nil) != (name == "small constants") {
			t.Errorf("%s: cut: %v", name, e.Omitted)
		}
	}
}

// A constant that a failing Recorder did not take is in none of the later entries as one that is on record.
func TestConstantOfALostEntry(t *testing.T) {
	var events []Entry
	broken := true
	g, err := NewGate(Config{Grants: map[string]Object{"mail": newMail()}, Record: RecordFunc(func(e Entry) error {
		if e.Step == Intent && broken {
			return errProgram
		}
		events = append(events, e)
		return nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	s := begin(t, g, t.Context(), "ann")
	x := msg(ref(0), txt(strings.Repeat("x", 10_000)), call(0, "put", 1))
	for id := range uint64(2) {
		if err := s.Submit(Call{ID: id + 1, Expr: x}); err != nil {
			t.Fatal(err)
		}
		r, _, _ := s.Next(t.Context())
		if (r.Err == nil) == broken {
			t.Error(r.Err)
		}
		broken = false
	}
	_ = s.Finish(t.Context(), value.Value{}, errProgram)
	for _, e := range events {
		if e.Step == Intent && (len(e.Constants) != 1 || e.Constants[0].Value == nil || e.Constants[0].Call != 2) {
			t.Errorf("%+v", e.Constants)
		}
	}
}

// All messages of a run are within one limit, however large each may be. Of one beyond it nothing is copied, looked at or recorded, and it
// adds nothing to the run's label.
func TestMessageBytes(t *testing.T) {
	w := newWorld(t, Config{Limits: Limits{MessageBytes: 100_000}, Admits: value.NewLabel("diary")})
	put := msg(ref(mailID), txt(strings.Repeat("x", 30_000)), call(0, "put", 1))
	for range 3 {
		_, err := w.send(put)
		wantOK(t, "within", err)
	}
	diary := diaries()
	diary.Nodes = append(diary.Nodes[:0:0], diary.Nodes...)
	for i := range diary.Nodes {
		if diary.Nodes[i].Op == message.OpLit {
			diary.Nodes[i].Lit = value.Text(strings.Repeat("x", 30_000))
		}
	}
	_, err := w.send(diary)
	wantKind(t, "beyond", err, fail.Limit)
	if e := w.events[len(w.events)-1]; !strings.Contains(fail.GuestText(err), "at most 100000 bytes") || e.Step != Refused || e.Message != nil || !w.s.Label().Empty() || w.todos.asked() != 0 {
		t.Errorf("%v; %v with %d bytes, %v", err, e.Step, len(e.Message), w.s.Label())
	}
	_, err = w.send(count0())
	wantKind(t, "and after it", err, fail.Limit)
	w.open() // the twin, and another run
	_, err = w.send(diary)
	if wantOK(t, "alone", err); w.s.Label().Empty() {
		t.Error("the diary was not read")
	}
}
