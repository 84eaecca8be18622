package outbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/outbox"
	"github.com/exoagent/exoagent/exo/store"
)

var key = bytes.Repeat([]byte{7}, 32)

// clock is a time that a test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// server takes messages, and answers as a test says.
type server struct {
	mu     sync.Mutex
	got    []string
	answer func(n int) error
}

func (s *server) send(_ context.Context, key string, body []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, key+" "+string(body))
	if s.answer != nil {
		return s.answer(len(s.got))
	}
	return nil
}

func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.got)
}

func box(t *testing.T, kept store.Store, c *clock, s *server) *outbox.Outbox {
	t.Helper()
	o, err := outbox.New(outbox.Options{Store: kept, Key: key, Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	if s != nil {
		o.Deliver("mailer", s.send)
	}
	return o
}

func started() *clock { return &clock{at: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

func ok(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// states lists the messages and what became of them.
func states(t *testing.T, o *outbox.Outbox) string {
	t.Helper()
	all, err := o.List(t.Context())
	ok(t, err)
	var out []string
	for _, x := range all {
		out = append(out, fmt.Sprintf("%s %s %d", x.Key, x.State, x.Tries))
	}
	return strings.Join(out, ", ")
}

// TestRetried: a message that the server does not take is tried again with the same key, later and later, by any process, until it is taken or three days
// are over. A refusal is final. What is taken is not sent again.
func TestRetried(t *testing.T) {
	c, s := started(), &server{answer: func(n int) error {
		if n < 4 {
			return errors.New("503")
		}
		return nil
	}}
	kept := store.NewMemory(&store.LocalOptions{Now: c.now})
	ok(t, box(t, kept, c, s).Put(t.Context(), "mailer", "k-1", []byte("hello")))
	var waits []time.Duration
	for began := c.now(); s.count() < 4 && c.now().Sub(began) < time.Hour; c.add(time.Second) {
		before := s.count()
		ok(t, box(t, kept, c, s).Pass(t.Context())) // another process each time
		if s.count() > before {
			waits = append(waits, c.now().Sub(began))
		}
	}
	if want := []time.Duration{0, 10 * time.Second, 30 * time.Second, 70 * time.Second}; !slices.Equal(waits, want) || len(slices.Compact(slices.Clone(s.got))) != 1 || s.got[0] != "k-1 hello" {
		t.Errorf("tried at %v, got %q", waits, s.got)
	}
	o := box(t, kept, c, s)
	ok(t, o.Put(t.Context(), "mailer", "k-1", []byte("hello")), o.Pass(t.Context()))
	if got := states(t, o); got != "k-1 sent 4" || s.count() != 4 {
		t.Error(got, s.got)
	}
	c.add(25 * time.Hour)
	if got := states(t, o); got != "" {
		t.Errorf("what was sent is listed for ever: %s", got)
	}

	s = &server{answer: func(int) error { return fmt.Errorf("%w: 404", outbox.ErrRefused) }}
	var failed []outbox.Item
	o, err := outbox.New(outbox.Options{Store: kept, Key: key, Now: c.now, Failed: func(x outbox.Item) { failed = append(failed, x) }})
	ok(t, err)
	o.Deliver("mailer", s.send)
	ok(t, o.Put(t.Context(), "mailer", "k-2", nil), o.Pass(t.Context()))
	c.add(time.Hour)
	ok(t, o.Pass(t.Context()))
	if got := states(t, o); got != "k-2 failed 1" || s.count() != 1 || len(failed) != 1 || !strings.Contains(failed[0].Why, "404") {
		t.Error(got, s.got, failed)
	}
	s.answer = nil
	ok(t, o.Retry(t.Context(), "k-2"))
	if got := states(t, o); got != "k-2 sent 1" || s.count() != 2 {
		t.Error(got, s.got)
	}
	if err := o.Retry(t.Context(), "k-2"); err == nil || s.count() != 2 {
		t.Errorf("what was sent is sent again: %v", err)
	}

	s.answer = func(int) error { return errors.New("503") }
	ok(t, o.Put(t.Context(), "mailer", "k-3", nil))
	for range 24 * 4 {
		ok(t, o.Pass(t.Context()))
		c.add(time.Hour)
	}
	if got := states(t, o); !strings.HasPrefix(got, "k-3 failed 7") || len(failed) != 2 {
		t.Errorf("after four days: %s", got)
	}
	ok(t, o.Drop(t.Context(), "k-3"))
	if err := o.Drop(t.Context(), "k-3"); states(t, o) != "" || !errors.Is(err, outbox.ErrNone) {
		t.Error(states(t, o), err)
	}
}

// TestOneAtATime: of several processes one delivers a message. If that one is killed while it does, another delivers it later.
func TestOneAtATime(t *testing.T) {
	c, s := started(), &server{}
	kept := store.NewMemory(&store.LocalOptions{Now: c.now})
	ok(t, box(t, kept, c, s).Put(t.Context(), "mailer", "k", []byte("x")))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { _ = box(t, kept, c, s).Pass(t.Context()) })
	}
	all.Wait()
	if s.count() != 1 {
		t.Errorf("delivered %d times", s.count())
	}

	// A process that is killed in the middle of an attempt leaves the message as it is while the attempt runs.
	ok(t, box(t, kept, c, s).Put(t.Context(), "mailer", "l", []byte("x")))
	hung := make(chan struct{})
	dying := box(t, kept, c, nil)
	dying.Deliver("mailer", func(context.Context, string, []byte) error { <-hung; return errors.New("killed") })
	go func() { _ = dying.Try(context.Background(), "l") }()
	for !strings.Contains(states(t, dying), "l waiting 1") {
		time.Sleep(time.Millisecond)
	}
	ok(t, box(t, kept, c, s).Pass(t.Context()))
	if s.count() != 1 {
		t.Error("two processes deliver it at the same time")
	}
	c.add(3 * time.Minute)
	o := box(t, kept, c, s)
	ok(t, o.Pass(t.Context()))
	close(hung)
	time.Sleep(10 * time.Millisecond)
	if got := states(t, o); s.count() != 2 || !strings.Contains(got, "l sent 2") {
		t.Error(got, s.got)
	}
}

// TestStaged: a message of a run leaves once the run has released it. If its process is killed before, the databases decide: nothing is sent that was
// rolled back, nothing is lost that was kept, and nobody guesses.
func TestStaged(t *testing.T) {
	for name, c := range map[string]struct {
		witnessed bool
		kept      exo.State
		err       error
		want      string
		sent      int
	}{
		"it was kept":              {true, exo.StateApplied, nil, "k sent 1", 1},
		"it was rolled back":       {true, exo.StateRolledBack, nil, "", 0},
		"the database has lost it": {true, exo.StateUnknown, nil, "k unknown 0", 0},
		"no database would know":   {false, exo.StateApplied, nil, "k unknown 0", 0},
		"it can't be asked":        {true, exo.StateApplied, errors.New("no route"), "k staged 0", 0},
	} {
		t.Run(name, func(t *testing.T) {
			at, s, run, asked := started(), &server{}, exo.NewRunID(), 0
			kept := store.NewMemory(&store.LocalOptions{Now: at.now})
			ask := func(_ context.Context, r exo.RunID, before time.Time) (exo.State, error) {
				if asked++; r != run || !before.Equal(started().at) {
					t.Error(r, before)
				}
				return c.kept, c.err
			}
			asking := func() *outbox.Outbox {
				o, err := outbox.New(outbox.Options{Store: kept, Key: key, Now: at.now, Kept: ask})
				ok(t, err)
				o.Deliver("mailer", s.send)
				return o
			}
			o := asking()
			ok(t, o.Stage(t.Context(), "mailer", "k", run, c.witnessed, []byte("x")))
			ok(t, o.Stage(t.Context(), "mailer", "k", run, c.witnessed, []byte("another")))
			at.add(time.Minute)
			ok(t, o.Pass(t.Context()), o.Try(t.Context(), "k"))
			if s.count() != 0 || asked != 0 { // to ask a database keeps a run from its commit that is still alive
				t.Errorf("a run that may be alive: asked %d times, sent %q", asked, s.got)
			}
			at.add(2 * time.Minute)
			if err := asking().Pass(t.Context()); !errors.Is(err, c.err) {
				t.Error(err)
			}
			if got := states(t, o); got != c.want || s.count() != c.sent || c.sent > 0 && s.got[0] != "k x" {
				t.Errorf("%q, sent %q", got, s.got)
			}
			if c.want == "k unknown 0" {
				ok(t, o.Put(t.Context(), "mailer", "k", []byte("x"))) // its process was only slow: the run has committed, and acts
				if got := states(t, o); got != "k waiting 0" {
					t.Error(got)
				}
				ok(t, o.Retry(t.Context(), "k"))
				if got := states(t, o); got != "k sent 1" {
					t.Error(got)
				}
			}
		})
	}

	c, s := started(), &server{}
	o := box(t, store.NewMemory(&store.LocalOptions{Now: c.now}), c, s)
	ok(t, o.Stage(t.Context(), "mailer", "k", exo.NewRunID(), true, []byte("x")), o.Put(t.Context(), "mailer", "k", []byte("x")), o.Pass(t.Context()))
	ok(t, o.Stage(t.Context(), "mailer", "l", exo.NewRunID(), true, []byte("x")), o.Forget(t.Context(), "l"))
	ok(t, o.Put(t.Context(), "mailer", "m", []byte("x")), o.Forget(t.Context(), "m")) // it is released, and so not forgotten
	if got := states(t, o); got != "k sent 1, m waiting 0" || s.count() != 1 {
		t.Error(got, s.got)
	}
}

// TestSettled: the record of a killed run learns what became of its messages.
func TestSettled(t *testing.T) {
	c, s := started(), &server{}
	run := exo.NewRunID()
	o, err := outbox.New(outbox.Options{Store: store.NewMemory(&store.LocalOptions{Now: c.now}), Key: key, Now: c.now, Kept: func(_ context.Context, r exo.RunID, _ time.Time) (exo.State, error) {
		if r == run {
			return exo.StateApplied, nil
		}
		return exo.StateRolledBack, nil
	}})
	ok(t, err)
	o.Deliver("mailer", s.send)
	ok(t, o.Stage(t.Context(), "mailer", "kept", run, true, nil))
	ok(t, o.Put(t.Context(), "mailer", "waits", nil), o.Stage(t.Context(), "mailer", "staged", exo.NewRunID(), true, nil), o.Put(t.Context(), "mailer", "refused", nil))
	s.answer = func(int) error { return outbox.ErrRefused }
	if err := o.Try(t.Context(), "refused"); !errors.Is(err, outbox.ErrRefused) {
		t.Fatal(err)
	}
	for key, want := range map[string]exo.State{"waits": exo.StateApplied, "kept": exo.StateApplied, "staged": exo.StateUnknown, "refused": exo.StateFailed, "never put": exo.StateUnknown} {
		if got, err := o.Settled(t.Context(), key); err != nil || got != want {
			t.Errorf("%s: %v %v, want %v", key, got, err, want)
		}
	}
}

// TestEncrypted: who reads the store reads no message, and who writes it can't put the body of one message in the place of another's, or send it by
// another service.
func TestEncrypted(t *testing.T) {
	dir := t.TempDir()
	kept, err := store.OpenFolder(dir, nil)
	ok(t, err)
	defer kept.Close()
	c, s := &clock{at: time.Now()}, &server{}
	o := box(t, kept, c, s)
	o.Deliver("team", s.send)
	ok(t, o.Put(t.Context(), "mailer", "a", []byte("s3cret body")), o.Put(t.Context(), "mailer", "b", []byte("another")))
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	ok(t, err)
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil && (bytes.Contains(text, []byte("s3cret")) || bytes.Contains(text, []byte("czNjcmV0"))) {
			t.Errorf("%s has the body: %s", f, text)
		}
	}
	entries := map[string]store.Entry{}
	for e, err := range store.All(t.Context(), kept, "outbox/") {
		ok(t, err)
		entries[e.Key] = e
	}
	part := func(text []byte, name string) string {
		_, rest, _ := strings.Cut(string(text), `"`+name+`":"`)
		out, _, _ := strings.Cut(rest, `"`)
		return out
	}
	a, b := entries["outbox/a"], entries["outbox/b"]
	if a.Version == "" || b.Version == "" || part(a.Value, "sealed") == "" {
		t.Fatal(entries)
	}
	b.Value = bytes.Replace(b.Value, []byte(part(b.Value, "sealed")), []byte(part(a.Value, "sealed")), 1)
	a.Value = bytes.Replace(a.Value, []byte(`"to":"mailer"`), []byte(`"to":"team"`), 1)
	for _, e := range []store.Entry{a, b} {
		_, err := kept.Put(t.Context(), e)
		ok(t, err)
	}
	ok(t, o.Pass(t.Context()))
	if s.count() != 0 || !strings.Contains(states(t, o), "a waiting 1, b waiting 1") {
		t.Errorf("%s; sent %q", states(t, o), s.got)
	}
}

// TestRun: a process delivers at once what is put, and ends with its context. A receiver that hangs keeps no other waiting.
func TestRun(t *testing.T) {
	s := &server{}
	c := &clock{at: time.Now()}
	o := box(t, store.NewMemory(nil), c, s)
	hangs := make(chan struct{})
	o.Deliver("team", func(ctx context.Context, _ string, _ []byte) error {
		close(hangs)
		<-ctx.Done()
		return ctx.Err()
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	ok(t, o.Put(ctx, "team", "a", nil), o.Put(ctx, "mailer", "b", nil))
	go func() { defer close(ended); o.Run(ctx, nil) }()
	<-hangs
	for s.count() < 1 {
		time.Sleep(time.Millisecond)
	}
	stop()
	<-ended
}

// TestSlow: a run that sends much waits a moment in all, whether each answer takes long or little. Each message is kept at once, and is delivered once.
func TestSlow(t *testing.T) {
	for name, c := range map[string]struct {
		takes, most time.Duration
	}{
		"each answer takes long":   {2 * time.Second, 2 * time.Second},
		"no answer ever":           {time.Hour, 5 * time.Second},
		"each answer takes little": {250 * time.Millisecond, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o, err := outbox.New(outbox.Options{Store: store.NewMemory(nil), Key: key})
				ok(t, err)
				var mu sync.Mutex
				got := map[string]int{}
				o.Deliver("team", func(ctx context.Context, key string, _ []byte) error {
					select {
					case <-ctx.Done():
						return ctx.Err()
					case <-time.After(c.takes):
					}
					mu.Lock()
					defer mu.Unlock()
					got[key]++
					return nil
				})
				ctx, stop := context.WithCancel(t.Context())
				go o.Run(ctx, nil)
				began := time.Now()
				for i := range 35 {
					ok(t, o.Leave(t.Context(), "team", fmt.Sprintf("k-%02d", i), nil))
				}
				if took := time.Since(began); took > c.most {
					t.Errorf("the run waits for %v", took)
				}
				all, err := o.List(t.Context())
				if ok(t, err); len(all) != 35 {
					t.Errorf("%d messages are kept", len(all))
				}
				time.Sleep(3 * time.Minute)
				stop()
				time.Sleep(2 * time.Minute)
				mu.Lock()
				defer mu.Unlock()
				for key, n := range got {
					if n != 1 {
						t.Errorf("%s arrives %d times", key, n)
					}
				}
				if want := map[bool]int{true: 35}[c.takes < time.Minute]; len(got) != want {
					t.Errorf("%d of %d messages arrive", len(got), want)
				}
			})
		})
	}
}

// TestHangs: a receiver that never answers keeps no message to another one waiting, whenever that is put.
func TestHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, err := outbox.New(outbox.Options{Store: store.NewMemory(nil), Key: key})
		ok(t, err)
		s := &server{}
		o.Deliver("mailer", s.send)
		o.Deliver("team", func(ctx context.Context, _ string, _ []byte) error { <-ctx.Done(); return ctx.Err() })
		ctx, stop := context.WithCancel(t.Context())
		for i := range 5 {
			ok(t, o.Put(ctx, "team", fmt.Sprint("t-", i), nil))
		}
		go o.Run(ctx, nil)
		for i := range 20 {
			time.Sleep(10 * time.Second)
			if ok(t, o.Put(ctx, "mailer", fmt.Sprint("m-", i), nil)); i < 5 {
				ok(t, o.Put(ctx, "team", fmt.Sprint("u-", i), nil))
			}
			time.Sleep(time.Second)
			if s.count() != i+1 {
				t.Fatalf("after %d messages %d have arrived", i+1, s.count())
			}
		}
		stop()
		time.Sleep(2 * time.Minute)
	})
}

