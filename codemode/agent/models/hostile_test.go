package models_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode/agent"
)

// TestHostileBytes: whatever an endpoint sends, the process lives, and what comes
// of it is a reply or a typed error.
func TestHostileBytes(t *testing.T) {
	forAll(t, func(t *testing.T, d dialect) {
		r := rand.New(rand.NewPCG(1, 2))
		var now string
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, now) }))
		defer s.Close()
		m, err := d.make(s.URL, s.Client())
		if err != nil {
			t.Fatal(err)
		}
		words := []string{"null", "{}", "[]", "-1", "1e999", `"x"`, "true", "9223372036854775808", `{"text":{}}`, `{"functionCall":null}`, `{"functionResponse":{"name":"x"}}`,
			`{"executableCode":{}}`, `{"inlineData":7}`, `{"functionCall":{"name":3}}`, "[[[[", `"index":-5`, `"index":999999999`, `"finishReason":"NEW"`, `"type":"message_stop"`}
		ended := map[bool]int{}
		for range 400 {
			rec := httptest.NewRecorder()
			events := d.text("Two", " of")
			if r.IntN(2) == 0 {
				events = d.calls(call{"c1", "execute", wholeProgram})
			}
			d.write(rec, events, true)
			b := rec.Body.String()
			for range 1 + r.IntN(3) {
				// Replace something between two marks of JSON by something else.
				i := r.IntN(len(b))
				if k := strings.IndexAny(b[i:], ":[,{"); k >= 0 {
					i += k + 1
				}
				j := i
				if k := strings.IndexAny(b[i:], ",]}"); k >= 0 {
					j += k
				}
				b = b[:i] + words[r.IntN(len(words))] + b[j:]
			}
			now = b
			_, err := m.Reply(t.Context(), question, nil)
			var e *agent.ModelError
			if err != nil && !errors.As(err, &e) {
				t.Fatalf("%v for %s", err, b)
			}
			ended[err == nil]++
		}
		if ended[true] < 20 || ended[false] < 20 {
			t.Errorf("the changes are too weak or too strong: %v", ended)
		}
	})
}

// TestOddities: what only one format has.
func TestOddities(t *testing.T) {
	all := map[string]dialect{}
	for _, d := range dialects(t) {
		all[d.name] = d
	}
	t.Run("calls of one index", func(t *testing.T) { // as some servers number them
		d := all["openai"]
		whole := strings.ReplaceAll(strings.Join(d.calls(call{"c1", "execute", `{"code":"1"}`}), "\n"), `"index":0,"function":{"arguments"`, `"index":0,"id":"c1","function":{"arguments"`)
		second := strings.Split(strings.ReplaceAll(whole, "c1", "c2"), "\n")[1:4]
		events := strings.Split(whole, "\n")
		events = append(append(append([]string{}, events[:4]...), second...), events[4:]...)
		_, m := d.serve(t, d.reply(events))
		r, err := m.Reply(t.Context(), question, nil)
		if err != nil || len(r.Calls) != 2 || r.Calls[0].Args != `{"code":"1"}` || r.Calls[1].Args != `{"code":"1"}` || r.Calls[1].ID != "c2" {
			t.Errorf("%+v, %v", r, err)
		}
	})
	t.Run("a call that was not closed", func(t *testing.T) {
		d := all["anthropic"]
		var events []string
		for _, e := range d.calls(call{"c1", "execute", wholeProgram}) {
			if !strings.Contains(e, `"content_block_stop","index":1`) {
				events = append(events, e)
			}
		}
		_, m := d.serve(t, d.reply(events))
		if r, err := m.Reply(t.Context(), question, nil); r != nil || failure(t, err).Kind != agent.Truncated {
			t.Errorf("%+v, %v", r, err)
		}
	})
	t.Run("very many pieces", func(t *testing.T) {
		d := all["gemini"]
		_, m := d.serve(t, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `[{}`, strings.Repeat(`,{}`, 5000), `,{"candidates":[{"finishReason":1}]}]`)
		})
		if r, err := m.Reply(t.Context(), question, nil); r != nil || failure(t, err).Kind != agent.Malformed {
			t.Errorf("%+v, %v", r, err)
		}
	})
}
