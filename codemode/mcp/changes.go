package mcp

// This file shows the user of a client what waits for a person's agreement, on the page of apps.go.

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/internal/difference"
)

// changesMeta is the key of a result's _meta that has the pending change set. Clients give _meta to the page, and not to the model.
const changesMeta = "exo/changes"

// pending is a change set as the page shows it. Having a pending permits nothing: a person decides only on the page at Link, or at a terminal.
type pending struct {
	ID       string               `json:"id"`
	Link     string               `json:"link,omitempty"`
	Until    time.Time            `json:"until"`
	Summary  string               `json:"summary"`
	Groups   []difference.Group   `json:"groups,omitempty"`
	Messages []difference.Message `json:"messages,omitempty"`
}

// pendingOf returns the change set that a run has left for a person. It returns nil if there is none, or if the change set can't be read.
func pendingOf(ctx context.Context, t *codemode.Tool, res *codemode.Result) *pending {
	if fail.KindOf(res.Err) != fail.Pending {
		return nil
	}
	w, link, err := t.Waiting(ctx, res)
	if err != nil {
		slog.Error("a change set that waits for a person can't be shown to its client", "reason", fail.Reason(err))
		return nil
	}
	// A run that read what the model may not read has ended as denied, and left no change set. In the change set the client sees
	// only values with labels that it was also shown for the result.
	v := difference.Of(ownPart(w), t.Shown(res), false)
	return &pending{ID: v.ID, Link: link, Until: v.Until, Summary: v.Summary, Groups: v.Groups, Messages: v.Messages}
}

// ownPart removes what a person may be shown and the program may not read: keys, columns without a facet, and what
// triggers and cascades do. A client gives all that it gets to the program's author.
func ownPart(w review.ChangeSet) review.ChangeSet {
	parts := w.Set.Parts
	w.Set.Parts = nil
	for _, p := range parts {
		own := changeset.Part{}
		for _, r := range p.Rows {
			if !slices.ContainsFunc(r.Cells, func(c changeset.Cell) bool { return c.Changed() || len(c.Label) > 0 }) {
				continue // the program may read no column that changes in this row
			}
			r.Key, r.Other = "", false
			own.Rows = append(own.Rows, r)
		}
		w.Set.Parts = append(w.Set.Parts, own)
	}
	return w
}