// TestFailed: a process that delivers hears of a message that has failed for good.
func TestFailed(t *testing.T) {
	o := box(t, store.NewMemory(nil), &clock{at: time.Now()}, &server{answer: func(int) error { return fmt.Errorf("%w: 404", outbox.ErrRefused) }})
	ok(t, o.Put(t.Context(), "mailer", "k", nil))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	heard := make(chan error, 1)
	go o.Run(ctx, func(err error) { heard <- err })
	select {
	case err := <-heard:
		if err.Error() != "outbox: the message k to mailer could not be delivered: refused: 404" {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("nobody hears of it")
	}
}

// TestElsewhere: where two files share a store and a key, no message of one leaves by a service of the same name of the other, unless a person says so.
func TestElsewhere(t *testing.T) {
	c, a, b := started(), &server{}, &server{}
	kept := store.NewMemory(&store.LocalOptions{Now: c.now})
	one, two, moved := box(t, kept, c, nil), box(t, kept, c, nil), box(t, kept, c, nil)
	one.DeliverAt("team", "https://a.example.com", a.send)
	two.DeliverAt("team", "https://b.example.com", b.send)
	moved.DeliverAt("team", "https://a.example.com", a.send)
	ok(t, one.Put(t.Context(), "team", "k", nil), one.Put(t.Context(), "team", "l", nil), two.Pass(t.Context()), two.Pass(t.Context()))
	all, err := one.List(t.Context())
	if ok(t, err); b.count() != 0 || len(all) != 2 || all[0].Tries != 0 || !strings.Contains(all[0].Why, "left for another place") {
		t.Fatalf("%v %q", all, b.got)
	}
	ok(t, two.Retry(t.Context(), "l"), moved.Pass(t.Context()))
	if got := states(t, one); got != "k sent 1, l sent 1" || a.count() != 1 || b.count() != 1 {
		t.Error(got, a.got, b.got)
	}
}

// TestEnds: a process that ends lets the attempts end that it has begun, begins no more, and cuts none off: a message that another run put is delivered once.
func TestEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := store.NewMemory(nil)
		var mu sync.Mutex
		got := map[string]int{}
		open := func() *outbox.Outbox {
			o, err := outbox.New(outbox.Options{Store: kept, Key: key})
			ok(t, err)
			o.Deliver("team", func(ctx context.Context, key string, _ []byte) error {
				mu.Lock()
				got[key]++ // it has arrived, whether the answer is heard or not
				mu.Unlock()
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-time.After(2 * time.Second):
					return nil
				}
			})
			return o
		}
		o := open()
		ok(t, o.Put(t.Context(), "team", "a", nil), o.Put(t.Context(), "team", "b", nil))
		for range 2 {
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan struct{})
			short := open()
			go func() { defer close(ended); short.Run(ctx, nil) }()
			time.Sleep(time.Second)
			stop()
			<-ended
			short.Wait()
		}
		time.Sleep(10 * time.Minute)
		ok(t, open().Pass(t.Context()))
		if got := states(t, o); got != "a sent 1, b sent 1" {
			t.Error(got)
		}
		if got["a"] != 1 || got["b"] != 1 {
			t.Error(got)
		}
	})
}

