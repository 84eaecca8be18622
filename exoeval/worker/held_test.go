package worker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/testutil"
)

// heldPrograms do with many rows whatever can be done with them. The cells of
// the rows stay with the host until one is looked at, and no program can tell.
var heldPrograms = []string{
	"return await shop.rows()",
	"const r = await shop.rows(); return { n: r.length, r }",
	"const r = await shop.rows(); return [r, r]",
	"const r = await shop.rows(); return r[149].title + r[150] + r.at(-1).id",
	"const r = await shop.rows(); r[0].title = 'mine'; return r",
	"const r = await shop.rows(); r.pop(); return r",
	"const r = await shop.rows(); r.length = 1; return r",
	"const r = await shop.rows(); return r.map(x => x.id).reduce((a, b) => a + b)",
	"let n = 0; for (const x of await shop.rows()) n += x.id; return n",
	"const { results } = await shop.rows(); return results.length",
	"const [a, b] = await Promise.all([shop.rows(), shop.rows()]); return a[3].id + b[4].id + a.length",
	"const p = [shop.rows(), shop.rows(), shop.echo(1), shop.echo(2)]; const a = await p[0]; a[7].id; return [await p[2], await p[3], (await p[1])[9]]",
	"const p = Array.from({ length: 8 }, () => shop.rows()); let n = 0; for (const q of p) n += (await q)[n % 150].id; return n",
	"const r = await shop.rows(); const c = structuredClone(r); c[0].id = 7; return [c[0], r[0], c.length]",
	"return JSON.stringify(await shop.rows()).length",
	"console.log(await shop.rows()); return 1",
	"return await shop.echo((await shop.rows()).slice(0, 2))",
	"const r = await shop.rows(); return Object.keys(r).length + ('3' in r) + Object.getOwnPropertyNames(r).length",
	"const r = await shop.rows(); delete r[3]; return r[3] === undefined && !(3 in r)",
	"const r = await shop.rows(); return Object.isFrozen(Object.freeze(r)) && r[5].id",
	"const r = await shop.rows(); const l = []; for (let i = 0; i < 300; i++) l.push(r); return l",
	"const r = await shop.rows(); const l = []; for (let i = 0; i < 100000; i++) l.push(r); return l",
	"return (await shop.rows()).slice(-2)",
	"const r = await shop.rows(); throw new Error('x' + r[1].id)",
}

// Results near the limits of the conversion are results, also where they are many
// small values: it counts values and text, and so does the host.
func TestLargeHeldResults(t *testing.T) {
	rows := &value.Rows{Shape: &value.Shape{Names: []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}}}
	text := value.Text(strings.Repeat("x", 330))
	for range 900 {
		rows.Cells = append(rows.Cells, text)
		for i := range 9 {
			rows.Cells = append(rows.Cells, value.Int(int64(i)))
		}
	}
	e := both(t, gateOf(t, &shop{rows: value.RowsValue(rows)}, exo.Limits{}))["in a worker"]
	for n, ok := range map[int]bool{100: true, 112: false} { // 990,000 values and 28 MiB of text
		r := run(t, e, fmt.Sprintf("const r = await shop.rows(); return Array(%d).fill(r)", n))
		if ok && (r.Err != nil || r.Value.Len() != n) || !ok && (fail.KindOf(r.Err) != fail.Limit) {
			t.Errorf("%d times: %v", n, r.Err)
		}
	}
}

func TestHeldRows(t *testing.T) {
	g := gateOf(t, &shop{rows: rowsOf(150)}, exo.Limits{})
	e := evaluator(t, &shop{rows: rowsOf(150)}, exo.Limits{}, nil)
	for _, p := range heldPrograms {
		if here, there := told(run(t, testutil.InProcess(g), p)), told(run(t, e, p)); here != there {
			t.Errorf("%s\nin process: %.300s\nin a worker: %.300s", p, here, there)
		}
	}
}

// Rows with more than plain values in their cells are results, too.
func TestRowsOfLists(t *testing.T) {
	rows := &value.Rows{Shape: &value.Shape{Names: []string{"id", "tags"}}}
	for i := range 200 {
		rows.Cells = append(rows.Cells, value.Int(int64(i)), value.List(value.Text("a"), value.Null()))
	}
	evaluators := both(t, gateOf(t, &shop{rows: value.RowsValue(rows)}, exo.Limits{}))
	for _, p := range []string{"return shop.rows()", "const r = await shop.rows(); return [r, r[3].tags]"} {
		in, out := run(t, evaluators["in process"], p), run(t, evaluators["in a worker"], p)
		if here, there := told(in), told(out); here != there || in.Err != nil {
			t.Errorf("%s\nin process: %.300s\nin a worker: %.300s", p, here, there)
		}
	}
}
