package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/exotest"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/mcpclient"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// pinOf returns the pin that a server asks for.
func pinOf(t *testing.T, s mcpclient.Server) string {
	t.Helper()
	_, err := mcpclient.Open(t.Context(), s)
	var pin *mcpclient.PinError
	if !errors.As(err, &pin) {
		t.Fatal(err)
	}
	return pin.Digest
}

// pinned opens a server with the pin that it asks for.
func pinned(t *testing.T, s mcpclient.Server) *mcpclient.Object {
	t.Helper()
	if s.Pin == "" {
		s.Pin = pinOf(t, s)
	}
	o, err := mcpclient.Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	return o
}

// both runs a test over lines and over HTTP.
func both(t *testing.T, f func(t *testing.T, overHTTP bool)) {
	t.Helper()
	t.Run("lines", func(t *testing.T) { f(t, false) })
	t.Run("HTTP", func(t *testing.T) { f(t, true) })
}

func record(fields ...any) value.Value {
	var fs []value.Field
	for i := 0; i < len(fields); i += 2 {
		fs = append(fs, value.Field{Name: fields[i].(string), Value: fields[i+1].(value.Value)})
	}
	return value.RecordValue(fs...)
}

var hello = record("text", value.Text("hello"))

// TestTools: the host's lists say which tools there are and what they do. The server's hints say nothing.
func TestTools(t *testing.T) {
	both(t, func(t *testing.T, overHTTP bool) {
		s := declared(t, overHTTP, "honest")
		s.Immediate, s.Acts = s.Acts, nil
		s.Label, s.Admits = value.NewLabel("desk"), value.NewLabel("desk")
		o := pinned(t, s)
		d, err := o.Describe()
		if err != nil {
			t.Fatal(err)
		}
		i := d.Interface("Desk")
		if want := []string{"data", "echo", "post_it", "row"}; !slices.Equal(i.Names(), want) {
			t.Errorf("%v, want %v", i.Names(), want)
		}
		for name, want := range map[string]message.EffectMode{"echo": message.NoEffect, "row": message.NoEffect, "post_it": message.Immediate} {
			m := i.Methods[name]
			if m.Effect != want || !m.Sink || !m.Sends || !m.Reply.Equal(value.NewLabel("desk", value.Untrusted)) || !m.Admits.Equal(s.Admits) {
				t.Errorf("%s: %+v", name, m)
			}
		}
		if got := i.Methods["row"].Result.Con.String(); !strings.Contains(got, "id") {
			t.Errorf("%s", got)
		}
		for method, want := range map[string]string{"row": `{"id":7,"name":"ann","tags":["a"]}`, "data": `{"any":[1,2.5,"x",null,{"k":true}]}`} {
			if v, err := exotest.Send(t, o, method); err != nil || fmt.Sprint(v) != want {
				t.Errorf("%s: %v %v, want %s", method, v, err, want)
			}
		}
		if v, err := exotest.Send(t, o, "echo", hello); err != nil || v.Text() != `got {"text":"hello"}` {
			t.Errorf("%v %v", v, err)
		}
		if v, err := exotest.Send(t, o, "post_it", hello); err != nil || !strings.HasPrefix(v.Text(), "got") {
			t.Errorf("%v %v", v, err)
		}
		if _, err := exotest.Send(t, o, "hidden"); err == nil {
			t.Error("a tool that nobody listed was called")
		}
		exotest.Conform(t, o)
	})
}

// TestHeld: a tool that acts is called after the program has ended well, once, with a key; a run that has read answers can't call it.
func TestHeld(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	s := declared(t, false, "honest", log)
	s.Command.Write = []string{filepath.Dir(log)}
	o := pinned(t, s)
	sent := func() int {
		b, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(b), `"idempotencyKey"`)
	}
	for _, commit := range []bool{false, true} {
		r := exotest.Begin(t, exo.Config{Grants: map[string]exo.Object{"desk": o}})
		v, err := r.On("desk").Call("post_it", hello).Send()
		if held, _ := v.Get("held"); err != nil || !held.Bool() || sent() != 0 {
			t.Errorf("%v %v, sent %d", v, err, sent())
		}
		if err := r.Finish(commit); err != nil {
			t.Error(err)
		}
		if want := map[bool]int{true: 1}[commit]; sent() != want {
			t.Errorf("commit %v: sent %d, want %d", commit, sent(), want)
		}
	}
	r := exotest.Begin(t, exo.Config{Grants: map[string]exo.Object{"desk": o}})
	if _, err := r.On("desk").Call("row").Send(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.On("desk").Call("post_it", hello).Send(); fail.KindOf(err) != fail.Denied {
		t.Errorf("a run that has read what the server wrote acts by it: %v", err)
	}
}

