package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/exoagent/exoagent/codemode/agent"
)

// waits are the waits that were told, and took place: the clock of the test's bubble
// stands still but for them.
func (f *fixture) waits(start time.Time) (out []time.Duration) {
	var sum time.Duration
	for _, e := range f.events {
		if w, ok := e.(agent.Waiting); ok {
			out = append(out, w.Wait)
			sum += w.Wait
		}
	}
	if took := time.Since(start); took != sum {
		f.t.Errorf("it took %v, and %v were told", took, out)
	}
	return out
}

func TestRetryAfterIsHonoured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, fails(&agent.ModelError{Kind: agent.RateLimited, RetryAfter: 7 * time.Second}), says("One."))
		start := time.Now()
		f.must("How many?", "One.")
		if w := f.waits(start); len(w) != 1 || w[0] != 7*time.Second {
			t.Error(w)
		}
	})
}

// TestRetryAfterIsBounded: nobody is made to wait for a day by an endpoint.
func TestRetryAfterIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, fails(&agent.ModelError{Kind: agent.RateLimited, RetryAfter: 61 * time.Second}))
		start := time.Now()
		if _, err := f.ask("How many?"); kind(err) != agent.RateLimited || !strings.Contains(err.Error(), "retry after 1m1s") {
			t.Error(err)
		}
		f.waits(start)
	})
}

func TestBackoff(t *testing.T) {
	for _, k := range []agent.ErrorKind{agent.Overloaded, agent.Unreachable, agent.Truncated, agent.RateLimited} {
		synctest.Test(t, func(t *testing.T) {
			e := &agent.ModelError{Kind: k, Usage: agent.Usage{Requests: 1, Input: 3}}
			f := newFixture(t, runs("await mail.send({to: 'a'})"), fails(e), fails(e), fails(e), says("One."))
			start := time.Now()
			a := f.must("How many?", "One.")
			w := f.waits(start)
			if len(w) != 3 || a.Steps != 2 || a.Usage.Input != 29 || len(f.world.sent) != 1 {
				t.Fatal(w, a, f.world.sent)
			}
			for i, d := range w {
				if most := time.Second << i; d > most || d < most/2 {
					t.Errorf("wait %d is %v", i, d)
				}
			}
		})
	}
}

func TestBackoffHasJitter(t *testing.T) {
	seen := map[time.Duration]bool{}
	for range 10 {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t, fails(&agent.ModelError{Kind: agent.Overloaded}), says("One."))
			start := time.Now()
			f.must("How many?", "One.")
			seen[f.waits(start)[0]] = true
		})
	}
	if len(seen) < 2 {
		t.Error("ten waits are the same")
	}
}

func TestTriesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var steps []step
		for range 4 {
			steps = append(steps, fails(&agent.ModelError{Kind: agent.Overloaded, Status: 529}))
		}
		f := newFixture(t, steps...)
		if _, err := f.ask("How many?"); kind(err) != agent.Overloaded {
			t.Error(err)
		}
		f.model.steps = append(f.model.steps, says("One."))
		if a, err := f.Resume(t.Context(), f.chat, nil); err != nil || a.Text != "One." {
			t.Error(a, err)
		}
		if len(f.chat.Messages) != 2 {
			t.Errorf("%+v", f.chat.Messages)
		}
	})
	for _, k := range []agent.ErrorKind{agent.Auth, agent.Invalid, agent.Malformed, agent.Refused, agent.Other} {
		f := newFixture(t, fails(&agent.ModelError{Kind: k}))
		if _, err := f.ask("How many?"); kind(err) != k || len(f.model.asked) != 1 {
			t.Errorf("%v after %d requests", err, len(f.model.asked))
		}
	}
}

