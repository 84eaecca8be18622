package worker_test

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
)

// A program of bytes that are not valid UTF-8, one that makes half characters, and one
// whose messages are cut, are programs and no breach.
func TestTextsOfPrograms(t *testing.T) {
	e := evaluator(t, &shop{}, exoeval.Bounds{SourceBytes: 1 << 20}, nil)
	for name, program := range map[string]string{
		"a source line":       "throw new Error('\xff')",
		"a syntax error":      "let x = '\xff' \xff",
		"half a pair":         `throw new Error("\ud83d" + "x".repeat(10))`,
		"half a pair, logged": `console.log("\ud83d", ["\udc00"]); return "\ud83d".length`,
		"a long message":      `throw new Error("€".repeat(40000))`,
		"a long message, odd": `throw new Error("x" + "€".repeat(40000))`,
		"a long source line":  "throw new Error(1) // x" + strings.Repeat("€", 40_000),
		"a console that ends": `for (let i = 0; i < 3000; i++) console.log("€€€€€" + "x".repeat(i % 7)); return 1`,
		"a name":              `return { "\ud83d": 1 }`,
		"a method":            `return await shop["\ud83d"]()`,
		"a name that is sent": `return await shop.echo({ "\ud83d": 1, "€": "\udc00" })`,
	} {
		r := run(t, e, program)
		if r.Err != nil && (fail.KindOf(r.Err) == fail.Breach || fail.KindOf(r.Err) == fail.Crashed) {
			t.Errorf("%s: %v", name, r.Err)
			continue
		}
		texts := []string{r.Console}
		if r.Err != nil {
			texts = append(texts, fail.GuestText(r.Err), fail.PosOf(r.Err).Text)
		}
		for _, s := range texts {
			if !utf8.ValidString(s) {
				t.Errorf("%s: %q", name, s)
			}
		}
	}
}

// A name that holds half a character is refused, alike in process and in a worker:
// the engine gives it as another name, which may be that of another property.
func TestNamesThatFallTogether(t *testing.T) {
	evaluators := both(t, gateOf(t, &shop{rows: rowsOf(3)}, exo.Limits{}))
	for program, refused := range map[string]bool{
		`return {'\ufffd': 1, '\ud800': 2}`:                  true,
		`return {'\ud800': 2}`:                               true,
		`return {a: [{'x\udc00': 2}]}`:                       true,
		`return await shop.echo({'\ufffd': 1, '\ud800': 2})`: true,
		`const r = await shop.rows(); r[0]['\ufffd'] = 1; r[0]['\ud800'] = 1; return r.slice(0, 1)`: true,
		`Object.keys = () => []; return {'\ufffd': 1, '\ud800': 2}`:                                 true,
		`console.log({'\ufffd': 1, '\ud800': 2})`:                                                   false,
		`return {'\ufffd': 1, '\ud83d\ude00': 2}`:                                                   false,
		`return await shop.echo({'\ufffd': 1, x: '\ufffd'})`:                                        false,
	} {
		in, out := run(t, evaluators["in process"], program), run(t, evaluators["in a worker"], program)
		if a, b := told(in), told(out); a != b {
			t.Errorf("%s\nin process: %s\nin a worker: %s", program, a, b)
		}
		if said := in.Err != nil && fail.KindOf(in.Err) == fail.Invalid && strings.Contains(fail.GuestText(in.Err), "half of a surrogate pair"); said != refused || !refused && in.Err != nil {
			t.Errorf("%s: %v %v", program, in.Value, in.Err)
		}
	}
}

// vague fails with an error that nobody has classified.
type vague struct{ shop }

func (*vague) Eval(context.Context, *exo.Message) (value.Value, error) {
	return value.Value{}, &fail.Error{Msg: "not for guests", Err: errDriver}
}

// An error without a kind is the host's fault to the program, and no breach of the worker.
func TestUnclassified(t *testing.T) {
	g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"shop": &vague{}}, Record: exo.Unrecorded})
	if err != nil {
		t.Fatal(err)
	}
	e := inWorker(t, g, nil)
	r := e.Run(t.Context(), exoeval.Job{Program: "await shop.rows()"})
	if fail.KindOf(r.Err) != fail.Internal || strings.Contains(fail.GuestText(r.Err), "not for guests") {
		t.Errorf("%v", r.Err)
	}
}