// TestPin: a server with other tools than the pinned ones is refused. The error has the digest, and nothing of the server's text.
func TestPin(t *testing.T) {
	both(t, func(t *testing.T, overHTTP bool) {
		good := pinOf(t, declared(t, overHTTP, "honest"))
		for n, mode := range []string{"described otherwise", "another schema", "renamed", "twice", "nothing but null"} {
			t.Run(fmt.Sprintf("P%d %s", n+1, mode), func(t *testing.T) {
				s := declared(t, overHTTP, mode)
				s.Pin = good
				_, err := mcpclient.Open(t.Context(), s)
				var pin *mcpclient.PinError
				if err == nil || strings.Contains(err.Error(), "IMPORTANT") {
					t.Errorf("%v", err)
				}
				if errors.As(err, &pin) {
					s.Pin = pin.Digest // the twin: a person has agreed
					if !strings.Contains(err.Error(), pin.Digest) || !strings.Contains(string(pin.Tools), `"echo"`) {
						t.Errorf("%v %s", err, pin.Tools)
					}
					pinned(t, s)
				} else if n < 2 {
					t.Errorf("%v", err)
				}
			})
		}
		s := declared(t, overHTTP, "more tools")
		s.Pin = good
		pinned(t, s) // tools that are not used may come and go
	})
}

// TestHiddenWords: a person who reads the tools before pinning them sees what a model reads. The twin, plain JSON, hides it.
func TestHiddenWords(t *testing.T) {
	both(t, func(t *testing.T, overHTTP bool) {
		_, err := mcpclient.Open(t.Context(), declared(t, overHTTP, "hidden words"))
		var pin *mcpclient.PinError
		if !errors.As(err, &pin) {
			t.Fatal(err)
		}
		want := `says \udb40\udc72\udb40\udc6d it\u202e\u200b again\ufe0f\udb40\udd01\u2800\u115f 再び`
		if !strings.Contains(string(pin.Tools), want) {
			t.Errorf("%s", pin.Tools)
		}
		var tools []struct{ Description string }
		if err := json.Unmarshal(pin.Tools, &tools); err != nil || tools[1].Description != "says \U000E0072\U000E006D it\u202e\u200b again\uFE0F\U000E0101\u2800\u115F 再び" {
			t.Errorf("%v, the escapes mean %q", err, tools)
		}
		if twin, _ := json.Marshal(tools); strings.Contains(string(twin), `\u`) || !strings.Contains(string(twin), "\u202e") {
			t.Errorf("the twin is %s", twin)
		}
	})
}

// TestChanges: a server whose tools become others is refused from then on; one that only says so is looked at.
func TestChanges(t *testing.T) {
	o := pinned(t, declared(t, false, "becomes other"))
	if _, err := exotest.Send(t, o, "echo", hello); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		_, err := exotest.Send(t, o, "echo", hello)
		var pin *mcpclient.PinError
		if fail.KindOf(err) != fail.Revoked || !errors.As(err, &pin) || !errors.Is(err, exo.ErrNothingDone) || strings.Contains(fail.GuestText(err), "IMPORTANT") {
			t.Errorf("%v", err)
		}
	}
	for _, mode := range []string{"changes nothing"} {
		o := pinned(t, declared(t, false, mode))
		for range 3 {
			if v, err := exotest.Send(t, o, "echo", hello); err != nil {
				t.Errorf("%s: %v %v", mode, v, err)
			}
		}
	}
	// Over HTTP no notice comes: the tools are listed again after a while.
	o = pinned(t, declared(t, true, "becomes other in silence"))
	if _, err := exotest.Send(t, o, "echo", hello); err != nil {
		t.Fatal(err)
	}
	mcpclient.Later(o)
	if _, err := exotest.Send(t, o, "echo", hello); fail.KindOf(err) != fail.Revoked {
		t.Errorf("%v", err)
	}
}

