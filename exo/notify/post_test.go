package notify_test

// This file tries chats and webhooks.

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/notify"
	"github.com/exoagent/exoagent/exo/outbox"
)

// TestChatText: a text for a chat mentions nobody and makes no link with another text than its address. The twin, the same text unescaped, does, by
// what each product documents.
func TestChatText(t *testing.T) {
	attack := "<!channel> <!here> <@U012AB> @all @channel @here <https://evil.example|bank> [bank](https://evil.example) ![x](https://evil.example/p) `code` **b** & <at>all</at>"
	quoted, _ := json.Marshal(attack)
	for product, c := range map[string]struct {
		never []string // in what arrives
		twin  []string // what the attack has
		shown func(body []byte) string
	}{
		"slack": {[]string{"<!", "<@", "<http"}, []string{"<!channel>", "<https://evil.example|bank>"}, func(b []byte) string {
			var x struct {
				Text      string
				Mrkdwn    *bool
				LinkNames *bool `json:"link_names"`
			}
			if json.Unmarshal(b, &x) != nil || x.Mrkdwn == nil || *x.Mrkdwn || x.LinkNames == nil || *x.LinkNames {
				t.Errorf("it is formatted, or names are linked: %s", b)
			}
			return x.Text
		}},
		"mattermost": {[]string{"<", "@a", "@c", "@h", "](", " [", "![", " `"}, []string{"@all", "](https"}, func(b []byte) string {
			var x map[string]string
			if json.Unmarshal(b, &x) != nil || len(x) != 1 {
				t.Errorf("%s", b)
			}
			return strings.ReplaceAll(x["text"], `\]`, "]\u0000")
		}},
	} {
		s := newSite(t)
		w := newWorld(t)
		w.chat = s.chat(product)
		if res := w.run(`return team.post({ text: ` + string(quoted) + ` })`); res.Err != nil || s.count() != 1 {
			t.Fatalf("%s: %v %q", product, res.Err, s.bodies)
		}
		text := c.shown([]byte(s.bodies[0]))
		for _, x := range c.never {
			if strings.Contains(text, x) {
				t.Errorf("%s: %q is in %q", product, x, text)
			}
		}
		for _, x := range c.twin {
			if !strings.Contains(attack, x) {
				t.Errorf("%s: %q is no attack", product, x)
			}
		}
	}

	// A card of Teams: a TextRun is no Markdown, and nothing else has the text.
	s := newSite(t)
	w := newWorld(t)
	w.chat = s.chat("teams")
	res := w.run(`return team.post({ text: ` + string(quoted) + ` })`)
	if res.Err != nil || s.count() != 1 {
		t.Fatal(res.Err)
	}
	var card struct {
		Attachments []struct {
			Content struct {
				Body    []map[string]any
				Msteams any
			}
		}
	}
	if err := json.Unmarshal([]byte(s.bodies[0]), &card); err != nil || len(card.Attachments) != 1 || len(card.Attachments[0].Content.Body) != 1 || card.Attachments[0].Content.Msteams != nil {
		t.Fatalf("%v %s", err, s.bodies[0])
	}
	block := card.Attachments[0].Content.Body[0]
	if run := block["inlines"].([]any)[0].(map[string]any); block["type"] != "RichTextBlock" || run["type"] != "TextRun" || run["text"] != attack || len(run) != 2 {
		t.Errorf("%v", block)
	}
	for _, bad := range []string{"", "x\u202ey", "x\u2061y", "x\u00ady", "x\u3164y", "x\u180ey", "x\ufe01y", "x\u2800y", "x\x1b[2J", strings.Repeat("x", 20000)} {
		quoted, _ := json.Marshal(bad)
		if res := w.run(`return team.post({ text: ` + string(quoted) + ` })`); res.Err == nil {
			t.Errorf("%.20q is posted", bad)
		}
	}
	if text := w.text(res); strings.Contains(text, "s3cret") || !strings.Contains(text, "env:CHAT") || strings.Contains(text, "localhost") {
		t.Errorf("the record: %s", text)
	}
}

