package recordcmd

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/grantfile/identity"
	"github.com/exoagent/exoagent/internal/printable"
)

// This file shows a record to a person: its last runs, or one run from its beginning to its end. Unlike init, verify and others, it can also
// read a record in a file. It shows each text of a program on one line, so that no program can forge a line of this output.

// entries reads a record in a file, a folder or a database. In a folder or a database, the encrypted part needs an identity, and signatures are
// checked if o.signed is set.
func (o *flags) entries(path string) (iter.Seq2[record.Logged, error], error) {
	with, err := o.opener()
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); database(path) || err == nil && info.IsDir() {
		from, err := source(path)
		if o.signed && err == nil {
			return record.ReadEntries(tree.Signed(from, tree.PublicKey(o.key)), with), nil
		}
		return record.ReadLog(from, with), err
	} else if err != nil {
		return nil, err
	}
	if with != nil {
		return nil, cli.Usagef("leave out -identity: the record %s is a file, in which nothing is encrypted", path)
	}
	return func(yield func(record.Logged, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(record.Logged{}, err)
			return
		}
		defer f.Close()
		for e, err := range record.Read(f) {
			if !yield(record.Logged{Entry: e}, err) || err != nil {
				return
			}
		}
	}, nil
}

// Log is a record that another command reads. It has the record's place and the flags of tail.
type Log struct {
	Place string
	flags
}

// Flags declares -record, and those flags of tail that choose runs by their beginning.
func (l *Log) Flags(fs *flag.FlagSet, usage0 string) {
	fs.StringVar(&l.Place, "record", "", usage0)
	l.Identity(fs)
	fs.StringVar(&l.since, "since", "", usage["since"])
	fs.StringVar(&l.principal, "principal", "", usage["principal"])
}

// Identity declares only -identity.
func (l *Log) Identity(fs *flag.FlagSet) {
	fs.StringVar(&l.identity, "identity", "", usage["identity"])
}

// Read returns the entries of the record, and a function that reports whether the flags choose a run.
func (l *Log) Read() (all iter.Seq2[record.Logged, error], wanted func(begun time.Time, s *exo.Start) bool, err error) {
	since, err := l.from()
	if err == nil {
		all, err = l.entries(l.Place)
	}
	return all, func(begun time.Time, s *exo.Start) bool {
		return !begun.Before(since) && (s == nil || l.is(s.Principal))
	}, err
}

// from returns the time that -since means.
func (o *flags) from() (since time.Time, err error) {
	if o.since != "" {
		if since, err = time.Parse(time.DateOnly, o.since); err != nil {
			err = cli.Usagef("-since: want a day like 2026-01-31, not %q", o.since)
		}
	}
	return since, err
}

// is reports whether -principal names p: by the whole name, or by all claims, which follow the token's subject and issuer in the name.
func (o *flags) is(p exo.Principal) bool {
	who, _ := identity.Parse(p)
	return o.principal == "" || string(p) == o.principal || string(identity.Identity{Claims: who.Claims}.Name()) == o.principal
}

// opener reads the identity. It returns nil if none was given.
func (o *flags) opener() (*tree.Opener, error) {
	if o.identity == "" {
		return nil, nil
	}
	f, err := os.Open(o.identity)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	with, err := tree.NewOpener(f)
	if err != nil {
		err = fmt.Errorf("-identity %s: want a file with an age identity, which begins with AGE-SECRET-KEY-1: %w", o.identity, err)
	}
	return with, err
}

// Unsettled returns the runs of a record that have no end. The place is a file, a folder, or a database as env:NAME.
func Unsettled(place string) ([]record.UnsettledRun, error) {
	if info, err := os.Stat(place); err == nil && !info.IsDir() {
		f, err := os.Open(place)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return record.Unsettled(f)
	}
	from, err := source(place)
	if err != nil {
		return nil, err
	}
	return record.UnsettledIn(from)
}