// TestCancel: at every point, and nothing runs any more afterwards: a bubble ends
// only when its goroutines have.
func TestCancel(t *testing.T) {
	hang := func(ctx context.Context, _ *agent.ModelRequest, _ func(string)) (*agent.ModelReply, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	for _, c := range []struct {
		name  string
		steps []step
		after time.Duration // when it is cancelled
		asked int
	}{
		{"before", nil, 0, 0},
		{"in a request", []step{hang}, time.Second, 1},
		{"in a later request", []step{runs("return 1"), hang}, time.Second, 2},
		{"in a wait", []step{fails(&agent.ModelError{Kind: agent.RateLimited, RetryAfter: 10 * time.Second})}, time.Second, 1},
		{"in a call", []step{runs("await mail.stop()")}, time.Second, 1},
		{"a model that hides it", []step{func(ctx context.Context, _ *agent.ModelRequest, _ func(string)) (*agent.ModelReply, error) {
			<-ctx.Done()
			return nil, &agent.ModelError{Kind: agent.Overloaded}
		}}, time.Second, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, c.steps...)
				ctx, cancel := context.WithTimeout(t.Context(), c.after)
				defer cancel()
				start := time.Now()
				a, err := f.Ask(ctx, f.chat, "How many?", f.on)
				if a != nil || !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != c.after || len(f.model.asked) != c.asked {
					t.Errorf("%+v, %v after %v and %d requests", a, err, time.Since(start), len(f.model.asked))
				}
				f.model.steps = append(f.model.steps, says("One."))
				if a, err := f.Resume(t.Context(), f.chat, nil); err != nil || a.Text != "One." {
					t.Errorf("it does not go on: %v", err)
				}
			})
		})
	}
}

// TestRoom: what the model need not read any more makes room, the oldest first, and
// what it waits for never does.
func TestRoom(t *testing.T) {
	long := func(s string) string { return "return '" + strings.Repeat(s, 1000) + "'" }
	tooLong := fails(&agent.ModelError{Kind: agent.TooLong, Status: 400})
	f := newFixture(t, runs(long("a"), long("b")), runs(long("c")), runs(long("d")), tooLong, tooLong, tooLong)
	_, err := f.ask("How many?")
	if kind(err) != agent.TooLong || !strings.Contains(err.Error(), "begin a new conversation") {
		t.Fatal(err)
	}
	for i, want := range []string{"abcd", "cd", "d"} {
		got := ""
		for _, c := range []string{"a", "b", "c", "d"} {
			if strings.Contains(f.model.read[3+i], strings.Repeat(c, 1000)) {
				got += c
			}
		}
		if got != want {
			t.Errorf("try %d has the results %s, want %s", i, got, want)
		}
	}
	wantIn(t, f.model.read[5], "left out because the conversation is too long")
	n := 0
	for _, e := range f.events {
		if m, ok := e.(agent.MadeRoom); ok {
			n += m.Dropped
		}
	}
	if n != 3 {
		t.Errorf("%d were dropped", n)
	}
	last := f.chat.Messages[len(f.chat.Messages)-1].Results[0]
	if first := f.chat.Messages[2].Results[0]; !first.Dropped || strings.Contains(first.Read(), "aaa") || !strings.Contains(first.Text, "aaa") || last.Dropped {
		t.Errorf("%+v, %+v", first, last)
	}
}

// TestReplyIsBounded: a reply that comes steadily and never ends is given up, and not
// asked for again; what it used counts. Models that know nothing of causes, too.
func TestReplyIsBounded(t *testing.T) {
	for name, end := range map[string]func(context.Context) error{
		"cause": func(ctx context.Context) error { return context.Cause(ctx) },
		"err":   func(ctx context.Context) error { return ctx.Err() },
		"masked": func(context.Context) error {
			return &agent.ModelError{Kind: agent.Truncated, Usage: agent.Usage{Requests: 1}}
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t, func(ctx context.Context, _ *agent.ModelRequest, text func(string)) (*agent.ModelReply, error) {
				for ctx.Err() == nil {
					text(".")
					select {
					case <-time.After(7 * time.Second):
					case <-ctx.Done():
					}
				}
				return nil, end(ctx)
			})
			start := time.Now()
			_, err := f.ask("How many?")
			if kind(err) != agent.Malformed || !strings.Contains(err.Error(), "after 10m0s") || len(f.model.asked) != 1 {
				t.Errorf("%s: %v after %d requests", name, err, len(f.model.asked))
			}
			if took := time.Since(start); took != 10*time.Minute {
				t.Errorf("%s: it took %v", name, took)
			}
			if n := f.chat.Usage["test:scripted"].Requests; n != map[string]int64{"masked": 1}[name] {
				t.Errorf("%s: %d requests counted", name, n)
			}
		})
	}
}