// TestHook: a webhook is signed as Standard Webhooks says, and a repetition has the same ID and body.
func TestHook(t *testing.T) {
	s := newSite(t)
	w := newWorld(t)
	w.hook = s.hook()
	s.answer = func(rw http.ResponseWriter, _ *http.Request) {
		if s.count() < 2 {
			rw.WriteHeader(http.StatusServiceUnavailable)
		}
	}
	res := w.run(`return ops.send({ type: 'order.paid', data: { id: 7, by: ['ann', null] } })`)
	w.at = w.at.Add(time.Minute)
	if err := w.box.Pass(t.Context()); err != nil || res.Err != nil || s.count() != 2 || s.bodies[0] != s.bodies[1] {
		t.Fatalf("%v %v %q", err, res.Err, s.bodies)
	}
	for i, h := range s.heads {
		id, at := h.Get("Webhook-Id"), h.Get("Webhook-Timestamp")
		key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(signing, "whsec_"))
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s.%s", id, at, s.bodies[i])
		if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); id != res.ID.KeyOf(1) || h.Get("Webhook-Signature") != want || h.Get("Idempotency-Key") != id {
			t.Errorf("%v", h)
		}
	}
	var body struct {
		Type      string
		Timestamp time.Time
		Data      map[string]any
	}
	if err := json.Unmarshal([]byte(s.bodies[0]), &body); err != nil || body.Type != "order.paid" || body.Timestamp.IsZero() || fmt.Sprint(body.Data) != "map[by:[ann <nil>] id:7]" {
		t.Errorf("%v %s", err, s.bodies[0])
	}
	for _, bad := range []string{"", "a b", "a\nb", "../x", strings.Repeat("x", 101)} {
		quoted, _ := json.Marshal(bad)
		if res := w.run(`return ops.send({ type: ` + string(quoted) + `, data: 1 })`); res.Err == nil {
			t.Errorf("%q is a type", bad)
		}
	}
	for _, bad := range []string{"", "s3cret", "whsec_x", "whsec_c2hvcnQ=", strings.TrimPrefix(signing, "whsec_")} {
		if err := notify.CheckKey(bad); err == nil || bad != "" && strings.Contains(err.Error(), bad) {
			t.Errorf("%q signs: %v", bad, err)
		}
	}
}

// TestPostFails: a refusal is final, what may pass is tried again, and nothing that a server answers is read, followed or repeated.
func TestPostFails(t *testing.T) {
	victim := newSite(t)
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		state  outbox.State
	}{
		"404": {func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no "+r.URL.Path+" s3cret", 404) }, outbox.Failed},
		"410": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(410) }, outbox.Failed},
		"429": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) }, outbox.Waiting},
		"500": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "s3cret", 500) }, outbox.Waiting},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, victim.url()+"/x", http.StatusTemporaryRedirect)
		}, outbox.Failed},
		"a gigabyte": {func(w http.ResponseWriter, _ *http.Request) {
			for range 1 << 14 {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
			t.Error("a gigabyte was read")
		}, outbox.Sent},
		"a large header": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) }, outbox.Waiting},
		"it hangs up":    {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, outbox.Waiting},
	} {
		for _, kind := range []string{"team", "ops"} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				s := newSite(t)
				s.answer = c.answer
				w := newWorld(t)
				program := `return team.post({ text: 'a b0dy' })`
				if kind == "team" {
					w.chat = s.chat("slack")
				} else {
					w.hook, program = s.hook(), `return ops.send({ type: 'x', data: 'a b0dy' })`
				}
				res := w.run(program)
				items, err := w.box.List(t.Context())
				if err != nil || len(items) != 1 || items[0].State != c.state || s.count() != 1 {
					t.Errorf("%v %+v", err, items)
				}
				if text := w.text(res); strings.Contains(text, "s3cret") || len(items) > 0 && strings.Contains(items[0].Why, "b0dy") {
					t.Errorf("%.2000s", text)
				}
			})
		}
	}
	if victim.count() != 0 {
		t.Errorf("redirects were followed: %q", victim.bodies)
	}
	s := newSite(t)
	s.answer = func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, victim.url()+"/x", http.StatusTemporaryRedirect)
	}
	if _, err := http.Post(s.url(), "text/plain", strings.NewReader("x")); err != nil || victim.count() != 1 {
		t.Errorf("the twin follows no redirect: %v", err)
	}

	// A private network.
	for _, kind := range []string{"team", "ops"} {
		s, w := newSite(t), newWorld(t)
		t.Setenv("HTTP_PROXY", s.URL)
		w.chat, w.hook = s.chat("slack"), s.hook()
		w.chat.Networks, w.hook.Networks = nil, nil
		w.chat.URL = func(context.Context) (string, error) { return "https://chat.example.com/s3cret", nil }
		w.hook.URL = "https://hooks.example.com/x"
		w.run(map[string]string{"team": `return team.post({ text: 'x' })`, "ops": `return ops.send({ type: 'x', data: 1 })`}[kind])
		if items, _ := w.box.List(t.Context()); s.count() != 0 || len(items) != 1 || items[0].State != outbox.Waiting || !strings.Contains(items[0].Why, "not allowed") {
			t.Errorf("%q %+v", s.bodies, items)
		}
	}
}
