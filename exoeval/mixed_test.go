package exoeval_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/testutil"
)

// TestMixedPrograms makes programs of pieces of the corpus: sections one after
// the other, one inside a function of another, in a callback, in a getter, behind
// a try. Whatever comes out: the host lives, the verdict is a result or an error
// of some Kind, and nothing of the host is in what the author sees.
func TestMixedPrograms(t *testing.T) {
	t.Setenv("EXO_CANARY", testutil.Environment)
	var pieces []string
	for _, h := range testutil.ReadHostile(t) {
		if !h.Fatal && len(h.Program) < 1000 {
			pieces = append(pieces, h.Program)
		}
		if len(h.Twin) < 1000 {
			pieces = append(pieces, h.Twin)
		}
	}
	db := testutil.Open(t)
	r := testutil.As(t, db, testutil.Acme, testutil.Both{Limits: exo.Limits{Calls: 50}, Bounds: exoeval.Bounds{Wall: 40 * time.Millisecond, Total: 2 * time.Second}})
	kinds := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		program := mixed(rapid.SampledFrom(pieces)).Draw(rt, "program")
		o := r.Run(t, program)
		switch {
		case o.Result.Err == nil:
			kinds["ok"]++
		case o.Kind == fail.Other:
			rt.Fatalf("an error of no kind: %v\n%s", o, program)
		default:
			kinds[o.Kind.String()]++
		}
		if o.Result.Err != nil && strings.TrimSpace(o.Message) == "" {
			rt.Fatalf("an error that says nothing: %v\n%s", o, program)
		}
		if l := o.LeaksHost(testutil.Acme); l != "" {
			rt.Fatalf("%s\n%s", l, program)
		}
	})
	if o := r.Run(t, "return (await org.first()).id"); o.JSON != "1" {
		t.Errorf("the next program gets %s", o)
	}
	if kinds["ok"] == 0 || kinds["syntax"] == 0 || len(kinds) < 3 {
		t.Errorf("the programs end too much alike: %v", kinds)
	}
}

// mixed wraps and joins pieces.
func mixed(piece *rapid.Generator[string]) *rapid.Generator[string] {
	return rapid.Custom(func(rt *rapid.T) string {
		part := func() string {
			p := piece.Draw(rt, "piece")
			switch rapid.IntRange(0, 9).Draw(rt, "how") {
			case 0:
				return "{\n" + p + "\n}\n"
			case 1:
				return "try {\n" + p + "\n} catch (e) { console.log(e); console.log(e && e.stack, e && e.message, String(e && e.name)); }\n"
			case 2:
				return "await (async () => {\n" + p + "\n})();\n"
			case 3:
				return "try { tasks.where((t) => { (async () => {\n" + p + "\n})().then((x) => console.log(x), (x) => console.log(x)); return t.done; }); } catch (e) { console.log(e); }\n"
			case 4:
				return "console.log({ get a() { (async () => {\n" + p + "\n})().then((x) => console.log(x), (x) => console.log(x)); return 1; } });\n"
			case 5:
				return "await Promise.allSettled([1, 2].map(async () => {\n" + p + "\n})).then((x) => { for (const y of x) console.log(y.value, y.reason, y.reason && y.reason.stack); });\n"
			case 6: // cut in two: an odd end for any parser
				return p[:rapid.IntRange(0, len(p)).Draw(rt, "cut")]
			case 7:
				return "class C" + rapid.StringMatching(`[a-z]{3}`).Draw(rt, "name") + " { static async m() {\n" + p + "\n} static { this.m().then(console.log, console.log); } }\n"
			case 8:
				return "{ const old = (async () => {\n" + p + "\n}); const x = await box.put(1); try { console.log(await old()); } finally { console.log(x); } }\n"
			}
			return p
		}
		var b strings.Builder
		for range rapid.IntRange(1, 3).Draw(rt, "parts") {
			b.WriteString(part())
		}
		return b.String()
	})
}
