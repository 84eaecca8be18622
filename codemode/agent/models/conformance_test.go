package models_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode/agent"
)

// wholeProgram would run if it were called.
const wholeProgram = `{"code":"return await mail.send({to: 'a'})"}`

// server answers the n-th request with the n-th step, and keeps the requests.
type server struct {
	*httptest.Server
	mu    sync.Mutex
	steps []func(w http.ResponseWriter, r *http.Request)
	sent  []string      // bodies
	heads []http.Header // and headers
	urls  []string
}

func (d *dialect) serve(t *testing.T, steps ...func(http.ResponseWriter, *http.Request)) (*server, agent.Model) {
	t.Helper()
	s := &server{steps: steps}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		n := len(s.sent)
		s.sent, s.heads, s.urls = append(s.sent, string(body)), append(s.heads, r.Header), append(s.urls, r.RequestURI)
		s.mu.Unlock()
		if n >= len(s.steps) {
			t.Errorf("request %d was not expected", n+1)
			http.Error(w, "no step", http.StatusTeapot)
			return
		}
		s.steps[n](w, r)
	}))
	t.Cleanup(s.Close)
	m, err := d.make(s.URL, s.Client())
	if err != nil {
		t.Fatal(err)
	}
	return s, m
}

func (d *dialect) reply(events []string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { d.write(w, events, true) }
}

func (f fault) step(w http.ResponseWriter, _ *http.Request) { f.write(w) }

var question = &agent.ModelRequest{
	System:    "Be brief.",
	Messages:  []agent.ChatMessage{{Role: agent.RoleUser, Text: "How many?"}},
	Tools:     []agent.ToolSpec{{Name: "execute", Description: "Runs a program.", Schema: json.RawMessage(`{"type":"object","properties":{"code":{"type":"string"}},"required":["code"],"additionalProperties":false}`)}},
	MaxTokens: 500, MaxBytes: 1 << 20, Silence: time.Minute,
}

// failure is err as the typed error, which must not show the key.
func failure(t *testing.T, err error) *agent.ModelError {
	t.Helper()
	var e *agent.ModelError
	if !errors.As(err, &e) {
		t.Fatalf("%v is no *agent.ModelError", err)
	}
	for _, s := range []string{fmt.Sprint(err), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err), fmt.Sprintf("%#v", *e)} {
		s = strings.ReplaceAll(s, e.Model, "") // which says the address of requests, and nothing of what they ask for
		if strings.Contains(s, secret) || strings.Contains(s, "5ecre7") || strings.Contains(s, "http://") {
			t.Errorf("the error shows the key or an address: %s", s)
		}
	}
	return e
}

func forAll(t *testing.T, f func(t *testing.T, d dialect)) {
	for _, d := range dialects(t) {
		t.Run(d.name, func(t *testing.T) { f(t, d) })
	}
}

func TestText(t *testing.T) {
	forAll(t, func(t *testing.T, d dialect) {
		s, m := d.serve(t, d.reply(d.text("Two", " of ", "them: ✓")))
		var pieces []string
		r, err := m.Reply(t.Context(), question, func(p string) { pieces = append(pieces, p) })
		if err != nil {
			t.Fatal(err)
		}
		if r.Text != "Two of them: ✓" || strings.Join(pieces, "|") != "Two| of |them: ✓" || r.Stop != agent.StopEnd || len(r.Calls) != 0 {
			t.Errorf("%+v, streamed as %q", r, pieces)
		}
		if want := (agent.Usage{Requests: 1, Input: 100, CacheRead: 40, Output: 7}); r.Usage != want {
			t.Errorf("usage %+v, want %+v", r.Usage, want)
		}
		if !strings.Contains(s.heads[0].Get(d.header), secret) {
			t.Errorf("the key is not in %s", d.header)
		}
		if strings.Contains(s.urls[0], "5ecre7") || strings.Contains(s.sent[0], "5ecre7") {
			t.Errorf("the key is in the address or the body: %s", s.urls[0])
		}
		for _, part := range []string{"Be brief.", "How many?", "Runs a program.", "500", "required"} {
			if !strings.Contains(s.sent[0], part) {
				t.Errorf("%q is not in the request %s", part, s.sent[0])
			}
		}
		if name := m.Name(); !strings.HasSuffix(name, "@"+s.URL) || !strings.HasPrefix(name, d.name+":") {
			t.Errorf("the name %q does not say where it is", name)
		}
	})
}

