package record

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/message/coding"
	"github.com/exoagent/exoagent/exo/value"
)

// shows is an object whose replies have a text and an object in them.
type shows struct{ text string }

func (shows) Describe() (message.Description, error) {
	m := &message.Method{Name: "see", Sends: true, Result: &message.Term{Con: &message.Type{Name: value.TypeData}}}
	return message.Description{Type: &message.Type{Name: "Shows"}, Interfaces: []*message.Interface{{Name: "Shows", Methods: map[string]*message.Method{"see": m}}}}, nil
}

func (s shows) Eval(_ context.Context, m *exo.Message) (value.Value, error) {
	if err := m.Spend(3, 4); err != nil {
		return value.Value{}, err
	}
	return value.List(value.Text(s.text), value.RefValue(s)), nil
}

// recordedRun records a run of n messages to an object that replies with text.
func recordedRun(t *testing.T, r Replies, keep bool, text string, n int) []exo.Entry {
	t.Helper()
	var b bytes.Buffer
	to := New(&b)
	if keep {
		to.KeepReplies(r)
	}
	gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"shows": shows{text}}, Record: to})
	if err != nil {
		t.Fatal(err)
	}
	s, err := gate.Begin(t.Context(), exo.Run{}, "a program", nil)
	if err != nil {
		t.Fatal(err)
	}
	for id := range n {
		x := message.Expr{Nodes: []message.WireNode{{Op: message.OpRef, Recv: -1}, {Op: message.OpCall, Name: "see", Recv: 0}}}
		if err := s.Submit(exo.Call{ID: uint64(id) + 1, Expr: x}); err != nil {
			t.Fatal(err)
		}
		if r, _, err := s.Next(t.Context()); err != nil || r.Err != nil {
			t.Fatal(err, r.Err)
		}
	}
	if err := s.Finish(t.Context(), value.Null(), nil); err != nil {
		t.Fatal(err)
	}
	if !keep && strings.Contains(b.String(), "reply") {
		t.Error("the record has a reply")
	}
	return all(t, &b)
}

// TestKeepsReplies: a record keeps replies, and what its grants are, if it is made to. One that is too large is left out with the reason.
func TestKeepsReplies(t *testing.T) {
	kept := func(es []exo.Entry) (out []*exo.Kept) {
		for _, e := range es {
			if e.Step == exo.Outcome {
				out = append(out, e.Kept)
			} else if e.Kept != nil {
				t.Errorf("%v has a reply", e.Step)
			}
		}
		return out
	}
	es := recordedRun(t, Replies{}, false, "secret", 1)
	if k := kept(es); k[0] != nil || es[0].Start.Grants != nil {
		t.Errorf("%+v", es)
	}
	es = recordedRun(t, Replies{}, true, "secret", 2)
	for _, k := range kept(es) {
		v, err := value.DecodeValue(string(k.Value), 100)
		types, bad := coding.UnpackTypes(k.Types)
		if bad != nil || len(types) != 1 || types[0].Name != "Shows" {
			t.Errorf("%v %v", types, bad)
		}
		if err != nil || k.Lost != "" || k.Rows != 3 || k.Bytes != 4 || v.Len() != 2 || v.At(0).Text() != "secret" || v.At(1).Kind() != value.KindRef {
			t.Errorf("%v %v %+v", v, err, k)
		}
	}
	granted, catalog, err := coding.UnpackGrants(es[0].Start.Grants())
	if err != nil || len(granted) != 1 || granted[0].Name != "shows" || catalog["Shows"] == nil || coding.DigestGrants(catalog, granted) != es[0].Start.Granted {
		t.Errorf("%v %v %v", granted, catalog, err)
	}
	for _, c := range []struct {
		bounds Replies
		text   string
		want   []string // what the reason has, for each message
	}{
		{Replies{}, strings.Repeat("x", 1<<20), []string{"keeps at most 1048576 of one reply", "an earlier reply"}},
		{Replies{Each: 200, Run: 1000}, strings.Repeat("x", 300), []string{"at most 200", "an earlier reply"}},
		{Replies{Each: 1000, Run: 700}, strings.Repeat("x", 300), []string{"", "", "keeps at most 700 of one run", "an earlier reply"}},
		{Replies{Each: 10}, "x", []string{"an earlier reply of the run, or"}},
	} {
		es := recordedRun(t, c.bounds, true, c.text, len(c.want))
		for i, k := range kept(es) {
			if (c.want[i] == "") != (k.Value != nil) || (k.Lost == "") != (k.Value != nil) || !strings.Contains(k.Lost, c.want[i]) {
				t.Errorf("%+v: %q, want %q", c.bounds, k.Lost, c.want[i])
			}
		}
		if (es[0].Start.Grants == nil) != (c.bounds.Each == 10) {
			t.Errorf("%+v: the catalogue", c.bounds)
		}
	}
}

// TestRepliesAreHidden: a reply before sealing is in no log of a host that logs entries, and such an entry can be written as JSON.
func TestRepliesAreHidden(t *testing.T) {
	e := exo.Entry{Step: exo.Outcome, Start: &exo.Start{Grants: func() []byte { return nil }}, Raw: exo.RawReply{Value: value.Text("123-45-6789").WithLabel(value.NewLabel("pii"))}}
	text, err := json.Marshal(e)
	if err != nil {
		t.Error(err)
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("", "entry", e)
	slog.New(slog.NewTextHandler(&log, nil)).Info("", "entry", e)
	for _, said := range []string{string(text), log.String(), fmt.Sprintf("%v", e), fmt.Sprintf("%+v", e), fmt.Sprintf("%#v", e)} {
		if strings.Contains(said, "123-45") {
			t.Error(said)
		}
	}
}
