package wire

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/exoagent/exoagent/codemode/agent"
)

// slow is a transport whose response begins after a while and has a piece at every gap.
type slow struct {
	first, gap time.Duration
	pieces     int
	ctx        context.Context
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	s.ctx = r.Context()
	if err := wait(s.ctx, s.first); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: s, Request: r}, nil
}

func (s *slow) Read(p []byte) (int, error) {
	if s.pieces == 0 {
		return 0, io.EOF
	}
	s.pieces--
	if err := wait(s.ctx, s.gap); err != nil {
		return 0, err
	}
	return copy(p, "data: x\n\n"), nil
}

func (s *slow) Close() error { return nil }

// TestSilence: what comes slowly but steadily is not cut off, however long it
// takes; what stops coming is, after just the time that it may.
func TestSilence(t *testing.T) {
	const m = time.Minute
	for _, c := range []struct {
		name   string
		from   slow
		took   time.Duration
		pieces int // that arrive; less: it is cut off
	}{
		{"steady", slow{m * 9 / 10, m * 9 / 10, 20, nil}, 21 * m * 9 / 10, 20},
		{"never begins", slow{2 * m, 0, 1, nil}, m, -1},
		{"stops", slow{m / 2, 2 * m, 3, nil}, m * 3 / 2, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := &Endpoint{Model: "test:slow", Client: Client(&http.Client{Transport: &c.from})}
				start := time.Now()
				resp, err := e.Post(t.Context(), "http://slow.test/", nil, nil, &agent.ModelRequest{Silence: m})
				n := -1
				if err == nil {
					defer resp.Body.Close()
					events := NewEvents(resp.Body)
					for n = 0; ; n++ {
						if _, err = events.Next(); err != nil {
							break
						}
					}
				}
				var known *agent.ModelError
				if cut := errors.As(err, &known) && known.Kind == agent.Overloaded; n != c.pieces || cut != (c.pieces != 20) || !cut && err != io.EOF {
					t.Errorf("%d pieces, %v", n, err)
				}
				if took := time.Since(start); took != c.took {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

func TestBase(t *testing.T) {
	for address, want := range map[string]string{
		"https://api.openai.com/v1":   "https://api.openai.com/v1 api.openai.com",
		"http://localhost:11434/v1/":  "http://localhost:11434/v1 http://localhost:11434",
		"https://gw.test":             "https://gw.test gw.test/",
		"https://gw.test///":          "https://gw.test gw.test/",
		"http://gw.test":              "http://gw.test http://gw.test/",
		"https://gw.test/a/v1":        "https://gw.test/a/v1 gw.test/a/v1",
		"https://gw.test/v1/v1":       "https://gw.test/v1/v1 gw.test/v1/v1",
		"https://gw.test/%76%31":      "https://gw.test/%76%31 gw.test/%76%31",
		"https://gw.test/@localhost":  "https://gw.test/@localhost gw.test/@localhost",
		"https://x/v1?":               "",
		"localhost:11434":             "",
		"ftp://x/":                    "",
		"https://":                    "",
		"https://http://x":            "",
		"https://u:hunter2@x/":        "",
		"https://x/?key=hunter2":      "",
		"https://x/#hunter2":          "",
		"https://hunter2\x7f@x/":      "",
		"http://[::1]:8000/v1":        "http://[::1]:8000/v1 http://[::1]:8000",
		"https://hunter2:%zz@x/a b/c": "",
	} {
		base, shown, err := Base(address, "/v1")
		if got := strings.TrimSpace(base + " " + shown); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", address, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error shows a secret: %v", err)
		}
	}
}

// TestNames: nothing that is sent to one address has the name of what another is sent.
func TestNames(t *testing.T) {
	seen := map[string]string{}
	for _, own := range []string{"https://api.test/v1", "https://api.test"} {
		clear(seen)
		for _, address := range []string{"", own + "/", own + "/x", "http://api.test", "http://api.test/v1", "https://api.test/v1/v1", "https://api.test", "https://api.test/v1", "https://gw", "https://gw/v1",
			"https://gw/v1/v1", "https://gw//v1", "http://gw", "http://gw/v1", "https://gw/V1", "https://gw/%76%31", "https://gw/v1/x", "https://http://gw", "https://http", "https://http/gw"} {
			name, base, err := Name("p", "m", address, own)
			if err != nil {
				continue
			}
			if was, ok := seen[name]; ok && was != base {
				t.Errorf("%s is %s and %s", name, was, base)
			}
			if seen[name] = base; (name == "p:m") != (base == own) {
				t.Errorf("%s is %s", name, base)
			}
		}
		if len(seen) < 14 {
			t.Errorf("%d names: %v", len(seen), seen)
		}
	}
	for _, model := range []string{"", "@", "m@gw"} {
		if name, _, err := Name("p", model, "", "https://api.test"); err == nil {
			t.Error(name)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "7", 7 * time.Second},
		{"Retry-After", " 1.5 ", 1500 * time.Millisecond},
		{"Retry-After", "0", time.Millisecond},
		{"Retry-After", "-5", 0},
		{"Retry-After", "NaN", 0},
		{"Retry-After", "Inf", 365 * 24 * time.Hour},
		{"Retry-After", "1e400", 0},
		{"Retry-After", "soon", 0},
		{"Retry-After", "Sat, 21 Nov 2026 12:00:30 GMT", 30 * time.Second},
		{"Retry-After", "Sat, 21 Nov 2020 12:00:30 GMT", time.Millisecond},
		{"Retry-After-Ms", "250", 250 * time.Millisecond},
	} {
		if got := retryAfter(http.Header{c.name: {c.value}}, fault{}, now); got != c.want {
			t.Errorf("%s: %s is %v, want %v", c.name, c.value, got, c.want)
		}
	}
	f := parseFault([]byte(`{"error":{"details":[{"@type":"x"},{"retryDelay":"34.07s"}]}}`))
	if got := retryAfter(http.Header{}, f, now); got != 34070*time.Millisecond {
		t.Errorf("retryDelay is %v", got)
	}
}

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   agent.ErrorKind
	}{
		{429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`, agent.Auth},
		{429, `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED"}}]`, agent.RateLimited},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`, agent.Auth},
		{402, ``, agent.Auth},
		{403, `{"error":{"message":"no"}}`, agent.Auth},
		{413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, agent.TooLong},
		{400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}`, agent.TooLong},
		{400, `{"error":{"message":"The response was filtered","code":"content_filter"}}`, agent.Refused},
		{400, `{"error":"model \"x\" not found"}`, agent.Invalid},
		{404, `<html>`, agent.Invalid},
		{408, ``, agent.Overloaded},
		{500, `{"error":{"message":"maximum context"}}`, agent.Overloaded},
		{503, `[]`, agent.Overloaded},
	} {
		e := (&Endpoint{Model: "test:x"}).Refusal(c.status, http.Header{}, []byte(c.body))
		if e.Kind != c.want || e.Status != c.status {
			t.Errorf("%d %s: %v", c.status, c.body, e)
		}
	}
	if e := (&Endpoint{}).Refusal(401, nil, nil); e.Msg != "the server needs a key, and none is set: set one" {
		t.Error(e)
	}
	for text, want := range map[string]agent.ErrorKind{
		`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`: agent.Overloaded,
		`{"type":"error","error":{"type":"rate_limit_error"}}`:                        agent.RateLimited,
		`{"error":{"code":429,"message":"x"}}`:                                        agent.RateLimited,
		`{"error":{"code":"400","message":"maximum context length"}}`:                 agent.TooLong,
		`{"error":"boom"}`: agent.Overloaded,
	} {
		if e := (&Endpoint{}).Interruption([]byte(text)); e.Kind != want {
			t.Errorf("%s: %v", text, e)
		}
	}
}

// deaf is a transport whose body never ends and heeds no context.
type deaf struct{ cancel func() }

func (d deaf) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: d, Request: r}, nil
}

func (d deaf) Read(p []byte) (int, error) { d.cancel(); return copy(p, "data: x\n\n"), nil }
func (d deaf) Close() error               { return nil }

// TestStopped: who is stopped reads no more, whatever the transport has.
func TestStopped(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	e := &Endpoint{Model: "test:deaf", Client: Client(&http.Client{Transport: deaf{func() { cancel(why) }}})}
	resp, err := e.Post(ctx, "http://deaf.test/", nil, nil, &agent.ModelRequest{MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	events := NewEvents(resp.Body)
	for range 2 {
		_, err = events.Next()
	}
	if err != why {
		t.Error(err)
	}
}

// TestFew: the bound holds, and what is no array is none.
func TestFew(t *testing.T) {
	for text, want := range map[string]int{
		"[]": 0, "null": 0, "[{},null,{}]": 3, "[" + strings.Repeat("{},", MaxParts-1) + "{}]": MaxParts,
		"[" + strings.Repeat("{},", MaxParts) + "{}]": -1, "{}": -1, "3": -1, `["x"]`: -1,
	} {
		var f Few[struct{ X int }]
		if err := json.Unmarshal([]byte(text), &f); (err != nil) != (want < 0) || err == nil && len(f) != want {
			t.Errorf("%.20s: %d elements, %v", text, len(f), err)
		}
	}
}

// TestLargeEvents: an event is bounded whatever its lines are, and a stream is not.
func TestLargeEvents(t *testing.T) {
	line := "data: " + strings.Repeat("x", 100<<10) + "\n"
	for body, want := range map[string]error{
		strings.Repeat(line+"\n", 20):          io.EOF,
		strings.Repeat(line, 20):               errTooLong,
		strings.Repeat(": comment\n", 1<<20/5): errTooLong,
		strings.Repeat("x", 2<<20):             errTooLong,
	} {
		e := NewEvents(strings.NewReader(body))
		var err error
		for err == nil {
			_, err = e.Next()
		}
		if err != want {
			t.Errorf("%.10s: %v", body, err)
		}
	}
}

// TestEvents: cut anywhere, events come whole or not at all.
func TestEvents(t *testing.T) {
	const stream = ": hello\r\nevent: a\r\ndata: one\r\n\r\nid: 3\n\ndata:two\ndata: lines\n\n\n\ndata\n\ndata: \n\ndata: cut off"
	for n := range len(stream) + 1 {
		e := NewEvents(strings.NewReader(stream[:n]))
		var got []string
		for {
			d, err := e.Next()
			if err != nil {
				// The end is in order only where an empty line came before it.
				if between := n == 0 || strings.HasSuffix(stream[:n], "\n\n") || strings.HasSuffix(stream[:n], "\n\r\n"); err == io.EOF != between && !noData(stream[:n]) {
					t.Errorf("cut at %d: %v", n, err)
				}
				break
			}
			got = append(got, string(d))
		}
		if s := strings.Join(got, "|"); !strings.HasPrefix("one|two\nlines|", s) && s != "one|two\nlines|" || n == len(stream) && len(got) != 3 {
			t.Fatalf("cut at %d: %q", n, got)
		}
	}
}

// noData reports whether a line ended and none of the event's is data.
func noData(s string) bool {
	event := s[strings.LastIndex(strings.ReplaceAll(s, "\r", ""), "\n\n")+1:]
	return strings.HasSuffix(s, "\n") && !strings.Contains(event, "data:")
}
