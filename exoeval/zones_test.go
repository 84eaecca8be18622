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

// zoned runs programs whose local time is that of a zone.
func zoned(t *testing.T, zone string) exoeval.Runner {
	t.Helper()
	gate, err := exo.NewGate(exo.Config{Zone: zone})
	if err != nil {
		t.Fatal(err)
	}
	return testutil.InProcess(gate)
}

// Local time in a zone is what Node.js has there (testdata/zone.mjs).
func TestZones(t *testing.T) {
	b, err := os.ReadFile("testdata/zone.json")
	if err != nil {
		t.Fatal(err)
	}
	var zones []struct {
		Zone        string
		Dates, Uses []string
		Out         [][]string
	}
	if err := json.Unmarshal(b, &zones); err != nil || len(zones) < 6 {
		t.Fatal(len(zones), err)
	}
	for _, z := range zones {
		if len(z.Dates) < 50 || len(z.Uses) < 18 || len(z.Out) != len(z.Dates) {
			t.Fatal(z.Zone, len(z.Dates), len(z.Uses), len(z.Out))
		}
		var p strings.Builder
		p.WriteString("const out = []; const run = (d, f) => { try { out.push(String(JSON.stringify(f(new Date(d))))) } catch (e) { out.push(e.name) } };\n")
		for _, use := range z.Uses {
			p.WriteString("for (const d of [" + strings.Join(z.Dates, ", ") + "]) run(d, (d) => " + use + ");\n")
		}
		p.WriteString("return out")
		res := zoned(t, z.Zone).Run(t.Context(), exoeval.Job{Program: p.String(), Run: exo.Run{Clock: testutil.Start, Seed: 1}})
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		for i, use := range z.Uses {
			for k, date := range z.Dates {
				if got := res.Value.At(i*len(z.Dates) + k).Text(); got != z.Out[k][i] {
					t.Errorf("%s: const d = %s; %s\n got %s\nwant %s", z.Zone, date, use, got, z.Out[k][i])
				}
			}
		}
	}
}

// What there is not in a zone says what there is, and does not answer in another one.
func TestZoneWayOut(t *testing.T) {
	r := zoned(t, "Europe/Berlin")
	for program, want := range map[string]string{
		"return new Date().toLocaleString('en-US', { timeZone: 'Europe/Berlon' })":             "there is no time zone",
		"return new Date(0).toLocaleString('en-US', { timeZoneName: 'short' })":                "leave out timeZoneName",
		"return new Date('1969-01-01').toLocaleString('en-US', { timeZone: 'Asia/Tokyo' })":    "use timeZone: 'UTC'",
		"return new Date('1969-01-01').toLocaleString('ja-JP', { timeZone: 'Europe/Berlin' })": "the locale 'ja-JP' is not available",
	} {
		res := r.Run(t.Context(), exoeval.Job{Program: program, Run: exo.Run{Clock: testutil.Start, Seed: 1}})
		if fail.KindOf(res.Err) != fail.Program || !strings.Contains(fail.GuestText(res.Err), want) {
			t.Errorf("%s: %v, want %s", program, res.Err, want)
		}
	}
	res := r.Run(t.Context(), exoeval.Job{Program: `const d = new Date(); const f = new Intl.DateTimeFormat('en-US', { dateStyle: 'short', timeStyle: 'long' });
		return [String(d), Date(), f.format(d), f.resolvedOptions().timeZone, d.toISOString(), d.toLocaleString('en-US', { timeZone: 'UTC', timeZoneName: 'short' })]`, Run: exo.Run{Clock: testutil.Start, Seed: 1}})
	if got, want := res.Value.String(), `["Fri Jan 02 2026 04:04:05 GMT+0100 (CET)","Fri Jan 02 2026 04:04:05 GMT+0100 (CET)","1/2/26, 4:04:05 AM GMT+1","Europe/Berlin","2026-01-02T03:04:05.678Z","1/2/2026, 3:04:05 AM UTC"]`; got != want {
		t.Errorf("got %s %v\nwant %s", got, res.Err, want)
	}
	if _, err := exo.NewGate(exo.Config{Zone: "Europe/Berlon"}); fail.KindOf(err) != fail.Invalid {
		t.Error(err)
	}
}
