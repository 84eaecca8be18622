package codemode_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/internal/corpus/withheld"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// surfaces are what is read of a run, or depends on what it left behind. One to come is one entry more; codemode/agent, codemode/mcp and
// codemode/repl have tests of the same form for theirs.
var surfaces = map[string]struct {
	observe func(t *testing.T, w *withheld.World, program string) string
	only    []string // programs; nil: all
	tells   []string // of these it tells where the secret may be told: the twin
}{
	"what a model reads": {func(t *testing.T, w *withheld.World, program string) string {
		out, _ := w.Tool(t).CallJob(t.Context(), codemode.Job{}, input(program))
		return string(out)
	}, nil, []string{"throws at another line", "fills the console", "returns much", "meets a limit", "holds an effect"}},
	"the fields of a result": {func(t *testing.T, w *withheld.World, program string) string {
		r := w.Tool(t).Run(t.Context(), "await words.insert({ word: 'x' });"+program)
		return fmt.Sprint(r.Value, string(r.JSON), r.Notice, r.Cut, r.Console, r.Err, fail.PosOf(r.Err), r.Label, r.Causes, r.Effects, r.EffectsNote(), r.Changed())
	}, nil, []string{"asks for another secret", "opens sealed values", "holds an effect"}},
	"the console": {func(t *testing.T, w *withheld.World, program string) string {
		w.Tool(t).Run(t.Context(), "console.log('begins');"+program)
		return strings.Join(w.Lines, "\n")
	}, nil, []string{"logs", "fills the console"}},
	"what the next program is refused by": {next,
		nil, []string{"chooses sealed values to return", "throws in place of a result", "asks for a label", "opens what outsiders wrote"}},
	"the same, after one in a process of its own": {func(t *testing.T, w *withheld.World, program string) string {
		w.Options.Evaluator = worker.Shared()
		return next(t, w, program)
	}, []string{"chooses sealed values to return", "throws in place of a result", "meets a limit"}, []string{"chooses sealed values to return", "throws in place of a result"}},
	"what programs share": {func(t *testing.T, w *withheld.World, program string) string {
		tool := w.Tool(t)
		tool.Run(t.Context(), program)
		r := tool.Run(t.Context(), "let n = 0; try { for (;;) { await board.ask({ text: 'x' }); n++ } } catch {} return n")
		left, err := w.Options.Bits.Take("ann", time.Now(), 1)
		var waiting []string
		for _, q := range w.Approvals.Waiting() {
			waiting = append(waiting, q.Text)
		}
		return fmt.Sprint(string(r.JSON), r.Err, left, err, waiting, w.Posted)
	}, nil, []string{"asks a person", "uses up bits of a declassifier", "uses what programs share", "holds an effect"}},
}

// input is what a model calls a tool with.
func input(program string) json.RawMessage {
	b, _ := json.Marshal(map[string]string{"code": program})
	return b
}

// next is what the program after it begins with, and is told when it asks for something that admits nothing.
func next(t *testing.T, w *withheld.World, program string) string {
	tool := w.Tool(t)
	shown := tool.Shown(tool.Run(t.Context(), program))
	r := tool.RunJob(t.Context(), codemode.Job{Program: "await board.post({ text: 'hello' }); return 'posted'", Label: shown})
	return fmt.Sprint(shown, string(r.JSON), r.Err)
}

// TestWithheldTellsNothing: a program has read a secret that its result may not carry, and does something by one bit of it. Whatever is read of that
// run, or of a later one, is the same for either bit.
func TestWithheldTellsNothing(t *testing.T) {
	for name, s := range surfaces {
		t.Run(name, func(t *testing.T) {
			told := withheld.Pairs(t, tu.SQLite, s.observe, s.only...)
			for _, program := range s.tells {
				if !slices.Contains(told, program) {
					t.Errorf("where the secret may be told, it is not seen that a program %s; only of %q", program, told)
				}
			}
		})
	}
}

// TestWithheldKeepsNothing: a number that a database gives out is not given back when a run is undone. Of what a withheld run adds nothing is left.
func TestWithheldKeepsNothing(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		told := withheld.Pairs(t, e, func(t *testing.T, w *withheld.World, program string) string {
			tool := w.Tool(t)
			tool.Run(t.Context(), program)
			r := tool.Run(t.Context(), "return await words.insert({ word: 'x' })")
			return fmt.Sprint(string(r.JSON), r.Err)
		}, "adds rows", "changes a labelled column")
		if e.Name == tu.Postgres.Name && !slices.Contains(told, "adds rows") { // the twin
			t.Errorf("only these show: %q", told)
		}
	})
}
