package codemode_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type keyRow struct {
	ID, Seen   int64
	Key, Notes string
}

// observed is all that somebody who may not read the key can see of a program: its result, error, console and what became of
// its effects, what was posted, and the rows that it may write.
func observed(t *testing.T, how exoeval.Evaluator, key string, labelled bool, program string) string {
	t.Helper()
	db := tu.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: tu.SQLite.Exec("CREATE TABLE keys (id INTEGER PRIMARY KEY, seen INTEGER NOT NULL, key TEXT NOT NULL, notes TEXT NOT NULL); INSERT INTO keys VALUES (1, 0, '" + key + "', ''), (2, 0, 'MNOP-other', '')")})
	keys := exosql.NewTable[keyRow]("keys")
	id := exosql.NewKey(keys, "id", func(k *keyRow) *int64 { return &k.ID })
	seen := exosql.NewColumn(keys, "seen", func(k *keyRow) *int64 { return &k.Seen })
	secret := exosql.NewColumn(keys, "key", func(k *keyRow) *string { return &k.Key })
	notes := exosql.NewColumn(keys, "notes", func(k *keyRow) *string { return &k.Notes })
	if labelled {
		secret.WithLabel("secret")
	}
	posted := ""
	post := func(name string, op service.Operation) exo.Object {
		s, err := service.New(name, "", op)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	type text struct {
		Text string `json:"text"`
	}
	put := func(_ context.Context, a text) (service.None, error) {
		posted += a.Text + "\n"
		return service.None{}, nil
	}
	f := exosql.NewFacet(keys, "entry", id, seen, secret, notes).AllowUpdate(seen, notes).AllowDelete()
	tool, err := codemode.New(codemode.Grants{"keys": f.Of(exosql.Grant(db, keys, exosql.AllRows[keyRow]())), "reveal": exo.Reveal(), "text": exo.Compose(),
		"post": post("post", service.Method("post", "", put)), "now": post("now", service.Method("now", "", put).Immediate()), "ask": post("ask", service.Read("ask", "", put))},
		&codemode.Options{Record: exo.Unrecorded, Evaluator: how})
	if err != nil {
		t.Fatal(err)
	}
	r := tool.Run(t.Context(), "const row = await keys.where({ id: 1 }).first();\n"+program)
	after := tool.Run(t.Context(), "return keys.select(k => ({ id: k.id, seen: k.seen, notes: k.notes }))")
	return fmt.Sprintf("%s\n%s\n%s%s\n%d\n%s%s", r.JSON, fail.GuestText(r.Err), r.Console, r.EffectsNote(), len(r.Effects), posted, after.JSON)
}

