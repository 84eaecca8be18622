// Package recorddiff compares what two grant files decide about the messages of a record: which messages one of them refuses, which statements get
// another scope, and which labels are read. It runs no program again, because a program may continue in another way after a refusal.
//
// Its input is the entries of a record, and two declared files: the file of the runs, and its successor. Its output is a Report. No message acts.
// Compare sends each message to a gate of each file. The last policy of a gate refuses everything, so a message that reaches this policy would
// have acted. With Options.Counts, that policy also runs the messages that only read, to count rows.
package recorddiff

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/printable"
)

// Options are the options of Compare.
type Options struct {
	Want   func(at time.Time, s *exo.Start) bool // Want chooses runs by how they began; nil means all. An erased run has no Start
	Counts bool                                  // Counts runs messages that only read on both files, and compares the numbers of rows
}

// Report has what Compare found.
type Report struct {
	Runs, Messages int
	Left           map[string]int // the number of messages that were not compared, by reason
	Changes        []*Change
}

// Change has the differences of all messages of one shape.
type Change struct {
	Shape string // the granted name, the calls and the table
	Runs  int
	First exo.RunID
	What  []string // the first differences, each once, in the order in which they were found; only a few, because refusals repeat programs' names, so there may be very many
	last  exo.RunID
}

// ErrEncrypted is the error of Compare for a record that was read without its decryption key.
var ErrEncrypted = errors.New("the messages of the record are encrypted")

