package exoeval_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/testutil"
)

// Formatting for en-US and UTC gives what Node.js gives (testdata/intl.mjs).
func TestIntl(t *testing.T) {
	b, err := os.ReadFile("testdata/intl.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases [][2]string
	if err := json.Unmarshal(b, &cases); err != nil || len(cases) < 1000 {
		t.Fatal(len(cases), err)
	}
	e := newStore(t, 1)
	for len(cases) > 0 {
		batch := cases[:min(100, len(cases))]
		cases = cases[len(batch):]
		var p strings.Builder
		p.WriteString("const out = []; const run = (f) => { try { out.push(String(f())) } catch (e) { out.push(e.name) } };\n")
		for _, c := range batch {
			p.WriteString("run(() => " + c[0] + ");\n")
		}
		p.WriteString("return out")
		res := e.Run(t.Context(), exoeval.Job{Program: p.String()})
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		for i, c := range batch {
			if got := res.Value.At(i).Text(); got != c[1] {
				t.Errorf("%s: got %q, want %q", c[0], got, c[1])
			}
		}
	}
}

// What there is not of Intl says what to do instead.
func TestIntlWayOut(t *testing.T) {
	r := testutil.As(t, testutil.Open(t), testutil.Acme, exo.Limits{})
	for program, want := range map[string]string{
		"(1).toLocaleString('de-DE')":                                           "only the locale 'en-US' is available",
		"new Intl.NumberFormat('fr', {})":                                       "build the text with toFixed",
		"new Date().toLocaleDateString(['de', 'en'])":                           "only the locale 'en-US'",
		"new Date().toLocaleString('en-US', { timeZone: 'America/New_York' })":  "only the time zone 'UTC' is available",
		"new Intl.RelativeTimeFormat('en')":                                     "subtract the times",
		"new Intl.PluralRules('en-US').select(1)":                               "compare the number with 1",
		"new Intl.ListFormat('en').format(['a'])":                               "list.join",
		"new Intl.NumberFormat('en-US', { style: 'unit', unit: 'liter' })":      "there are 'decimal', 'percent', 'currency'",
		"new Intl.NumberFormat('en-US', { notation: 'scientific' })":            "there are 'standard', 'compact'",
		"new Intl.DateTimeFormat('en-US').formatToParts(new Date())":            "use format",
		"new Intl.NumberFormat('en-US', { style: 'currency', currency: 'US' })": "three letters",
		"new Intl.NumberFormat('en-US', { style: 'currency' })":                 "needs the option currency",
		"return Intl.Whatever":                                                  "Intl.NumberFormat and Intl.DateTimeFormat",
	} {
		if o := r.Run(t, program); o.Kind != fail.Program || !strings.Contains(o.Message, want) {
			t.Errorf("%s: %s, want %s", program, o, want)
		}
	}
	if o := r.Run(t, "return [new Intl.NumberFormat() instanceof Intl.NumberFormat, typeof Intl, Object.keys(Intl), new Intl.DateTimeFormat().format()]"); o.JSON != `[true,"object",["NumberFormat","DateTimeFormat"],"1/2/2026"]` {
		t.Error(o)
	}
}
