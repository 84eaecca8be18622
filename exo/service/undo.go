package service

// This file has the methods with which a model may undo what its own conversation has done.

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
)

// OwnRun is a run of a conversation, in the form that the model reads.
type OwnRun struct {
	Run string // the ID of the run (exo.RunID)
	At  time.Time
}

// Undo makes the methods runs and undo of a service for one conversation; grant it to no other. own returns the runs of that conversation and its
// user that may be undone. The host must list every run, even one without changes: otherwise the list would reveal what a program with secrets did.
// undo undoes one of these runs completely or not at all (record.Undoing, and DB.Undo of exosql). If nothing was undone, its error is from [Refuse].
//
// A person must agree to each undo, whatever the rules of the tables are, since an undo also writes columns that no facet shows.
func Undo(own func(ctx context.Context) ([]OwnRun, error), undo func(ctx context.Context, run exo.RunID) error, who changeset.Who) []Operation {
	if own == nil || undo == nil {
		op := Read("undo", "", func(context.Context, None) (None, error) { return None{}, nil })
		op.misuse = errors.New("Undo needs two functions: one for the runs of the conversation, and one that undoes a run")
		return []Operation{op}
	}
	type of struct{ Run string }
	find := func(ctx context.Context, in any) (run exo.RunID, err error) {
		list, err := own(ctx)
		if err != nil {
			return run, err
		}
		id := in.(*of).Run
		if run, err = exo.ParseRunID(id); err != nil || !slices.ContainsFunc(list, func(r OwnRun) bool { return r.Run == run.String() }) {
			return run, Refuse("this conversation has no such run: runs() lists those that it may undo")
		}
		return run, nil
	}
	return []Operation{
		Read("runs", "lists the runs of this conversation that it may undo, the oldest first", func(ctx context.Context, _ None) ([]OwnRun, error) { return own(ctx) }),
		ReadOf("undo", "takes back all that one of these runs has changed, or nothing if somebody has changed it since", reflect.TypeFor[of](), reflect.TypeFor[None](),
			func(in any) error { _, err := find(context.Background(), in); return err },
			func(ctx context.Context, in any) (any, error) {
				run, err := find(ctx, in)
				if err == nil {
					err = undo(ctx, run)
				}
				return &None{}, err
			}).Held().Approve(who),
	}
}