// Compare sends the messages of each run, for its principal, to the gates of both files.
func Compare(ctx context.Context, entries iter.Seq2[record.Logged, error], before, after *grantfile.Declared, opt Options) (*Report, error) {
	c := &comparison{Report: &Report{Left: map[string]int{}}, shapes: map[string]*Change{}, old: &side{d: before, counts: opt.Counts}, now: &side{d: after, counts: opt.Counts}}
	for _, x := range grantfile.Diff(before.File, after.File) {
		if x.Kind == "changed" && (x.What == "rows" || strings.HasPrefix(x.Of, "grant ")) {
			c.scopes = append(c.scopes, x)
		}
	}
	open := map[exo.RunID]*run{}
	for x, err := range entries {
		if errors.Is(err, record.ErrTorn) { // a process is still writing the last line
			break
		}
		r := open[x.RunID]
		switch err = cmp.Or(err, ctx.Err()); {
		case err != nil:
			return nil, err
		case x.RunID == (exo.RunID{}): // the entry is about the log itself
		case x.Step == exo.Begun && x.Closed != nil && !errors.Is(x.Closed, tree.ErrErased):
			return nil, ErrEncrypted
		case x.Step == exo.Begun:
			if opt.Want == nil || opt.Want(x.At, x.Start) {
				open[x.RunID] = &run{id: x.RunID, start: x.Start}
			}
		case r != nil && (x.Step == exo.Intent || x.Step == exo.Refused):
			r.calls = append(r.calls, x.Entry)
		case r != nil && x.Step == exo.Ended:
			delete(open, x.RunID)
			c.run(ctx, r)
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(open), func(a, b exo.RunID) int { return bytes.Compare(a[:], b[:]) }) {
		c.run(ctx, open[id])
	}
	return c.Report, ctx.Err()
}

// run has the record's entries of one run.
type run struct {
	id    exo.RunID
	start *exo.Start // how the run began; nil if that entry was erased
	calls []exo.Entry
}

// comparison is the state of a Compare.
type comparison struct {
	*Report
	old, now *side
	shapes   map[string]*Change
	scopes   []grantfile.Change // facets and grants with rows that the files describe differently
}

// found notes a difference.
func (c *comparison) found(r *run, shape, what string) {
	x := c.shapes[shape]
	if x == nil {
		x = &Change{Shape: shape, First: r.id}
		c.shapes[shape], c.Changes = x, append(c.Changes, x)
	}
	if x.last != r.id {
		x.last = r.id
		x.Runs++
	}
	if len(x.What) < 6 && !slices.Contains(x.What, what) {
		x.What = append(x.What, what)
	}
}

func (c *comparison) run(ctx context.Context, r *run) {
	if r.start == nil {
		c.Left["runs were erased"]++
		return
	}
	old, was, err := c.old.begin(ctx, r.start)
	if err != nil {
		c.Left["runs have a principal that the old file does not serve: "+grantfile.Reason(err)]++
		return
	}
	defer func() { _ = was.Finish(ctx, value.Null(), errCompared) }()
	if old.granted != r.start.Granted {
		c.Left["runs began under other grants than the old file has with this database: digest "+r.start.Granted.String()]++
		return
	}
	c.Runs++
	c.Messages += len(r.calls)
	now, is, err := c.now.begin(ctx, r.start)
	if err != nil {
		c.found(r, "all programs of some principals", "refused now: "+grantfile.Reason(err))
		return
	}
	defer func() { _ = is.Finish(ctx, value.Null(), errCompared) }()
	whole, constants := true, map[value.Digest][]byte{}
	for i := range r.calls {
		x, ok := exprOf(&r.calls[i], constants)
		why, a, b := "", decision{}, decision{}
		if !ok {
			why = "the record does not have them whole, or has them in the form of another version of exo"
		} else {
			if a = old.ask(ctx, was, uint64(i+1), x); a.beyond != (r.calls[i].Step == exo.Refused) && !a.sealed {
				why = "the old file decides otherwise than the record says, by the database's catalogue of today, or by what else happened in the run"
			}
			if y, missing := renamed(x, old, now); missing == "" {
				b = now.ask(ctx, is, uint64(i+1), y)
			} else {
				b.refused = "`" + missing + "` is not granted"
			}
		}
		if why != "" {
			c.Left["messages: "+why]++
			whole = false
			continue
		}
		shape := old.shape(x)
		for _, what := range c.compare(shape, &a, &b) {
			c.found(r, shape, what)
		}
	}
	if then, today := was.Release(), is.Release(); whole && (then == nil) != (today == nil) {
		text := map[bool]string{true: "withheld now", false: "no more withheld"}[then == nil]
		c.found(r, "results", fmt.Sprintf("%s: the program has read %s; then %s", text, is.Label(), was.Label()))
	}
}

// compare returns how the new file's decision on a message differs from the old file's.
func (c *comparison) compare(shape string, a, b *decision) (all []string) {
	add := func(differs bool, format string, args ...any) {
		if differs {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	add(a.refused == "" && b.refused != "", "refused now: %s", b.refused)
	add(a.refused != "" && b.refused == "", "allowed now; refused then: %s", a.refused)
	if a.refused != "" || b.refused != "" {
		return all
	}
	other := a.sql != b.sql
	for _, s := range c.scopes {
		grant, is := strings.CutPrefix(s.Of, "grant ")
		table, _, _ := strings.Cut(strings.TrimPrefix(s.How, "of "), ":")
		in := strings.Contains(a.sql+b.sql, `"`+table[strings.LastIndexByte(table, '.')+1:]+`"`)
		if is {
			in = strings.HasPrefix(shape, grant+".")
		}
		add(other && in, "another scope: the %s: %s; then %s", s.Of, s.How, s.Was)
	}
	add(!slices.Equal(a.shows, b.shows), "another row: it has %s; then %s", strings.Join(b.shows, ", "), strings.Join(a.shows, ", "))
	leave := map[bool]string{true: "may leave", false: "may not leave"}
	add(!a.reads.Equal(b.reads) || a.leaves != b.leaves, "labels: it reads %s, which %s by the result; then %s, which %s", b.reads, leave[b.leaves], a.reads, leave[a.leaves])
	add(a.count != b.count, "another count: %s now, %s then", b.count, a.count)
	add(other && len(all) == 0, "another statement: %s; then %s", b.sql, a.sql)
	return all
}

// Write writes the report for a person: the differences, and what was not compared. A program's text can't look like a line of the report.
func (r *Report) Write(w io.Writer) (err error) {
	line := func(format string, args ...any) {
		_, bad := fmt.Fprintln(w, printable.Cut(printable.OneLine(fmt.Sprintf(format, args...)), 600))
		err = errors.Join(err, bad)
	}
	for _, c := range r.Changes {
		line("%s: %d runs, first %s", c.Shape, c.Runs, c.First)
		for _, what := range c.What {
			line("  %s", what)
		}
	}
	line("%d messages of %d runs compared: %d shapes differ", r.Messages, r.Runs, len(r.Changes))
	for _, why := range slices.Sorted(maps.Keys(r.Left)) {
		line("not compared: %d %s", r.Left[why], why)
	}
	return err
}

// exprOf restores the message of an entry. The argument constants has the large constants of the entry's run.
func exprOf(e *exo.Entry, constants map[value.Digest][]byte) (x message.Expr, ok bool) {
	x, err := message.DecodeExpr(string(e.Message), 1<<20) // the gates apply their own limits later
	for _, k := range e.Constants {
		if k.Value != nil {
			constants[k.Digest] = k.Value
		}
		if err != nil || k.Node < 0 || k.Node >= len(x.Nodes) {
			return x, false
		}
		b := constants[k.Digest]
		x.Nodes[k.Node].Lit, err = value.DecodeValue(string(b), len(b))
	}
	return x, err == nil && len(x.Nodes) > 0
}
