package recordcmd

// This file finds the runs that must be erased, from their entries, and erases them.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/cli"
)

// trace has what the entries of a run reveal about a row.
type trace struct {
	wanted, ended bool // wanted: another filter than -row chooses the run, or the record shows that the run concerns the row
	table         bool // a statement of the run contains the table's name
	unsure        bool // a cascade or a trigger changed rows, or a call was interrupted, so that the record has no statement
	key           bool // the row's key is among the values of a statement or the keys of changed rows, or may be in an omitted part
}

// add notes what a database's detail reveals: an exosql.Query, exosql.Changes, or a note that replaces one of them.
func (t *trace) add(text json.RawMessage, table, key string) {
	var d struct {
		SQL, Args json.RawMessage
		Note      string
		Changes   []struct {
			Table string
			Key   json.RawMessage
		}
		Effects []json.RawMessage
	}
	if json.Unmarshal(text, &d) != nil {
		return // the detail is from another object, which has no rows
	}
	var sql string
	if len(d.SQL) > 0 && json.Unmarshal(d.SQL, &sql) != nil || d.Note != "" {
		t.wanted = true // the record leaves out this large statement, which may name any table
	}
	t.table, t.unsure = t.table || names(sql, table), t.unsure || len(d.Effects) > 0
	values := scalars(d.Args)
	t.key = t.key || t.names(values, key) || slices.Contains(values, "digest") // "digest" is the name of a field that replaces a large value
	for _, c := range d.Changes {
		same := strings.Join(scalarsOf(c.Key, false), ",") == key
		t.key, t.wanted = t.key || same, t.wanted || c.Table == table && (same || key == "")
	}
}

// names reports whether a statement contains the name of a table, with or without its schema, as in public.orders.
func names(sql, table string) bool {
	quoted := `"` + strings.ReplaceAll(table, `"`, `""`) + `"`
	return strings.Contains(sql, quoted) || strings.Contains(sql, strings.ReplaceAll(quoted, ".", `"."`))
}

// read notes whether a kept reply may contain the row's key. The reply does not show from which tables its values are.
func (t *trace) read(reply []byte, key string) {
	v, err := value.DecodeValue(string(reply), len(reply))
	var text []byte
	if err == nil {
		text, err = v.AppendJSON(nil)
	}
	t.key = t.key || err != nil && len(reply) > 0 || t.names(scalars(text), key)
}

// names reports whether values contain a row's key: as one of them, or each of its parts.
func (t *trace) names(values []string, key string) bool {
	return slices.Contains(values, key) || !slices.ContainsFunc(strings.Split(key, ","), func(part string) bool { return !slices.Contains(values, part) })
}

// scalars returns the texts of all values in a JSON value, and of the names of fields. It also returns the values in a text that is a JSON list,
// since statements bind lists in that form.
func scalars(text json.RawMessage) []string { return scalarsOf(text, true) }

func scalarsOf(text json.RawMessage, within bool) (all []string) {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	for x, err := d.Token(); err == nil; x, err = d.Token() {
		if _, is := x.(json.Delim); is {
			continue
		}
		s := fmt.Sprint(x)
		if all = append(all, s); within && strings.HasPrefix(s, "[") && json.Valid([]byte(s)) {
			all = append(all, scalars(json.RawMessage(s))...)
		}
	}
	return all
}

