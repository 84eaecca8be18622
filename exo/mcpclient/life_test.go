//go:build unix

package mcpclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/exotest"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/mcpclient"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
)

// TestDeclarations: a declaration that can't be meant is refused before anything is started or sent.
func TestDeclarations(t *testing.T) {
	for name, change := range map[string]func(*mcpclient.Server){
		"no name":          func(s *mcpclient.Server) { s.Name = "" },
		"a small name":     func(s *mcpclient.Server) { s.Name = "desk" },
		"no tool":          func(s *mcpclient.Server) { s.Reads, s.Acts = nil, nil },
		"a tool twice":     func(s *mcpclient.Server) { s.Immediate = []string{"echo"} },
		"no way":           func(s *mcpclient.Server) { s.URL = "" },
		"two ways":         func(s *mcpclient.Server) { s.Command = &mcpclient.Command{Path: "/bin/true"} },
		"a password":       func(s *mcpclient.Server) { s.URL = "https://ann:secret@example.com/" },
		"a file":           func(s *mcpclient.Server) { s.URL = "file:///etc/passwd" },
		"no client":        func(s *mcpclient.Server) { s.Client = nil },
		"readers":          func(s *mcpclient.Server) { s.Label = value.NewLabel("mail@member") },
		"a read that asks": func(s *mcpclient.Server) { s.Approve = []string{"echo"} },
		"a label for none": func(s *mcpclient.Server) { s.Label = value.NewLabel("pii") },
	} {
		s := mcpclient.Server{Name: "Desk", URL: "http://127.0.0.1:1/", Client: http.DefaultClient, Reads: []string{"echo"}, Acts: []string{"post"}}
		change(&s)
		_, err := mcpclient.Open(t.Context(), s)
		if err == nil || strings.Contains(err.Error(), "refused") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	var none *mcpclient.Object
	if _, err := none.Describe(); err == nil {
		t.Error("the zero Object has a description")
	}
	s := declared(t, false, "honest")
	s.Reads = append(s.Reads, "missing")
	if _, err := mcpclient.Open(t.Context(), s); err == nil || !strings.Contains(err.Error(), `"missing"`) {
		t.Errorf("%v", err)
	}
	for _, mode := range []string{"never starts", "endless pages"} {
		s := declared(t, false, mode)
		s.Bounds.Start = 2 * time.Second
		if _, err := mcpclient.Open(t.Context(), s); err == nil {
			t.Errorf("%s: it was opened", mode)
		}
	}
}

func descriptors(t *testing.T) int {
	dir, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(dir)
}

// TestNothingIsLeft: with Close, with its context, after an attack, and where opening fails, no process, descriptor or goroutine is left.
func TestNothingIsLeft(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it looks into /proc")
	}
	pin := pinOf(t, declared(t, false, "honest"))
	goroutines, files := runtime.NumGoroutine(), descriptors(t)
	for _, mode := range []string{"honest", "half a line", "a line of 1 GB", "pings without reading", "ends", "described otherwise"} {
		for _, byContext := range []bool{false, true} {
			ctx, cancel := context.WithCancel(t.Context())
			s := declared(t, false, mode)
			s.Pin, s.Bounds.Call = pin, 500*time.Millisecond
			o, err := mcpclient.Open(ctx, s)
			if (err != nil) != (mode == "described otherwise") {
				t.Fatalf("%s: %v", mode, err)
			}
			if err != nil {
				cancel()
				continue
			}
			pid := mcpclient.Pid(o)
			_, _ = exotest.Send(t, o, "echo", hello)
			if byContext {
				cancel()
			} else {
				o.Close()
			}
			for n := 0; syscall.Kill(-pid, 0) == nil; n++ {
				if n > 500 {
					t.Fatalf("%s: process %d lives", mode, pid)
				}
				time.Sleep(10 * time.Millisecond)
			}
			o.Close()
			cancel()
			if _, err := exotest.Send(t, o, "echo", hello); !errors.Is(err, mcpclient.ErrEnded) || !errors.Is(err, exo.ErrNothingDone) {
				t.Errorf("%s: a closed server is called: %v", mode, err)
			}
		}
	}
	for n := 0; runtime.NumGoroutine() > goroutines || descriptors(t) > files; n++ {
		if n > 1000 {
			b := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before; %d descriptors, %d before\n%s", runtime.NumGoroutine(), goroutines, descriptors(t), files, b[:runtime.Stack(b, true)])
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestStartsAgain: a server that ended is started again for the next call, and compared with its pin.
func TestStartsAgain(t *testing.T) {
	o := pinned(t, declared(t, false, "honest"))
	first := mcpclient.Pid(o)
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	var v value.Value
	var err error
	for range 100 {
		if v, err = exotest.Send(t, o, "row"); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err != nil || mcpclient.Pid(o) == first || v.Len() == 0 {
		t.Errorf("%v %v", v, err)
	}
}

// TestCallerEndsNoServer: a caller whose time ends while the tools are listed again does not end the server, which is in the middle of another's call. The twin is a
// server that does not answer in its own time: it is ended.
func TestCallerEndsNoServer(t *testing.T) {
	for _, slow := range []bool{true, false} {
		s := declared(t, false, map[bool]string{true: "slow", false: "hangs"}[slow])
		s.Pin = pinOf(t, declared(t, false, "honest"))
		if !slow {
			s.Bounds.Call = 2 * time.Second
		}
		o := pinned(t, s)
		first := mcpclient.Pid(o)
		acted := make(chan error, 1)
		call := exotest.On(t, o).Call("post_it", hello).Message()
		go func() {
			_, err := o.Eval(t.Context(), call)
			acted <- err
		}()
		time.Sleep(200 * time.Millisecond) // the call is with the server
		mcpclient.Later(o)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		_, err := o.Eval(ctx, exotest.On(t, o).Call("echo", hello).Message())
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || slow != errors.Is(err, exo.ErrNothingDone) {
			t.Errorf("slow %v: the caller that ended: %v", slow, err)
		}
		if err := <-acted; slow != (err == nil) {
			t.Errorf("slow %v: the other's call: %v", slow, err)
		}
		if _, err := o.Eval(t.Context(), exotest.On(t, o).Call("row").Message()); slow && err != nil || slow && mcpclient.Pid(o) != first {
			t.Errorf("slow %v: the next call: %v, process %d and then %d", slow, err, first, mcpclient.Pid(o))
		}
	}
}

// TestTooLargeForOne: an answer that is too large fails its own call, and not that of another principal who shares the server, wherever the server writes
// the number of the call. The twin has no number: nobody can tell whose it is, and the process is ended.
func TestTooLargeForOne(t *testing.T) {
	for mode, lives := range map[string]bool{"too much for one, later for the other": true, "too much, its number behind": true, "too much, and no number": false} {
		s := declared(t, false, mode)
		o := pinned(t, s)
		acted := make(chan error, 1)
		call := exotest.On(t, o).Call("post_it", hello).Message()
		go func() {
			_, err := o.Eval(t.Context(), call)
			acted <- err
		}()
		time.Sleep(200 * time.Millisecond) // the call is with the server
		if _, err := o.Eval(t.Context(), exotest.On(t, o).Call("echo", hello).Message()); !errors.Is(err, mcpclient.ErrTooLarge) || fail.KindOf(err) != fail.Limit {
			t.Errorf("%s: %v", mode, err)
		}
		if err := <-acted; lives != (err == nil) {
			t.Errorf("%s: the other's call: %v", mode, err)
		}
	}
}

// TestTurns: a principal whose calls hang leaves turns for others. Two such principals leave none: the twin.
func TestTurns(t *testing.T) {
	for _, hostile := range [][]exo.Principal{{"eve"}, {"eve", "mallory"}} {
		s := declared(t, false, "posts hang")
		s.Acts, s.Immediate, s.Bounds.Call, s.Bounds.Concurrent = nil, []string{"post-it"}, 3*time.Second, 4
		o := pinned(t, s)
		run := func(who exo.Principal) *exotest.Run {
			return exotest.BeginRun(t, exo.Config{Grants: map[string]exo.Object{"desk": o}}, exo.Run{Principal: who})
		}
		var all sync.WaitGroup
		var ended atomic.Int32
		for _, who := range hostile {
			for range 4 {
				r := run(who)
				all.Go(func() {
					_, _ = r.On("desk").Call("post_it", hello).Send()
					ended.Add(1)
				})
			}
		}
		time.Sleep(300 * time.Millisecond) // their calls are with the server
		_, err := run("ann").On("desk").Call("row").Send()
		if n := ended.Load(); err != nil || (n > 0) != (len(hostile) > 1) {
			t.Errorf("%v: ann waited until %d of their calls had ended: %v", hostile, n, err)
		}
		all.Wait()
		if waiting, open := mcpclient.Calls(o); waiting+open != 0 {
			t.Errorf("%d calls wait, and %d are open", waiting, open)
		}
	}
}

// TestErrorTexts: the text of a tool's error reaches a program only with a reply that has the label of answers: never for a held call.
func TestErrorTexts(t *testing.T) {
	o := pinned(t, declared(t, false, "fails"))
	r := exotest.Begin(t, exo.Config{Grants: map[string]exo.Object{"desk": o}})
	_, err := r.On("desk").Call("echo", hello).Send()
	if !strings.Contains(fail.GuestText(err), "no such file") || !slices.Contains(r.Session().Label().Tags(), value.Untrusted) {
		t.Errorf("%v, the run has the label %v", err, r.Session().Label())
	}
	if _, err := r.On("desk").Call("post_it", hello).Send(); fail.KindOf(err) != fail.Denied {
		t.Errorf("after reading that text, a tool that acts is called: %v", err)
	}
	r = exotest.Begin(t, exo.Config{Grants: map[string]exo.Object{"desk": o}})
	if _, err := r.On("desk").Call("post_it", hello).Send(); err != nil {
		t.Fatal(err)
	}
	err = r.Finish(true)
	text := fail.GuestText(err)
	for _, e := range r.Session().Effects() {
		text += fmt.Sprint(fail.GuestText(e.Err), e.State)
	}
	if strings.Contains(text, "no such file") || !strings.Contains(text, "unknown") {
		t.Errorf("%v: %s", err, text)
	}
}

// TestRedirects: arguments are sent to no address but the declared one. The twin, a plain client, follows.
func TestRedirects(t *testing.T) {
	var got atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { got.Add(1) }))
	defer other.Close()
	s := declared(t, true, "redirects to "+other.URL)
	s.Pin = pinOf(t, s)
	o := pinned(t, s)
	if _, err := exotest.Send(t, o, "echo", hello); fail.KindOf(err) != fail.Internal || got.Load() != 0 {
		t.Errorf("%v, the other server got %d", err, got.Load())
	}
	res, err := http.Post(s.URL, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`))
	if err != nil || got.Load() != 1 {
		t.Fatalf("the twin: %v, the other server got %d", err, got.Load())
	}
	res.Body.Close()
}

// TestRequests: a server over HTTP that asks much makes its host send no more than a bounded number of requests.
func TestRequests(t *testing.T) {
	s := declared(t, true, "pings")
	s.Pin = pinOf(t, s)
	counted := &counter{base: s.Client.Transport}
	s.Client = &http.Client{Transport: counted}
	o := pinned(t, s)
	counted.n.Store(0)
	_, _ = exotest.Send(t, o, "echo", hello)
	if n := counted.n.Load(); n < 2 || n > 60 {
		t.Errorf("%d requests", n)
	}
}

type counter struct {
	base http.RoundTripper
	n    atomic.Int32
}

func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	c.n.Add(1)
	return c.base.RoundTrip(r)
}

type person struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

// TestServerLearnsNothing: two runs that differ in a labelled value alone send the server the same bytes, whatever the program tries with
// it. The twin, a server that admits the label, is sent the value.
func TestServerLearnsNothing(t *testing.T) {
	sent := func(email string, admits value.Label) string {
		log := filepath.Join(t.TempDir(), "log")
		s := declared(t, false, "honest", log)
		s.Command.Write, s.Admits = []string{filepath.Dir(log)}, admits
		o := pinned(t, s)
		people, err := service.New("people", "", service.Read("get", "", func(context.Context, service.None) (person, error) {
			return person{"ann", email}, nil
		}).Labelled(value.NewLabel("pii"), "email"))
		if err != nil {
			t.Fatal(err)
		}
		r := exotest.Begin(t, exo.Config{Grants: map[string]exo.Object{"desk": o, "people": people}})
		ann, err := r.On("people").Call("get").Send()
		if err != nil {
			t.Fatal(err)
		}
		secret, _ := ann.Get("email")
		for _, arg := range []value.Value{hello, record("text", secret)} {
			_, _ = r.On("desk").Call("echo", arg).Send()
		}
		for n := range 30 {
			_, _ = r.On("desk").Call("echo", record("text", value.Text(fmt.Sprint(n)))).Send()
		}
		b, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	one, two := sent("ann@example.com", value.Label{}), sent("a much longer address, of another person@example.org", value.Label{})
	if one != two || strings.Contains(one, "example") || !strings.Contains(one, "hello") {
		t.Errorf("the server was sent\n%s\nand\n%s", one, two)
	}
	if twin := sent("ann@example.com", value.NewLabel("pii")); !strings.Contains(twin, "ann@example.com") {
		t.Errorf("the twin was sent\n%s", twin)
	}
}

// TestBabble: messages that are put together at random end the connection or do nothing. The host lives on.
func TestBabble(t *testing.T) {
	both(t, func(t *testing.T, overHTTP bool) {
		answers := 0
		pin := pinOf(t, declared(t, overHTTP, "honest"))
		for seed := range 20 {
			s := declared(t, overHTTP, fmt.Sprint("random ", seed))
			s.Pin = pin
			o := pinned(t, s)
			switch v, err := exotest.Send(t, o, "row"); {
			case err == nil && fmt.Sprint(v) == `{"id":7,"name":"ann","tags":["a"]}`:
				answers++
			case err == nil || errors.Is(err, exo.ErrNothingDone):
				t.Errorf("seed %d: %v %v", seed, v, err)
			}
			o.Close()
		}
		if answers == 0 || answers == 20 {
			t.Errorf("%d of 20 got their answer", answers)
		}
	})
}