// TestAttacks: whatever a server sends, a call ends with a typed error within bounds, and the host lives on. ok is an attack that does no harm.
func TestAttacks(t *testing.T) {
	type attack struct {
		mode      string
		method    string
		want      error // nil: the answer counts
		kind      fail.Kind
		linesOnly bool
		httpOnly  bool
		twin      *mcpclient.Bounds // with these bounds it succeeds
	}
	wide := &mcpclient.Bounds{Bytes: 64 << 20, Items: 1 << 20, Messages: 1 << 20, Call: 20 * time.Second}
	all := []attack{
		{mode: "hangs", want: mcpclient.ErrTimeout, kind: fail.Limit},
		{mode: "half a line", want: mcpclient.ErrTimeout, kind: fail.Limit},
		{mode: "ends", want: nil, kind: fail.Internal},
		{mode: "an answer of 1 GB", want: mcpclient.ErrTooLarge, kind: fail.Limit, linesOnly: true},
		{mode: "a line of 1 GB", want: mcpclient.ErrTooLarge, kind: fail.Limit, linesOnly: true},
		{mode: "an answer of 1 GB", want: mcpclient.ErrTooLarge, kind: fail.Limit, httpOnly: true},
		{mode: "an answer of 3 MB", want: mcpclient.ErrTooLarge, kind: fail.Limit, twin: wide},
		{mode: "an answer without end", want: mcpclient.ErrTooLarge, kind: fail.Limit, linesOnly: true},
		{mode: "no text", want: mcpclient.ErrMalformed, kind: fail.Internal, linesOnly: true},
		{mode: "a batch", want: mcpclient.ErrMalformed, kind: fail.Internal, linesOnly: true},
		{mode: "no JSON", want: mcpclient.ErrMalformed, kind: fail.Internal, linesOnly: true},
		{mode: "deep JSON", method: "data", kind: fail.Internal},
		{mode: "deep data", method: "data", want: mcpclient.ErrTooLarge, kind: fail.Limit},
		{mode: "many values", method: "data", want: mcpclient.ErrTooLarge, kind: fail.Limit, twin: wide},
		{mode: "two answers"},
		{mode: "answers ahead"},
		{mode: "a few notices"},
		{mode: "changes nothing"},
		{mode: "a flood", want: mcpclient.ErrFlood, kind: fail.Limit, linesOnly: true, twin: wide},
		{mode: "a flood of answers", want: mcpclient.ErrFlood, kind: fail.Limit, linesOnly: true, twin: wide},
		{mode: "a body of 256 MB", want: mcpclient.ErrTooLarge, kind: fail.Limit, httpOnly: true},
		{mode: "a storm of changes", want: mcpclient.ErrFlood, kind: fail.Limit, linesOnly: true, twin: wide},
		{mode: "a flood", kind: fail.Limit, httpOnly: true},
		{mode: "pings without reading", want: mcpclient.ErrFlood, kind: fail.Limit, linesOnly: true},
		{mode: "asks its client"},
		{mode: "wants input", want: mcpclient.ErrAsks, kind: fail.Internal},
		{mode: "fails", want: mcpclient.ErrTool, kind: fail.Invalid},
		{mode: "fails at length", want: mcpclient.ErrTool, kind: fail.Invalid},
		{mode: "null"},
		{mode: "null parts", kind: fail.Internal},
		{mode: "redirects", kind: fail.Internal, httpOnly: true},
	}
	for _, mode := range []string{"no structure", "a wrong type", "a missing field", "null for a text", "half a number", "a number too large", "a list for a row", "an object in a list", "a NUL"} {
		all = append(all, attack{mode: mode, method: "row", want: mcpclient.ErrMismatch, kind: fail.Internal})
	}
	for _, mode := range []string{"a prototype", "a promise"} {
		all = append(all, attack{mode: mode, method: "data", want: mcpclient.ErrMismatch, kind: fail.Internal})
	}
	all = append(all, attack{mode: "fields beside", method: "row"})
	good := pinned(t, declared(t, false, "honest"))
	both(t, func(t *testing.T, overHTTP bool) {
		for n, a := range all {
			if a.linesOnly && overHTTP || a.httpOnly && !overHTTP {
				continue
			}
			t.Run(fmt.Sprintf("M%d %s", n+1, a.mode), func(t *testing.T) {
				call := func(s mcpclient.Server) (value.Value, error) {
					o := pinned(t, s)
					var args []any
					if a.method == "" {
						a.method, args = "echo", nil
					}
					if a.method == "echo" {
						args = []any{hello}
					}
					return exotest.Send(t, o, a.method, args...)
				}
				peak := watch(t)
				before := time.Now()
				v, err := call(declared(t, overHTTP, a.mode))
				if took := time.Since(before); took > 20*time.Second {
					t.Errorf("it took %v", took)
				}
				if grown := peak(); grown > 100<<20 {
					t.Errorf("the host grew by %d MiB", grown>>20)
				}
				switch {
				case a.want == nil && a.kind == fail.Other:
					if err != nil {
						t.Errorf("%v %v", v, err)
					}
				case err == nil || a.want != nil && !errors.Is(err, a.want) || fail.KindOf(err) != a.kind || errors.Is(err, exo.ErrNothingDone):
					t.Errorf("%v %v (%v), want %v", v, err, fail.KindOf(err), a.want)
				}
				if err != nil && len(err.Error()) > 20_000 {
					t.Errorf("the error has %d bytes", len(err.Error()))
				}
				if a.mode == "asks its client" && !overHTTP && (strings.Count(v.Text(), `"error"`) != 4 || strings.Count(v.Text(), `"result":{}`) != 1) {
					t.Errorf("the server was told %s", v.Text())
				}
				if a.mode == "fields beside" && fmt.Sprint(v) != `{"id":7,"name":"ann"}` {
					t.Errorf("%v", v)
				}
				if strings.Contains(fmt.Sprint(v), "forged") || strings.Contains(fmt.Sprint(v), "second") {
					t.Errorf("%v", v)
				}
				if a.twin != nil {
					s := declared(t, overHTTP, a.mode)
					s.Bounds = *a.twin
					if v, err := call(s); err != nil {
						t.Errorf("the twin with wide bounds: %v %v", v, err)
					}
				}
				if v, err := exotest.Send(t, good, "row"); err != nil {
					t.Errorf("the host does not live on: %v %v", v, err)
				}
			})
		}
	})
}

// watch measures how much the heap grows, at its peak.
func watch(t *testing.T) (peak func() uint64) {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	runtime.GC()
	before, most := heap(), uint64(0)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			most = max(most, heap())
			time.Sleep(5 * time.Millisecond)
		}
	}()
	return func() uint64 {
		stop()
		<-done
		return max(most, before) - before
	}
}