func TestCalls(t *testing.T) {
	forAll(t, func(t *testing.T, d dialect) {
		_, m := d.serve(t, d.reply(d.calls(call{"c1", "execute", `{"code":"return 1"}`}, call{"c2", "execute", `{"code":"return \"✓\""}`})))
		r, err := m.Reply(t.Context(), question, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range r.Calls {
			got = append(got, c.Name+c.Args)
		}
		if want := []string{`execute{"code":"return 1"}`, `execute{"code":"return \"✓\""}`}; !reflect.DeepEqual(got, want) || r.Stop != agent.StopCalls {
			t.Errorf("%q, stop %d", got, r.Stop)
		}
	})
}

// TestHistory: what was said and done is sent as the API wants it, with what the
// provider signed; a chat that another model began is sent without.
func TestHistory(t *testing.T) {
	forAll(t, func(t *testing.T, d dialect) {
		s, m := d.serve(t, d.reply(d.calls(call{"c1", "execute", `{"code":"return 1"}`}, call{"c2", "execute", `{"code":"return 2"}`})), d.reply(d.text("ok")), d.reply(d.text("ok")))
		r, err := m.Reply(t.Context(), question, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Calls {
			r.Calls[i].ID = fmt.Sprint("id_", i)
		}
		req := *question
		req.NoCalls = true
		req.Messages = []agent.ChatMessage{
			question.Messages[0],
			{Role: agent.RoleAssistant, Text: "I look.", Calls: r.Calls, Opaque: r.Opaque, Model: m.Name()},
			{Role: agent.RoleTool, Results: []agent.ToolResult{{ID: "id_0", Name: "execute", Text: `{"result":41}`}, {ID: "id_1", Name: "execute", Text: `{"error":{"message":"no"}}`, Failed: true}}},
		}
		if _, err := m.Reply(t.Context(), &req, nil); err != nil {
			t.Fatal(err)
		}
		req.Messages[1].Model = "another:model"
		req.Messages[1].Calls[1].Args = "no JSON"
		if _, err := m.Reply(t.Context(), &req, nil); err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"I look.", "return 1", "return 2", "41", "How many?"} {
			if !strings.Contains(s.sent[1], part) {
				t.Errorf("%q is not in %s", part, s.sent[1])
			}
		}
		signed := map[string][2]bool{"openai": {}, "anthropic": {true, false}, "gemini": {true, false}}[d.name]
		for i, want := range signed {
			if got := strings.Contains(s.sent[i+1], "c2ln"); got != want {
				t.Errorf("request %d: signed %v, want %v: %s", i+1, got, want, s.sent[i+1])
			}
		}
		if d.name == "gemini" && !strings.Contains(s.sent[2], "skip_thought_signature_validator") {
			t.Errorf("a call of another model has no signature: %s", s.sent[2])
		}
		if !json.Valid([]byte(s.sent[2])) || strings.Contains(s.sent[2], "no JSON") {
			t.Errorf("a call that was no JSON was sent back as it was: %s", s.sent[2])
		}
	})
}

func TestStops(t *testing.T) {
	forAll(t, func(t *testing.T, d dialect) {
		_, m := d.serve(t, d.reply(d.cutText()), d.reply(d.empty()), d.reply(d.garbled()))
		r, err := m.Reply(t.Context(), question, nil)
		if err != nil || r.Stop != agent.StopTokens {
			t.Errorf("cut: %+v, %v", r, err)
		}
		if r, err = m.Reply(t.Context(), question, nil); err != nil || r.Text != "" || len(r.Calls) != 0 || r.Stop != agent.StopEnd {
			t.Errorf("empty: %+v, %v", r, err)
		}
		// A call is garbled in its arguments or, where those are always JSON, as a whole.
		if r, err = m.Reply(t.Context(), question, nil); err != nil || (r.Stop == agent.StopGarbled) != (len(r.Calls) == 0) || len(r.Calls) == 1 && json.Valid([]byte(r.Calls[0].Args)) {
			t.Errorf("garbled: %+v, %v", r, err)
		}
	})
}

func TestFailures(t *testing.T) {
	forAll(t, func(t *testing.T, d dialect) {
		for _, c := range []struct {
			name  string
			step  func(http.ResponseWriter, *http.Request)
			kind  agent.ErrorKind
			after time.Duration
			says  string
		}{
			{"overload", d.overload.step, agent.Overloaded, 0, ""},
			{"rate limit", d.limited.step, agent.RateLimited, 7 * time.Second, ""},
			{"too long", d.tooLong.step, agent.TooLong, 0, ""},
			{"bad key", d.badKey.step, agent.Auth, 0, "the server refused the key: set a valid one"},
			{"no model", d.noModel.step, agent.Invalid, 0, "test"},
			{"refused", d.reply(d.refused()), agent.Refused, 0, ""},
			{"no reason", d.reply(d.noEnd()), agent.Truncated, 0, ""},
			{"midway", d.reply(d.midway()), agent.Overloaded, 0, ""},
			{"a page of a proxy", fault{502, nil, "<html>Bad gateway</html>"}.step, agent.Overloaded, 0, ""},
			{"the key, quoted", fault{418, nil, `{"error":{"message":"you said ` + strings.ReplaceAll(secret, "/", `\/`) + ` to me\nand\u001b[2J"}}`}.step, agent.Invalid, 0, "you said [key] to me and\uFFFD[2J"},
			{"garbage", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "data: {garbage\n\n[{garbage") }, agent.Malformed, 0, ""},
			{"nothing", func(http.ResponseWriter, *http.Request) {}, agent.Truncated, 0, ""},
			{"too much", func(w http.ResponseWriter, _ *http.Request) {
				d.write(w, d.text(strings.Repeat("x", 2<<20)), true)
			}, agent.Malformed, 0, "more bytes than the limit"},
			{"a long wait", fault{503, map[string]string{"Retry-After": "1e300"}, ""}.step, agent.Overloaded, 365 * 24 * time.Hour, ""},
		} {
			t.Run(c.name, func(t *testing.T) {
				s, m := d.serve(t, c.step)
				r, err := m.Reply(t.Context(), question, nil)
				if err == nil {
					t.Fatalf("got %+v", r)
				}
				e := failure(t, err)
				if e.Kind != c.kind || e.RetryAfter != c.after || !strings.Contains(e.Error(), c.says) || e.Model != m.Name() {
					t.Errorf("%+v", e)
				}
				if len(s.sent) != 1 {
					t.Errorf("%d requests: adapters must not try again", len(s.sent))
				}
			})
		}
	})
}

