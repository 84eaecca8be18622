package worker_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/testutil"
)

// desk is an object each of whose methods takes as long as a test says.
type desk struct {
	mu    sync.Mutex
	delay map[string]time.Duration
	did   []string
	rows  int
}

func (d *desk) Describe() (message.Description, error) {
	m := map[string]*message.Method{
		"fast":     {Name: "fast", Sends: true, Result: data},
		"labelled": {Name: "labelled", Sends: true, Result: data, Reply: value.NewLabel("secret")},
		"fails":    {Name: "fails", Sends: true, Result: data, Reply: value.NewLabel("secret")},
		"beyond":   {Name: "beyond", Sends: true, Result: data},
		"put":      {Name: "put", Sends: true, Effect: message.InUnit, Admits: value.NewLabel("secret"), Result: data},
		"mail":     {Name: "mail", Sends: true, Effect: message.Held, Admits: value.NewLabel("secret"), Result: &message.Term{Con: message.Receipt()}},
		"post":     {Name: "post", Sends: true, Effect: message.Immediate, Result: data},
	}
	return message.Description{Type: &message.Type{Name: "Desk"}, Interfaces: []*message.Interface{{Name: "Desk", Methods: m}}}, nil
}

func (d *desk) UnitKey() any { return d }

func (d *desk) Eval(ctx context.Context, m *exo.Message) (value.Value, error) {
	name := m.Root.Name
	d.mu.Lock()
	delay := d.delay[name]
	d.mu.Unlock()
	time.Sleep(delay)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.did = append(d.did, name)
	switch name {
	case "labelled":
		return value.Text("s3cret").WithLabel(value.NewLabel("secret")), nil
	case "beyond":
		return value.Text("s3cret").WithLabel(value.NewLabel("secret")), nil
	case "fails":
		return value.Value{}, fail.Errorf(fail.Invalid, "", "there is one")
	case "put":
		if _, err := m.Unit(d, func(context.Context) (exo.Unit, error) { return deskUnit{d}, nil }); err != nil {
			return value.Value{}, err
		}
		d.rows++
	}
	return value.Int(int64(d.rows)), nil
}

type deskUnit struct{ d *desk }

func (u deskUnit) Prepare(context.Context) error  { return nil }
func (u deskUnit) Commit(context.Context) error   { return nil }
func (u deskUnit) Rollback(context.Context) error { return nil }

// TestTimeIsNoOrder: verdicts, effects and the record of a program are the same however
// long each of its calls takes, in process and in a worker. A label that joined when a reply
// is there, or is delivered, would let the first program post where `labelled` is slow: the
// worker takes replies when it likes.
func TestTimeIsNoOrder(t *testing.T) {
	testutil.NotRaced(t)
	t.Parallel()                   // it waits for most of its time
	programs := map[string]string{ // and what must be in the error, "" for none
		"const a = desk.fast(); const b = desk.labelled(); await a; await desk.post(); return 1":                                    "may not leave this way",
		"const b = desk.labelled(); await desk.fast(); for (let i = 0; i < 1e5; i++); await desk.post()":                            "may not leave this way",
		"desk.fails().catch(() => 0); await desk.fast(); await desk.post()":                                                         "may not leave this way",
		"const a = desk.fast(); await desk.post(); const b = desk.labelled(); await a; return 1":                                    "may not leave this way ({secret})",
		"await desk.post(); await desk.fast(); return 1":                                                                            "",
		"const p = desk.put(); const a = desk.fast(); await desk.post().catch(() => 0); return [await p, await a]":                  "",
		"const m = desk.mail(); await desk.post().catch(() => 0); return 1":                                                         "",
		"const [a, b, c] = await Promise.all([desk.put(), desk.fast(), desk.put()]); return [a, b, c]":                              "",
		"const first = await Promise.race([desk.fast().then(() => 'fast'), desk.put().then(() => 'put')]); return first":            "",
		"try { await desk.beyond() } catch (e) {} await desk.post(); return 1":                                                      "",
		"const b = desk.labelled(); console.log('before'); const a = await desk.fast(); console.log('after'); throw new Error('x')": "may not leave this way",
	}
	for program, refused := range programs {
		seen := map[string][]string{} // by what was seen, under which delays
		for n, delay := range []map[string]time.Duration{
			{}, {"fast": 15}, {"labelled": 15, "fails": 15}, {"put": 15}, {"fast": 30, "put": 15, "post": 5}, {"mail": 20, "post": 20, "beyond": 9, "labelled": 1},
		} {
			for name := range delay {
				delay[name] *= time.Millisecond
			}
			d := &desk{delay: delay}
			var entries []exo.Entry
			g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"desk": d}, Record: exo.RecordFunc(func(e exo.Entry) error {
				entries = append(entries, e)
				return nil
			})})
			if err != nil {
				t.Fatal(err)
			}
			for where, e := range both(t, g) {
				entries, d.did, d.rows = nil, nil, 0
				r := e.Run(t.Context(), exoeval.Job{Program: program, Run: exo.Run{ID: exo.RunID{1}, Clock: time.UnixMilli(1), Seed: 7}})
				if (r.Err == nil) != (refused == "") || r.Err != nil && !strings.Contains(r.Err.Error(), refused) {
					t.Errorf("%s: %s: %v", where, program, r.Err)
				}
				what := fmt.Sprintf("%v %v %q %v\n%s", r.Value, r.Err, r.Console, r.Effects, recorded(entries))
				seen[what] = append(seen[what], fmt.Sprint(where, " ", n))
			}
		}
		if len(seen) != 1 {
			t.Errorf("%s\nis not one program under all delays:", program)
			for what, when := range seen {
				t.Errorf("%v:\n%s", when, what)
			}
		}
	}
}

// recorded is a record without its times. Entries of different calls stand in no order.
func recorded(entries []exo.Entry) string {
	slices.SortStableFunc(entries, func(a, b exo.Entry) int { return int(a.Call) - int(b.Call) })
	var b strings.Builder
	for _, e := range entries {
		e.At, e.Took = time.Time{}, 0
		start := e.Start
		if e.Start = nil; start != nil {
			fmt.Fprintf(&b, "%+v ", *start)
		}
		prepared := e.Prepared // printed by its content
		if e.Prepared = nil; prepared != nil {
			fmt.Fprintf(&b, "%+v ", *prepared)
		}
		fmt.Fprintf(&b, "%+v\n", e)
	}
	return b.String()
}
