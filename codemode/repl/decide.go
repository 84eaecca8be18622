package repl

// This file shows changes that wait for a person, and runs .changes, .approve and .reject. A program can't type commands, so it can't agree to its
// own change.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/exoagent/exoagent/codemode/repl/internal/screen"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/difference"
)

// prepared shows the change sets that began to wait since it was last called.
func (s *session) prepared(ctx context.Context, out io.Writer, scr screen.Screen) error {
	if s.app.Options.Review == nil {
		return nil
	}
	all, err := s.tool.Pending(ctx)
	for _, w := range all {
		if _, seen := s.shown[w.ID]; !seen {
			err = errors.Join(err, s.show(out, scr, w, false))
		}
	}
	return err
}

// show shows a change set, and notes that it was shown, since a person can approve only a shown change set.
func (s *session) show(out io.Writer, scr screen.Screen, w review.ChangeSet, all bool) error {
	v := difference.Of(w, s.tool.Admits(), all)
	if err := v.Write(out, difference.Screen{Color: scr.Color, Width: scr.Width(0)}); err != nil {
		return err
	}
	if s.shown == nil {
		s.shown = map[string]string{}
	}
	s.shown[w.ID] = w.Digest()
	if !s.decides {
		_, err := fmt.Fprintln(out, "nothing has changed: start this command without -e, and decide with .approve or .reject")
		return err
	}
	number := ""
	if v.Typed() != "" {
		number = " NUMBER"
	}
	_, err := fmt.Fprintf(out, "nothing has happened yet: .approve %s%s lets it happen, .reject %[1]s refuses it\n", short(w.ID), number)
	return err
}

// decide runs .changes, .approve and .reject.
func (s *session) decide(ctx context.Context, cmd, arg string, out io.Writer, scr screen.Screen) error {
	if s.app.Options.Review == nil {
		return noCommand(cmd)
	}
	if s.tx != nil {
		return errors.New("first end the transaction of .begin: .commit keeps its changes, .rollback undoes them")
	}
	all, err := s.tool.Pending(ctx)
	if err != nil {
		return err
	}
	if cmd == ".changes" && arg == "" {
		for _, w := range all {
			fmt.Fprintf(out, "%s  %s\n", short(w.ID), difference.Shown(w.Summary()))
		}
		return nil
	}
	id, rest, _ := strings.Cut(arg, " ")
	var w *review.ChangeSet
	for i := range all {
		if len(id) >= 6 && strings.HasPrefix(all[i].ID, strings.ToLower(id)) {
			w = &all[i]
		}
	}
	if w == nil {
		return fmt.Errorf("no waiting change set has an ID that begins with %q: give at least 6 characters of an ID that .changes lists", difference.Shown(id))
	}
	by, err := difference.Operator()
	switch {
	case err != nil:
		return err
	case cmd == ".changes":
		return s.show(out, scr, *w, strings.TrimSpace(rest) == "-all")
	case cmd == ".reject":
		if err = s.tool.Reject(ctx, w.ID, strings.TrimSpace(rest), by); err == nil {
			fmt.Fprintln(out, "refused: nothing of it happens")
		}
		return err
	case s.shown[w.ID] != w.Digest():
		return s.show(out, scr, *w, false)
	}
	v := difference.Of(*w, s.tool.Admits(), false)
	if v.Typed() != "" && strings.TrimSpace(rest) != v.Typed() {
		return fmt.Errorf("to agree to so many changes, type their number too: .approve %s NUMBER", short(w.ID))
	}
	s.forget()
	res, err := s.tool.Apply(ctx, w.ID, s.shown[w.ID], by)
	s.forget()
	if err != nil {
		return err
	}
	if res.Err != nil {
		return errors.New(difference.Outcome(res.Err, value.NewLabel(w.Label...).Secrecy().FlowsTo(s.tool.Admits())))
	}
	_, err = fmt.Fprintf(out, "applied: %s\n", v.Summary)
	return err
}

// short returns the beginning of an ID, which is enough to type.
func short(id string) string { return id[:min(len(id), 8)] }