// TestCutAnywhere: a reply that ends early is never a reply, wherever it is cut
// and whether the connection is closed in order or torn.
func TestCutAnywhere(t *testing.T) {
	forAll(t, func(t *testing.T, d dialect) {
		rec := httptest.NewRecorder()
		d.write(rec, d.calls(call{"c1", "execute", wholeProgram}), true)
		whole := rec.Body.String()
		// What follows the last word that counts may be missing, as long as the end comes
		// in order and between two events.
		last := len(whole)
		if d.name == "openai" {
			last = strings.Index(whole, "[DONE]")
		}
		end := map[string]int{"openai": strings.Index(whole, `"finish_reason":"tool_calls"`), "anthropic": strings.Index(whole, `"message_stop"}`), "gemini": len(whole)}[d.name]
		for _, torn := range []bool{false, true} {
			if torn && d.name == "openai" {
				end = last
			}
			for n := 1; n < end; n += 1 + len(whole)/97 {
				_, m := d.serve(t, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", rec.Header().Get("Content-Type"))
					fmt.Fprint(w, whole[:n])
					if torn {
						w.(http.Flusher).Flush()
						panic(http.ErrAbortHandler)
					}
				})
				r, err := m.Reply(t.Context(), question, nil)
				if err == nil {
					t.Fatalf("cut at %d of %d: %+v", n, len(whole), r)
				}
				if e := failure(t, err); e.Kind != agent.Truncated {
					t.Fatalf("cut at %d of %d, torn %v: %v", n, len(whole), torn, err)
				}
			}
		}
	})
}

