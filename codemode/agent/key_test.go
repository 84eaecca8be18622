package agent_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode/agent"
)

func TestKeyDoesNotPrint(t *testing.T) {
	const text = "sk-hunter2"
	k := agent.NewAPIKey(text)
	type holder struct {
		Key agent.APIKey
		key agent.APIKey
		ptr *agent.APIKey
		any any
		in  map[string]agent.APIKey
	}
	h := holder{k, k, &k, k, map[string]agent.APIKey{"k": k}}
	var shown []string
	for _, v := range []any{k, &k, h, &h, []agent.APIKey{k}, map[agent.Role]agent.APIKey{"x": k}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t"} {
			shown = append(shown, fmt.Sprintf(verb, v))
		}
	}
	j, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "key", k, "holder", h)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "key", k, "holder", h)
	for _, s := range append(shown, string(j), log.String(), fmt.Errorf("x: %w %v", fmt.Errorf("%v", h), k).Error()) {
		for _, form := range []string{text, "hunter2", fmt.Sprintf("%x", text), fmt.Sprintf("%X", text), fmt.Sprint([]byte(text))} {
			if strings.Contains(s, form) {
				t.Errorf("it shows: %s", s)
			}
		}
	}
	if k.Reveal() != text || k.IsZero() || !agent.NewAPIKey("").IsZero() || (agent.APIKey{}).Reveal() != "" || (agent.APIKey{}).String() == k.String() {
		t.Error("a key is not what it was made of")
	}
	for _, spaced := range []string{text + " ", " " + text, text + "\r\n", "\t" + text} {
		if agent.NewAPIKey(spaced).Reveal() != text { // or what an endpoint quotes is not found
			t.Errorf("%q is not the same key", spaced)
		}
	}
	if !agent.NewAPIKey(" \n").IsZero() {
		t.Error("space is a key")
	}
}

func TestPrices(t *testing.T) {
	p := agent.Prices{"m": {Input: 3, Output: 15, CacheRead: 0.3, CacheWritten: 3.75}}
	u := agent.Usage{Input: 1_000_000, CacheRead: 500_000, CacheWritten: 100_000, Output: 200_000}
	if c, ok := p.Cost("m", u); !ok || fmt.Sprintf("%.4f", c) != "4.7250" { // 0.4*3 + 0.2*15 + 0.5*0.3 + 0.1*3.75
		t.Error(c, ok)
	}
	if c, ok := p.Cost("m", agent.Usage{Input: 5, CacheRead: 50}); !ok || c < 0 { // counts that make no sense
		t.Error(c, ok)
	}
	if _, ok := p.Cost("n", u); ok {
		t.Error("a price for what has none")
	}
}
