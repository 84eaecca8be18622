package exoeval_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/testutil"
)

// Formatting gives what Node.js gives (testdata/intl.mjs), in all locales that there are, in all time zones and with options as they
// are drawn, or it is refused: what clocks were called long ago, and options of which the tables have no text.
func TestIntl(t *testing.T) {
	b, err := os.ReadFile("testdata/intl.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases [][2]string
	if err := json.Unmarshal(b, &cases); err != nil || len(cases) < 5000 {
		t.Fatal(len(cases), err)
	}
	e, refused := newStore(t, 1), 0
	for len(cases) > 0 {
		batch := cases[:min(20, len(cases))]
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
			switch got := res.Value.At(i).Text(); {
			case got == "RangeError" && c[1] != got && rare.MatchString(c[0]):
				refused++
			case got != c[1]:
				t.Errorf("%s: got %q, want %q", c[0], got, c[1])
			}
		}
	}
	if refused > 400 {
		t.Errorf("%d are refused", refused)
	}
	t.Logf("%d are refused", refused)
}

// rare is what may be refused: names of clocks before 2026, what clocks showed before 1970, and a weekday with a time and no day.
var rare = regexp.MustCompile(`(1955|1975|1995|2015).*timeZoneName|timeStyle: .(full|long).*1999|0987.*timeZone|timeZone.*0987|weekday.*(hour|minute|second|toLocaleTimeString)|toLocaleTimeString.*weekday`)

// What there is not of Intl says what to do instead.
func TestIntlWayOut(t *testing.T) {
	r := testutil.As(t, testutil.Open(t), testutil.Acme, exo.Limits{})
	for program, want := range map[string]string{
		"(1).toLocaleString('de-AT')":                                                            "there are 'en-US', 'en-GB', 'de', 'fr', 'es' and 'sv-SE'",
		"new Intl.NumberFormat('@en', {})":                                                       "build the text with toFixed",
		"new Date().toLocaleDateString(['ja', 'en'])":                                            "the locale 'ja' is not available",
		"new Date().toLocaleString('en-US', { timeZone: '../UTC' })":                             "want an IANA name",
		"new Date().toLocaleString('en-US', { timeZone: 'Local' })":                              "want an IANA name",
		"new Date(-1).toLocaleString('en-US', { timeZone: 'Asia/Tokyo' })":                       "use timeZone: 'UTC'",
		"new Date(0).toLocaleString('en-US', { timeZone: 'Asia/Tokyo', timeZoneName: 'short' })": "leave out timeZoneName",
		"new Date('-000001-01-01').toLocaleDateString()":                                         "use toISOString",
		"new Date().toLocaleString('de', { weekday: 'long', hour: 'numeric' })":                  "format the weekday and the time each on its own",
		"new Date().toLocaleString('en-US', { fractionalSecondDigits: 3 })":                      "the option fractionalSecondDigits is not available",
		"'a'.localeCompare('b', 'ja')":                                                           "the locale 'ja' is not available",
		"'a'.localeCompare('b', 'en', { ignorePunctuation: true })":                              "the option ignorePunctuation is not available",
		"'a'.localeCompare('b', 'en', { sensitivity: 'case' })":                                  "there are 'variant', 'accent', 'base'",
		"'½'.localeCompare('0', 'en', { numeric: true })":                                        "only with the digits 0 to 9; leave it out",
		"(1).toLocaleString('en-US', { roundingMode: 'floor' })":                                 "the option roundingMode is not available",
		"new Intl.RelativeTimeFormat('en')":                                                      "subtract the times",
		"new Intl.PluralRules('en-US').select(1)":                                                "compare the number with 1",
		"new Intl.ListFormat('en').format(['a'])":                                                "list.join",
		"new Intl.NumberFormat('en-US', { style: 'unit', unit: 'liter' })":                       "there are 'decimal', 'percent', 'currency'",
		"new Intl.NumberFormat('en-US', { notation: 'scientific' })":                             "there are 'standard', 'compact'",
		"new Intl.DateTimeFormat('en-US').formatToParts(new Date())":                             "use format",
		"new Intl.NumberFormat('en-US', { style: 'currency', currency: 'US' })":                  "three letters",
		"new Intl.NumberFormat('en-US', { style: 'currency' })":                                  "needs the option currency",
		"return Intl.Whatever":                                                                   "Intl.NumberFormat and Intl.DateTimeFormat",
	} {
		if o := r.Run(t, program); o.Kind != fail.Program || !strings.Contains(o.Message, want) {
			t.Errorf("%s: %s, want %s", program, o, want)
		}
	}
	if o := r.Run(t, "return [new Intl.NumberFormat() instanceof Intl.NumberFormat, typeof Intl, Object.keys(Intl), new Intl.DateTimeFormat().format()]"); o.JSON != `[true,"object",["NumberFormat","DateTimeFormat"],"1/2/2026"]` {
		t.Error(o)
	}
}