// TestFinishIsNotTheEnd: a server that gives the finish reason early, and whose
// reply is then cut in the middle of a second call, has not given a reply.
func TestFinishIsNotTheEnd(t *testing.T) {
	var d dialect
	for _, d = range dialects(t) {
		if d.name == "openai" {
			break
		}
	}
	const first = `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"execute","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}` + "\n\n"
	const half = `data: {"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"exec`
	for _, c := range []struct {
		name, body string
		torn, ok   bool
	}{
		{"torn in an event", first + half, true, false},
		{"ended in an event", first + half, false, false},
		{"ended in the word data", first + "da", false, false},
		{"ended before the empty line", first + half + `"}}]}}]}` + "\n", false, false},
		{"torn between events", first, true, false},
		{"ended between events", first, false, true},
		{"done", first + "data: [DONE]\n\n", false, true},
		{"done without an empty line", first + "data: [DONE]", false, true},
	} {
		_, m := d.serve(t, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, c.body)
			if c.torn {
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			}
		})
		r, err := m.Reply(t.Context(), question, nil)
		if (err == nil) != c.ok || err != nil && failure(t, err).Kind != agent.Truncated {
			t.Errorf("%s: %+v, %v", c.name, r, err)
		}
	}
}

func TestCancelInTheMiddle(t *testing.T) {
	forAll(t, func(t *testing.T, d dialect) {
		before := goroutines()
		gone := make(chan struct{})
		s, m := d.serve(t, func(w http.ResponseWriter, r *http.Request) {
			es := d.midway()
			d.write(w, es[:len(es)-1], false)
			<-r.Context().Done() // the client hung up
			close(gone)
		})
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("enough")
		r, err := m.Reply(ctx, question, func(string) { cancel(why) })
		if r != nil || !errors.Is(err, why) && !errors.Is(err, context.Canceled) {
			t.Errorf("%+v, %v", r, err)
		}
		<-gone
		s.Client().CloseIdleConnections()
		s.Close()
		settle(t, before)
	})
}

// TestSilence: an endpoint that says nothing any more holds nobody for ever.
func TestSilence(t *testing.T) {
	forAll(t, func(t *testing.T, d dialect) {
		for _, begun := range []bool{false, true} {
			_, m := d.serve(t, func(w http.ResponseWriter, r *http.Request) {
				if begun {
					es := d.midway()
					d.write(w, es[:len(es)-1], false)
				}
				<-r.Context().Done()
			})
			req := *question
			req.Silence = 20 * time.Millisecond
			_, err := m.Reply(t.Context(), &req, nil)
			if e := failure(t, err); e.Kind != agent.Overloaded || !strings.Contains(e.Msg, "sent nothing for 20ms") {
				t.Errorf("%v", err)
			}
		}
	})
}

// TestRedirect: nobody is sent the key or the conversation by way of a redirect.
func TestRedirect(t *testing.T) {
	forAll(t, func(t *testing.T, d dialect) {
		thief, _ := d.serve(t) // fails the test when it is asked
		for _, status := range []int{301, 302, 303, 307, 308} {
			_, m := d.serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, thief.URL, status) })
			_, err := m.Reply(t.Context(), question, nil)
			if e := failure(t, err); e.Kind != agent.Invalid || !strings.Contains(e.Msg, "redirect") {
				t.Errorf("%d: %v", status, err)
			}
		}
	})
}

// TestKeysDoNotPrint: neither a model nor what it is made of shows the key.
func TestKeysDoNotPrint(t *testing.T) {
	forAll(t, func(t *testing.T, d dialect) {
		_, m := d.serve(t)
		j, _ := json.Marshal(m)
		for _, s := range []string{fmt.Sprint(m), fmt.Sprintf("%+v", m), fmt.Sprintf("%#v", m), fmt.Sprintf("%s %q %x", m, m, m), string(j), fmt.Sprintf("%#v", reflect.ValueOf(m).Elem())} {
			if strings.Contains(s, "5ecre7") || strings.Contains(s, fmt.Sprintf("%x", "5ecre7")) {
				t.Errorf("it prints the key: %s", s)
			}
		}
	})
}

// TestUnreachable: nobody listens there.
func TestUnreachable(t *testing.T) {
	forAll(t, func(t *testing.T, d dialect) {
		s, m := d.serve(t)
		s.Close()
		_, err := m.Reply(t.Context(), question, nil)
		if e := failure(t, err); e.Kind != agent.Unreachable || !strings.Contains(e.Msg, "refused") || !strings.Contains(e.Error(), "unreachable") {
			t.Errorf("%v", err)
		}
	})
}
