package game

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/exoagent/exoagent/challenge/control"
	"github.com/exoagent/exoagent/exo/fail"
)

// control runs the player's SQL. Both control lanes run it on an SQLite database in memory, even if the host uses PostgreSQL: see
// package control.
func (g *Game) control(ctx context.Context, a *Attempt, t *Target, by Player) error {
	a.Engine = "sqlite"
	if a.Lane == Filter {
		if why := t.Naive.Refuses(a.Input); why != "" {
			a.Verdict = Verdict{Kind: "refused", Message: why}
			return nil
		}
	}
	job := control.Job{Fill: []control.Statement{{SQL: t.Schema}}, SQL: a.Input, Foreign: t.Foreign}
	for _, s := range t.Seed(string(by.Key)) {
		job.Fill = append(job.Fill, control.Statement{SQL: s.SQL, Args: s.Args})
	}
	begin := time.Now()
	res, err := control.Run(ctx, job)
	if errors.Is(err, control.ErrBreach) {
		if g.Log != nil {
			g.Log.Warn("attempt ended badly", "attempt", a.ID, "target", a.Target, "lane", a.Lane, "kind", fail.Breach.String())
		}
		a.Verdict = Verdict{Kind: fail.Breach.String(), Message: "the host ended the statement, which tried what no statement may do"}
		return nil
	}
	if err != nil {
		return err
	}
	a.Millis = millis(time.Since(begin))
	a.Queries, a.Rows = []Query{{SQL: a.Input, Args: []byte("[]"), Rows: res.Count, Millis: a.Millis}}, res.Count
	a.Result, a.Verdict = res.Rows, Verdict{Kind: "ok"}
	if res.Changed {
		a.Notice = prized(changedRow, by.Key)
	}
	switch {
	case res.Limit:
		a.Verdict = Verdict{Kind: fail.Limit.String(), Message: res.Err}
	case res.Err != "":
		a.Verdict = Verdict{Kind: fail.Invalid.String(), Message: res.Err}
	case res.Cut && !res.Changed:
		a.Notice = fmt.Sprintf("There are more rows than these %d.", res.Count)
	}
	return nil
}
