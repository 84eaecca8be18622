package unit

// This file orders a unit with other transactions: it repeats all statements of the unit, and each answer must be the same.

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
)

// ordered calls f. If the unit can't be ordered with other transactions, it repeats all earlier statements, and then f.
func (u *Unit) ordered(ctx context.Context, f func() error) error {
	returned := false
	defer func() { u.broken = u.broken || !returned }()
	err := u.inOrder(ctx, f)
	returned = true
	return err
}

func (u *Unit) inOrder(ctx context.Context, f func() error) error {
	err := f()
	for tries := 1; errors.Is(err, engine.ErrSerial); tries++ {
		if tries == maxTries {
			err = conflict(err)
			u.lose(err)
			return err
		}
		if again := u.replay(ctx); again != nil {
			if errors.Is(again, engine.ErrSerial) {
				err = again
				continue
			}
			u.lose(again)
			return again
		}
		err = f()
	}
	return err
}

func conflict(err error) error {
	return &fail.Error{Kind: fail.Conflict, Msg: "other programs changed what this program has read; run the program again", Err: err}
}

// replay begins a new transaction, and repeats all statements that were answered. It gives up if sealed values were read, since a conflict
// would reveal whether they changed. A program could write a guess while another one runs, and learn from the conflict whether it was right.
func (u *Unit) replay(ctx context.Context) error {
	if slices.ContainsFunc(u.steps, func(s step) bool { return s.sealed }) {
		return conflict(errors.New("exosql: the run can't be repeated: it read values that its program may not see, and comparing these would reveal them"))
	}
	if err := u.w.Rollback(ctx); err != nil {
		return err
	}
	u.keeps = false
	if err := u.w.Begin(ctx); err != nil {
		return err
	}
	if u.capture != nil {
		if err := u.capture(ctx); err != nil {
			return err
		}
	}
	for _, s := range u.steps {
		out, n, err := u.once(ctx, &s, nil)
		if errors.Is(err, engine.ErrSerial) {
			return err
		}
		if s.failed != "" { // a program that caught an "is taken" error must not be kept if the value is free now
			if err == nil || u.programError(err) != s.failed {
				return conflict(errors.New("exosql: the run was repeated after a conflict with another transaction, and a call that had failed did not fail in the same way. The program may rely on that error"))
			}
			continue
		}
		if err != nil {
			return conflict(err)
		}
		if d, err := s.digest(out.Rows()); err != nil || d != s.answer || n != s.rows {
			return conflict(errors.New("exosql: the run was repeated after a conflict with another transaction, and a query got another answer than before"))
		}
	}
	return u.leave(ctx, u.mark)
}

// digest returns the digest of an answer, which is kept in place of the rows. An update returns its rows in any order, so the digests of its rows
// are sorted. If it changed more rows than the host keeps images of, it returned any of them: then only their number is compared.
func (s *step) digest(rows *value.Rows) (value.Digest, error) {
	if s.changes == nil || s.changes[0].Plan.Write.Update == nil {
		return value.RowsValue(rows).Digest()
	}
	if rows.Len() == 0 || int64(rows.Len()) < s.rows {
		return value.Digest{}, nil
	}
	all, in := make([]string, rows.Len()), rows.Reader()
	for i := range all {
		d, err := value.List(in.Cells(i)...).Digest()
		if err != nil {
			return d, err
		}
		all[i] = string(d[:])
	}
	slices.Sort(all)
	return sha256.Sum256([]byte(strings.Join(all, ""))), nil
}

// leave inserts the mark of a run, unless it is "".
func (u *Unit) leave(ctx context.Context, mark string) error {
	if mark == "" {
		return nil
	}
	if u.keeps {
		if err := u.w.KeepImages(ctx, mark, time.Now()); err != nil {
			return keptError(err)
		}
	}
	err := u.w.Witness(ctx, mark, time.Now())
	if errors.Is(err, engine.ErrSettled) {
		return &fail.Error{Kind: fail.Conflict, Msg: "the host asked for this program's outcome before it had ended, so its changes are not kept; run the program again", Err: err}
	}
	return err
}

// keptRows and keptBytes bound the changes of a run that can be undone.
const (
	keptRows  = 100_000
	keptBytes = 64 << 20
)

// keptError converts an error about images for an undo into the program's error.
func keptError(err error) error {
	switch {
	case errors.Is(err, engine.ErrTooManyImages):
		return &fail.Error{Kind: fail.Limit, Msg: "the program changed more rows than can be undone later, so nothing is kept; change fewer at once", Err: err}
	case errors.Is(err, engine.ErrNoImages):
		return &fail.Error{Kind: fail.Internal, Err: err}
	}
	return err
}