// matching returns the runs that the flags choose, those among them that have not ended, and how many more runs may have read the row.
func (o *flags) matching(all iter.Seq2[*tree.Entry, error], run string, before time.Time) (runs, open []tree.Run, more int, err error) {
	with, err := o.opener()
	table, key, one := strings.Cut(o.row, ":")
	seen, order := map[exo.RunID]*trace{}, []exo.RunID(nil)
	for x, err2 := range record.ReadEntries(all, with) {
		if err = errors.Join(err, err2); err != nil {
			return nil, nil, 0, err
		}
		t := seen[x.RunID]
		if t == nil {
			t = &trace{wanted: x.RunID.String() == run || x.At.Before(before)}
			seen[x.RunID], order = t, append(order, x.RunID)
		}
		t.ended = t.ended || x.Step == exo.Ended
		t.unsure = t.unsure || x.Err != nil && x.Err.Error() == record.ErrInterrupted.Error() && x.Call > 0
		t.wanted = t.wanted || o.principal != "" && x.Start != nil && o.is(x.Start.Principal)
		if x.Kept != nil && o.row != "" {
			t.read(x.Kept.Value, key)
		}
		for _, d := range x.Details {
			if text, is := d.(json.RawMessage); is && o.row != "" {
				t.add(text, table, key)
			}
		}
	}
	delete(seen, exo.RunID{}) // remove the log's own entries, which have the zero ID
	for _, id := range order {
		switch t := seen[id]; {
		case t == nil:
		case !t.wanted && !(t.table && (t.key || !one)):
			if o.row != "" && (t.table || t.unsure) {
				more++
			}
		case !t.ended:
			open = append(open, tree.Run(id))
		default:
			runs = append(runs, tree.Run(id))
		}
	}
	return runs, open, more, err
}

func erase(ctx context.Context, o *flags, std cli.Stdio, args []string) error {
	var before time.Time
	var err error
	if o.before != "" {
		before, err = time.Parse(time.DateOnly, o.before)
	}
	run := strings.Join(args[1:], "")
	given := slices.DeleteFunc([]string{run, o.before, o.principal, o.row}, func(s string) bool { return s == "" })
	switch {
	case err != nil || len(given) != 1 || strings.HasPrefix(o.row, ":") || strings.HasSuffix(o.row, ":"):
		return cli.Usagef("want exactly one of the ID of a RUN, -before DAY (like 2026-01-31), -principal NAME, and -row TABLE:KEY or -row TABLE")
	case o.principal+o.row != "" && o.identity == "":
		return cli.Usagef("-identity is missing: give the file with the age identity, since principals and rows are encrypted in the record")
	case o.key == "" && !o.dryRun:
		return cli.Usagef("-key is missing: say where the signing key is, as file:PATH or env:NAME")
	}
	var l erasable
	if !o.dryRun {
		if l, err = open(ctx, args[0], o.key); err != nil { // opened before the search, so that no host can add entries meanwhile
			return err
		}
		defer l.Close()
	}
	from, err := source(args[0])
	if err != nil {
		return err
	}
	all := tree.Entries(from)
	if l != nil { // check signatures: an attacker could add unsigned lines that name any run
		all = l.Checked()
	}
	runs, going, more, err := o.matching(all, run, before)
	if err == nil && run != "" && len(runs) == 0 {
		err = fmt.Errorf("the record has no ended run %s: exo record tail lists the runs, and exo record settle ends one whose process was stopped", run)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(std.Out, "%d runs match\n", len(runs))
	if !o.dryRun {
		n, _, err := l.Erase(time.Time{}, runs...)
		if err = errors.Join(err, l.Close()); err != nil {
			return err
		}
		fmt.Fprintf(std.Out, "%d data keys destroyed; copies made before have them still, and so has a database until VACUUM\n", n)
	}
	if left, _ := tree.Unread(args[0]); len(left) > 0 {
		fmt.Fprintf(std.Out, "%d files have lines that could not be read when the log was opened, and data keys may be in them: remove them: %s\n", len(left), strings.Join(left, " "))
	}
	if more > 0 {
		fmt.Fprintf(std.Out, "%d more have a statement on the table, and their record does not say which rows it read or changed\n", more)
	}
	if len(going) > 0 {
		return &cli.Failure{Code: cli.ExitFound, Err: fmt.Errorf("%d runs match but have not ended, so exo did not erase them (the first: %v): run exo record settle, and then this command again", len(going), going[:min(len(going), 20)])}
	}
	return nil
}
