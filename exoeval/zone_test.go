package exoeval

import (
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
)

var zones = []string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"}

// What a program can see of time is the same wherever the host stands. The twin,
// the bare engine, shows where that is.
func TestZoneIsHidden(t *testing.T) {
	here := time.Local
	defer func() { time.Local = here }()
	gate, err := exo.NewGate(exo.Config{})
	if err != nil {
		t.Fatal(err)
	}
	bare := map[string]bool{}
	for _, zone := range zones {
		if time.Local, err = time.LoadLocation(zone); err != nil {
			t.Fatal(err)
		}
		v, err := goja.New().RunProgram(realm.MustCompile("twin", "new Date(2024, 2, 31, 2, 30).toISOString()"))
		if err != nil {
			t.Fatal(err)
		}
		bare[v.String()] = true
	}
	if len(bare) < len(zones) {
		t.Fatalf("the bare engine shows %v: the test tests nothing", bare)
	}
	programs := []string{
		`return [new Date('2024-03-31T02:30:00').toISOString(), new Date(Date.UTC(2024, 2, 31, 1, 30)).toString(), new Date(2024, 2, 31, 2, 30).getHours()]`,
		`return ['Jan 5, 2024', 'January 5, 2024 10:00', '2024-01-05 10:00', '2024-01-05T10:00:00.5', '2024/01/05', '5 Jan 2024', 'nonsense', ''].map(s => Date.parse(s))`,
		`const P = Object.getPrototypeOf(/x/); P.test = () => true; P.exec = () => null; return new Date('2024-01-01T00:00:00').toISOString()`,
		`let seen = []; const F = Object.getPrototypeOf(() => 1); const orig = F.call; F.call = function (...a) { seen.push(String(this)); return 0; };
		 const d = new Date('2024-07-01 12:00:00'); const x = [d.toString(), d.toLocaleString(), d.getTimezoneOffset(), 'ab'.match('b').index, seen.length]; F.call = orig; return x`,
		`Object.getPrototypeOf('').replace = () => 'x'; Object.getPrototypeOf([]).join = () => 'y'; return [new Date(0).toString(), new Date(0).toDateString(), new Date(0).toLocaleTimeString(), Date()]`,
		`const s = '2024-03-31T02:30:00'; return [new Date(new String(s)), new Date({ toString: () => s }), new Date({ valueOf: () => s }), new Date({ [Symbol.toPrimitive]: () => s }), new Date([s]), new Date(new Date(s)), structuredClone(new Date(s)), Date.parse(new String(s))].map(Number)`,
		`const C = new Date(0)['construc' + 'tor']; return [C === Date, new C(2024, 2, 31, 2, 30).getTime(), C.parse('2024-03-31T02:30:00')]`,
		`const d = new Date(2024, 2, 31, 2, 30); return [d.toLocaleString(), d.toLocaleDateString('en-US', { dateStyle: 'full' }), d.toLocaleTimeString(), new Intl.DateTimeFormat('en-US', { hour: 'numeric', timeZoneName: 'short' }).format(d), Date().length, d + '', d.toJSON(), JSON.stringify(d)]`,
		`const d = new Date(0); d.setHours(5); d.setDate(40); return [d.getTime(), d.getDay(), d.getDate(), d.getMonth(), new Date(NaN).toString()]`,
	}
	for i, p := range programs {
		var first string
		for _, zone := range zones {
			if time.Local, err = time.LoadLocation(zone); err != nil {
				t.Fatal(err)
			}
			r := NewLocal(gate).Run(t.Context(), Job{Program: p, Run: exo.Run{Clock: time.UnixMilli(1700000000000), Seed: 1}})
			if r.Err != nil {
				t.Fatalf("program %d: %v", i, r.Err)
			}
			if first == "" {
				first = r.Value.String()
				t.Log(first)
			} else if got := r.Value.String(); got != first {
				t.Errorf("program %d in %s: %s\nin UTC: %s", i, zone, got, first)
			}
		}
	}
}
