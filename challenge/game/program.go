package game

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/exosql"
)

// program runs the player's program.
func (g *Game) program(ctx context.Context, a *Attempt, t *Target, by Player) error {
	return g.with(ctx, a, t, by, func(tool *codemode.Tool) {
		res := tool.Run(ctx, a.Input)
		g.security(a, res)
		a.Result, a.Notice, a.Console, a.Verdict = res.JSON, res.Notice, res.Console, verdictOf(res)
		a.Millis, a.Used = millis(res.Took), usedBy(res)
	})
}

// with calls play with a tool on the player's copy. If programs may write, the tool has a database for this attempt alone. Then with gives
// the key to a program that did what it may not.
func (g *Game) with(ctx context.Context, a *Attempt, t *Target, by Player, play func(*codemode.Tool)) (err error) {
	var db *exosql.DB
	var own *fresh
	if t.Fresh() {
		a.Engine = "sqlite"
		if own, err = g.Copies.fresh(ctx, t); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, own.Close()) }()
		db = own.DB
	} else {
		var release func()
		if db, release, err = g.Copies.Use(ctx, by.Copy, t, by.Key); err != nil {
			return err
		}
		defer release()
	}
	tool, err := g.tool(a, t.Grants(db), by.ID)
	if err != nil {
		return err
	}
	play(tool)
	if own == nil {
		return nil
	}
	// This runs also after an attempt that failed or was stopped, because what the attempt left counts.
	why, err := own.lost(context.WithoutCancel(ctx), a)
	if why != "" {
		a.Notice = strings.TrimSpace(prized(why, by.Key) + " " + a.Notice)
	}
	if t.Outside != "" {
		a.seal()
	}
	return err
}

// seal takes the values out of the statements. They may contain what the program can't read, which would look like a win.
func (a *Attempt) seal() {
	for i := range a.Queries {
		a.Queries[i].Args = json.RawMessage(`["…"]`)
	}
}

func usedBy(res *codemode.Result) Used { return Used{millis(res.Used.CPU), res.Used.Memory} }

// verdictOf returns what the player may read of a result, which is never the error that Err wraps.
func verdictOf(res *codemode.Result) Verdict {
	if res.Err == nil {
		return Verdict{Kind: "ok"}
	}
	at := fail.PosOf(res.Err)
	return Verdict{Kind: fail.KindOf(res.Err).String(), Message: fail.GuestText(res.Err), Line: at.Line, Column: at.Column, Text: at.Text}
}

// security logs events for the host: a process that did what no program can, an engine that failed, and our own failures.
func (g *Game) security(a *Attempt, res *codemode.Result) {
	if res.Err == nil || g.Log == nil {
		return
	}
	switch kind := fail.KindOf(res.Err); kind {
	case fail.Breach, fail.Crashed, fail.Internal:
		detail := ""
		var d *worker.Death
		if errors.As(res.Err, &d) {
			detail = d.Event.String()
		} else if cause := errors.Unwrap(res.Err); cause != nil {
			detail = fmt.Sprintf("%T", cause)
		}
		g.Log.Warn("attempt ended badly", "attempt", a.ID, "target", a.Target, "lane", a.Lane, "kind", kind.String(), "detail", detail)
	}
}

// record takes the statements from a run's events, up to the size that a record may have. Without that bound, the values of a hundred
// messages of 8 MB would take 800 MB until the run ends. The events of a run come one at a time, and none comes after the run.
func (a *Attempt) record(ev exo.Entry) error {
	for _, d := range ev.Details {
		q, ok := d.(exosql.Query)
		if !ok {
			continue
		}
		if !ev.Label.Secrecy().Empty() { // the number of rows and the time may depend on sealed values
			q.Rows, q.Took = 0, 0
		}
		a.Rows += q.Rows
		if len(a.Queries) == maxQueries {
			a.More++
			continue
		}
		args := q.Args
		if args == nil {
			args = []value.Value{}
		}
		b, err := json.Marshal(args)
		if err != nil {
			b = []byte("[]")
		}
		a.Queries = append(a.Queries, Query{SQL: q.SQL, Args: b, Rows: q.Rows, Millis: millis(q.Took)}.trim())
	}
	return nil
}