// summary has the facts about a run that tail shows.
type summary struct {
	id        exo.RunID
	principal string
	begun     time.Time
	last      exo.Entry
	messages  uint64
	changed   exo.State // the state of the last message that could change something, or of the commit
	label     value.Label
	ops       map[string]bool
	effects   map[string]bool // the calls that had an effect, as object.method
	trace     trace           // the trace of the row of -row in the table of -table
	failed    bool
}

func (s *summary) add(x record.Logged, table string) {
	s.last, s.messages, s.label = x.Entry, max(s.messages, x.Call), s.label.Join(x.Label)
	if x.Step == exo.Begun {
		if s.id, s.begun, s.principal = x.RunID, x.At, "(encrypted)"; x.Start != nil {
			s.principal = string(x.Start.Principal)
		} else if errors.Is(x.Closed, tree.ErrErased) {
			s.principal = "(erased)"
		}
	}
	if x.State != exo.NoState && x.Effect != message.NoEffect || x.Step == exo.Committed {
		s.changed = x.State
	}
	object, rest, _ := strings.Cut(x.Op, ".")
	if s.ops[object] = true; x.Effect != message.NoEffect {
		s.effects[object+"."+rest[strings.LastIndexByte(rest, '.')+1:]] = true
	}
	for _, d := range x.Details {
		if text, is := d.(json.RawMessage); is && table != "" {
			s.trace.add(text, table, "")
		}
	}
	s.failed = s.failed || x.Step == exo.Ended && x.Err != nil
}

// wanted reports whether the filters select a run.
func (o *flags) wanted(s *summary, since time.Time) bool {
	return !s.begun.Before(since) && o.is(exo.Principal(s.principal)) && (o.object == "" || s.ops[o.object]) && (o.effect == "" || s.effects[o.effect]) &&
		(o.table == "" || s.trace.table || s.trace.wanted) &&
		(o.label == "" || s.label.About().HasExactly(o.label)) && (!o.failed || s.failed) && (!o.changed || s.changed != exo.NoState)
}

func tail(_ context.Context, o *flags, std cli.Stdio, args []string) error {
	if o.n < 1 {
		return cli.Usagef("-n: want a number of at least 1, not %d", o.n)
	}
	since, err := o.from()
	if err != nil {
		return err
	}
	all, err := o.entries(args[0])
	if err != nil {
		return err
	}
	var done, open []string // the lines of ended runs, in the order of their ends, and the lines of other runs
	runs, order := map[exo.RunID]*summary{}, []exo.RunID(nil)
	for x, err := range all {
		if err != nil && !errors.Is(err, record.ErrTorn) { // ErrTorn is no failure: a process is writing the last line
			return err
		}
		if err != nil || x.RunID == (exo.RunID{}) {
			continue
		}
		s := runs[x.RunID]
		if s == nil {
			s = &summary{ops: map[string]bool{}, effects: map[string]bool{}}
			runs[x.RunID], order = s, append(order, x.RunID)
		}
		if s.add(x, o.table); x.Step != exo.Ended {
			continue
		}
		if delete(runs, x.RunID); o.wanted(s, since) {
			done = append(done, s.line())
		}
		if len(done) > 2*o.n { // drop old lines, since a record may have any number of runs
			done = append(done[:0], done[len(done)-o.n:]...)
		}
		if len(order) > 2*len(runs)+1000 {
			order = slices.DeleteFunc(order, func(id exo.RunID) bool { return runs[id] == nil })
		}
	}
	for _, id := range order {
		if s := runs[id]; s != nil && o.wanted(s, since) {
			open = append(open, s.line())
		}
	}
	lines := append(done, open...)
	for _, l := range lines[max(0, len(lines)-o.n):] {
		fmt.Fprintln(std.Out, l)
	}
	return nil
}