// TestZero: an outbox without a store or a key keeps nothing, and says so.
func TestZero(t *testing.T) {
	for _, o := range []*outbox.Outbox{nil, {}} {
		if err := errors.Join(o.Put(t.Context(), "a", "b", nil), o.Pass(t.Context())); err == nil {
			t.Error("it keeps a message")
		}
		o.Deliver("a", nil)
		o.Run(t.Context(), func(err error) { t.Error(err) })
		o.Wait()
		if err := errors.Join(o.Leave(t.Context(), "a", "b", nil), o.Begin(t.Context(), "a", "b", nil), o.Drop(t.Context(), "b"), o.Retry(t.Context(), "b")); err == nil {
			t.Error("it keeps a message")
		}
	}
	for _, opt := range []outbox.Options{{}, {Store: store.NewMemory(nil)}, {Store: store.NewMemory(nil), Key: key[:31]}, {Store: store.NewMemory(nil), Key: key, For: -1}} {
		if _, err := outbox.New(opt); err == nil {
			t.Errorf("%+v", opt)
		}
	}
	o := box(t, store.NewMemory(nil), started(), nil)
	if err := o.Put(t.Context(), "mailer", "k", make([]byte, outbox.MaxBody+1)); err == nil || states(t, o) != "" {
		t.Error(err)
	}
}