// TestTechniques: the ways in which programs were seen to carry a secret out (the twelve of the audit that Denyx was tested with, and
// those of the surfaces that a database has). Whatever the key is, all that can be seen is the same, in both evaluators; where
// nothing is labelled, each tells one key from another.
func TestTechniques(t *testing.T) {
	const v = "const v = await reveal(row.key); "
	techniques := map[string]string{
		"composed": "return text`key ${row.key}`", "composed, posted": "await post.post({ text: await text`key ${row.key}` })", "composed, its length": "return (await text`key ${row.key}`).length", "composed too often": "let v = row.key; for (let i = 0; i < 12; i++) v = await text`${v}${v}`; return v",
		"raw print": "console.log(row.key); return row.key", "raw print, revealed": v + "console.log(v); return v", "length": v + "return v.length", "length of what is sealed": "return row.key.length",
		"comparison": v + "return v[0] === 'A'", "comparison of what is sealed": "return row.key === 'AAAA-1'", "reversed": v + "return [...v].reverse().join('')", "one character a line": v + "for (const c of v) console.log('ok ' + c)",
		"hex": v + "return [...v].map(c => c.charCodeAt(0).toString(16)).join('')", "xor": v + "return [...v].map(c => (c.charCodeAt(0) ^ 0x5a).toString(16)).join('')", "an error": v + "throw new Error(v)", "an error, reversed": v + "throw new Error([...v].reverse().join(''))",
		"the cause of an error": v + "try { throw new Error('x', { cause: v }) } catch (e) { return e.cause }", "an argument that comes back": v + "return ask.ask({ text: v })", "an effect": v + "await post.post({ text: v })", "an effect with what is sealed": "await post.post({ text: row.key })", "an effect at once": v + "await now.now({ text: v })",
		"a question to the outside": "await ask.ask({ text: row.key }); return 1", "written to rows": v + "await keys.where({ id: 2 }).update({ notes: v })", "written, sealed": "await keys.where({ id: 2 }).update({ notes: row.key })", "written by the database": "await keys.where({ id: 1 }).update(k => ({ notes: k.key }))",
		"a guess": v + "return v.includes('AAA')", "a guess by the database": "return keys.where(k => k.key.includes('AAAA')).count()", "which row is written": "await keys.where(k => k.key.startsWith('A')).update({ seen: 1 })", "how many are deleted": "return keys.where(k => k.key.startsWith('A')).delete()",
		"an effect or none": v + "if (v[0] === 'A') await post.post({ text: 'x' }); return 1", "an effect, and then an error": v + "await post.post({ text: 'x' }); if (v[0] === 'A') throw 1; return 1", "asked before, failed by it": "await post.post({ text: 'x' }); " + v + "if (v[0] === 'A') throw 1; return 1",
		"a write before, undone by it": "await keys.where({ id: 2 }).update({ seen: 1 }); " + v + "if (v[0] === 'A') throw 1; return 1", "how many lines": v + "for (let i = 0; i < v.charCodeAt(0) - 60; i++) console.log('x'); return 1",
		"a limit": v + "if (v[0] === 'A') for (;;) await keys.count(); return 1", "the order of rows": "return keys.orderBy(k => k.key).select(k => k.id)", "the greatest": "return keys.orderBy(k => k.key.desc()).select(k => k.id).first()", "groups": "return keys.where(k => k.key < 'B').groupBy(k => k.key).count()",
		"distinct": "return (await keys.where(k => k.key < 'B').select(k => k.key).distinct()).length", "an object's keys": v + "return Object.keys({ [v]: 1 })", "the size of a result": v + "return 'x'.repeat(v.charCodeAt(0))", "null or not": "return row.key === null || row.key.startsWith('A')", "a promise's outcome": v + "return Promise.race([v[0] === 'A' ? 1 : new Promise(() => {}), keys.count()])",
		"a sort": v + "return ['B', v].sort()[0] === v", "a regular expression": v + "return /^A/.test(v)", "a cast": v + "return Number(v.slice(-1)) / 2", "a date": v + "return new Date(2000 + v.charCodeAt(0), 0).getFullYear()", "a switch": v + "switch (v[0]) { case 'A': return 1; default: return 2 }",
		"a JSON text": "return JSON.stringify(await reveal({ a: [row.key] }))", "a getter's error": v + "const o = { get x() { throw new Error(v) } }; return o.x", "a generator": v + "function* g() { yield* v } return [...g()].join()",
	}
	for name, program := range techniques {
		plain := strings.NewReplacer("await reveal(row.key)", "row.key", "await reveal({ a: [row.key] })", "({ a: [row.key] })").Replace(program)
		if a, b := observed(t, exoeval.InProcess{}, "AAAA-1", false, plain), observed(t, exoeval.InProcess{}, "QQQQQQ-2", false, plain); a == b {
			t.Errorf("%s: where nothing is labelled it tells nothing, so it shows nothing:\n%s", name, a)
		}
		for _, how := range []exoeval.Evaluator{exoeval.InProcess{}, worker.Shared()} {
			a, b := observed(t, how, "AAAA-1", true, program), observed(t, how, "QQQQQQ-2", true, program)
			if a != b || strings.Contains(a, "AAAA") || strings.Contains(a, "QQQQ") {
				t.Errorf("%s in %T: with one key\n%s\nand with another\n%s", name, how, a, b)
			}
		}
	}
}
