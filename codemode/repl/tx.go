package repl

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/printable"
)

// transaction runs .begin, .commit and .rollback.
func (s *session) transaction(ctx context.Context, cmd string, out io.Writer) (err error) {
	if cmd == ".begin" {
		if s.tool.ReadOnly() {
			return errors.New("programs can't change anything here, so there is nothing to try with .begin")
		}
		if s.tx != nil {
			return errors.New("a transaction of .begin is open already; .commit keeps its changes, .rollback undoes them")
		}
		if s.tx, err = s.db.Begin(ctx); err == nil {
			fmt.Fprintln(out, "what programs change from here on is kept only by .commit, and undone by .rollback or at the end; until then other users of the database may have to wait")
		}
		return err
	}
	if s.tx == nil {
		return fmt.Errorf("there is no open transaction: type .begin first; %s ends it", cmd)
	}
	end, said := s.tx.Rollback, "undone: the database is as it was at .begin"
	if cmd == ".commit" {
		end, said = s.tx.Commit, "kept"
	}
	s.tx = nil
	if err = end(ctx); err != nil && cmd == ".commit" && errors.Is(err, exo.ErrNothingDone) {
		return fmt.Errorf("nothing was kept: %w", err)
	}
	if err == nil {
		fmt.Fprintln(out, said)
	}
	return err
}

// in returns the context for programs: the context of the transaction in which programs are only tried, or ctx without such a transaction.
func (s *session) in(ctx context.Context) context.Context {
	if s.tx == nil {
		return ctx
	}
	return s.tx.Context(ctx)
}

// leave undoes changes that were neither committed nor rolled back.
func (s *session) leave(ctx context.Context, out io.Writer) {
	if s.tx != nil {
		_ = s.tx.Rollback(ctx)
		s.tx = nil
		fmt.Fprintln(out, "what was changed since .begin is undone")
	}
}

// tried refuses entries about effects beyond the transaction in which programs are tried: effects
// outside the database, and changes in another store, which does not report them.
func (s *session) tried(e exo.Entry) error {
	if s.tx == nil {
		return nil
	}
	outside := e.Effect == message.Held || e.Effect == message.Immediate
	if e.Step == exo.Intent && outside {
		return fmt.Errorf("%s would act outside the database, where .rollback can't undo it: end the transaction of .begin first", printable.OneLine(e.Op))
	}
	if e.Step == exo.Committing && e.Prepared != nil {
		known := 0
		for _, d := range e.Details {
			if _, ok := d.(exosql.Changes); ok {
				known++
			}
		}
		if e.Prepared.Changed > known {
			return errors.New("the program would change another database, where .rollback can't undo it: end the transaction of .begin first")
		}
	}
	return nil
}

// now returns the words that follow a number of changes, like ", not kept"; "" if changes are kept.
func (s *session) now() string {
	switch {
	case s.preview:
		return ", not kept"
	case s.tx != nil:
		return ", not kept yet"
	}
	return ""
}