func (s *summary) line() string {
	end := "has not ended"
	if s.last.Step == exo.Ended {
		if end = "done"; s.failed {
			end = "failed"
		}
		end += " in " + s.last.At.Sub(s.begun).Round(time.Millisecond).String()
	}
	line := fmt.Sprintf("%s  %s  %s  %d messages  %s", s.begun.UTC().Format(time.DateTime), s.id, printable.OneLine(s.principal), s.messages, end)
	if s.changed != exo.NoState {
		line += "  changes: " + s.changed.String()
	}
	return line
}

func show(_ context.Context, o *flags, std cli.Stdio, args []string) error {
	id, err := exo.ParseRunID(args[1])
	if err != nil {
		return cli.Usagef("%w", err)
	}
	all, err := o.entries(args[0])
	if err != nil {
		return err
	}
	var begun time.Time
	closed := error(nil)
	for x, err := range all {
		if err != nil && !errors.Is(err, record.ErrTorn) {
			return err
		}
		if err != nil || x.RunID != id {
			continue
		}
		if begun.IsZero() {
			begun = x.At
			fmt.Fprintf(std.Out, "run %s, %s\n", id, begun.UTC().Format(time.RFC3339))
		}
		closed = errors.Join(closed, x.Closed)
		showEntry(std.Out, x.Entry, begun)
	}
	switch {
	case begun.IsZero():
		return fmt.Errorf("the record has no run %s: exo record tail lists its runs", id) // the place is left out, since it may be a URL with a password
	case errors.Is(closed, tree.ErrErased):
		fmt.Fprintln(std.Out, "what the run wrote was erased")
	case closed != nil:
		fmt.Fprintln(std.Out, "what programs and persons wrote is encrypted: add -identity FILE to read it")
	}
	return nil
}

func export(_ context.Context, o *flags, std cli.Stdio, args []string) error {
	all, err := o.entries(args[0])
	if err != nil {
		return err
	}
	for x, err := range all {
		if errors.Is(err, record.ErrTorn) { // no failure: a process is writing the last line
			break
		}
		var line []byte
		if err == nil {
			line, err = x.AppendJSON(nil)
		}
		if _, err2 := std.Out.Write(line); err != nil || err2 != nil {
			return errors.Join(err, err2)
		}
	}
	return nil
}

// most is how many bytes of a text one line shows.
const most = 300

func showEntry(w io.Writer, e exo.Entry, begun time.Time) {
	line := fmt.Sprintf("%8.1f ms  %-10s", float64(e.At.Sub(begun).Microseconds())/1000, e.Step)
	add := func(format string, args ...any) {
		line += "  " + printable.Cut(printable.OneLine(fmt.Sprintf(format, args...)), most)
	}
	if e.Call > 0 {
		add("#%d %s", e.Call, e.Op)
	}
	if e.Effect != message.NoEffect {
		add("effect: %s", e.Effect)
	}
	if e.State != exo.NoState {
		add("%s", e.State)
	}
	if e.Step == exo.Outcome && e.Err == nil {
		add("%d rows in %s", e.Rows, e.Took.Round(10*time.Microsecond))
	}
	if !e.Label.Empty() {
		add("label: %s", e.Label)
	}
	if e.Err != nil {
		add("error: %v", e.Err)
	}
	fmt.Fprintln(w, strings.TrimRight(line, " "))
	under := func(format string, args ...any) {
		fmt.Fprintf(w, "%13s%s\n", "", printable.Cut(printable.OneLine(fmt.Sprintf(format, args...)), most))
	}
	if s := e.Start; s != nil {
		under("principal: %s", s.Principal)
		if s.Module != "" || s.Encoding != 0 {
			under("exoagent %s, encoding %d", s.Module, s.Encoding)
		}
		for l := range strings.Lines(s.Program) {
			under("| %s", strings.TrimRight(l, "\r\n"))
		}
	}
	for _, d := range e.Details {
		text, _ := json.Marshal(d)
		under("%s", text)
	}
}
