// Package undocmd has the commands of exo that undo the changes of a run.
package undocmd

// This file has the command exo undo, which finds what a run has changed, shows it, and changes it back.

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/exoagent/exoagent/cmd/exo/internal/recordcmd"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/grantfile/services"
	"github.com/exoagent/exoagent/schema"
)

// Files opens a grant file for these commands, and its record. Record returns nil if the file names no record.
type Files struct {
	Read   func(path string) (*grantfile.File, error)
	Record func(context.Context, *grantfile.File) (exo.Recorder, func() error, error)
	Open   func(context.Context, cli.Stdio, *grantfile.File) (*grantfile.Declared, error)
}

const exits = "exit codes:\n  0  done, or shown\n  1  the undo is refused, and why; or something is wrong in the file\n  2  the command line is wrong\n  3  it could not be done\n"

// Commands returns the commands exo undo and exo gen undo.
func Commands(files Files) cli.Commands { return cli.Commands{undoCommand(files), genCommand(files)} }

func undoCommand(files Files) cli.Command {
	return cli.Command{
		Name:  "undo",
		Args:  "RUN",
		Short: "take back what a run has changed in the database",
		Long: `Shows each row as it is and as it would be, and with -apply, or a yes at the terminal, changes it so: all rows in one transaction,
exactly, or none. If a row was changed since, or the database does not admit it, nothing is changed, and the rows are listed.
What triggers and cascades change meanwhile is changed back as well. The grant file must have undo: 7d at the database, since before the run.

It connects by undo_url of the file, or else by url, as a role that may read exo_undo and write the tables. The undo is a run of its
own, which is recorded and can be undone. Mails and other effects that left are listed: they stay.

Without -as it is for the operator of the whole database: no grant restricts it, and it changes columns that no facet shows, which it
prints as "another column". Files of a folder with undo are put back after the rows, each if it is as the run left it.

With -as it is for one person: each row has to be in the scope of a facet with undo: own or any, as it is and as it was. The word own
is for runs of this principal in the record, which is read with -identity if it is encrypted. Files stay as they are.

example:
  exo undo 0f3a5c0e1a2b4d6f8091a2b3c4d5e6f7 -file exo.yaml
`,
		Exits: exits,
		Flags: func(fs *flag.FlagSet) cli.Action {
			o := &options{files: files}
			fs.StringVar(&o.path, "file", "exo.yaml", "`FILE`: the grant file of the run")
			fs.StringVar(&o.as, "as", "", "`CLAIMS`: undo for this principal, like org=5,user=1")
			o.log.Identity(fs)
			fs.BoolVar(&o.apply, "apply", false, "do it, without a question")
			return o.undo
		},
		Values: map[string][]string{"-file": {cli.AnyFile}, "-identity": {cli.AnyFile}},
	}
}

type options struct {
	files    Files
	path, as string
	apply    bool
	log      recordcmd.Log // log has the identity that reads the file's record
	by       *person       // by is the person of -as; nil: the operator
	refused  error         // refused is why the person may not undo the run
}

// person is the principal for whom an undo is made.
type person struct {
	exo.Principal
	own    bool // own: in the record, the run is this person's own
	d      *grantfile.Declared
	grants []exo.Object
}

// person opens the grants of the principal in -as, over the connections for undos.
func (o *options) person(ctx context.Context, std cli.Stdio, f *grantfile.File, run exo.RunID) error {
	p, err := f.ParseClaims(o.as)
	if err != nil {
		return cli.Usagef("-as: %s", grantfile.Reason(err))
	}
	if !slices.ContainsFunc(f.Databases, func(x grantfile.Database) bool { return x.Undo > 0 }) {
		return noUndo(o.path)
	}
	for i := range f.Databases {
		if x := &f.Databases[i]; x.UndoURL.Kind != "" {
			x.URL = x.UndoURL
		}
	}
	d, err := o.files.Open(ctx, std, f)
	if err != nil {
		return err
	}
	o.by = &person{Principal: p.Name(), d: d}
	grants, err := d.Grants(p)
	if err != nil {
		return err
	}
	o.by.grants = slices.Collect(maps.Values(grants))
	all, err := o.entries(f)
	if err != nil {
		return err
	}
	for e, err := range all {
		if err != nil {
			return err
		}
		if e.RunID == run && e.Step == exo.Begun && errors.Is(e.Closed, tree.ErrNoOpener) {
			return cli.Usagef("-identity is missing: the record says only in encrypted words whose run %s is; give the file with the age identity", run)
		}
		o.by.own = o.by.own || e.RunID == run && e.Step == exo.Begun && e.Start != nil && e.Start.Principal == p.Name()
	}
	return nil
}

// reverse undoes a run in a database, for the operator or a person. If as is zero, it only shows what would change.
func (o *options) reverse(ctx context.Context, db *exosql.DB, run, as exo.RunID) ([]exosql.RowImage, []exosql.UndoRefusal, error) {
	if o.by == nil {
		return db.Undo(ctx, run, as)
	}
	return db.UndoFor(ctx, exosql.UndoRequest{Run: run, As: as, Own: o.by.own}, o.by.grants...)
}

// found is a database with the changes that a run made in it.
type found struct {
	of      *grantfile.Database
	db      *exosql.DB
	rows    []exosql.RowImage
	refused []exosql.UndoRefusal
}

func (o *options) undo(ctx context.Context, std cli.Stdio, args []string) error {
	if len(args) != 1 {
		return cli.Usagef("want the ID of one run, as exo record tail prints it, not %d arguments", len(args))
	}
	run, err := exo.ParseRunID(args[0])
	if err != nil {
		return cli.Usagef("%w", err)
	}
	f, err := o.files.Read(o.path)
	if err != nil {
		return err
	}
	if o.as != "" {
		err := o.person(ctx, std, f, run)
		if o.by != nil {
			defer o.by.d.Close()
		}
		if err != nil {
			return err
		}
	}
	all, err := o.look(ctx, f, run)
	if o.by == nil {
		defer func() {
			for _, x := range all {
				x.db.Close()
			}
		}()
	}
	if err != nil {
		return err
	}
	by, closing, err := o.folders(ctx, f)
	defer closing()
	if err != nil {
		return err
	}
	left, err := o.effects(f, run, by)
	if err != nil {
		return err
	}
	switch len(all) {
	case 0:
		if o.by != nil {
			return &cli.Failure{Code: cli.ExitFound, Err: fmt.Errorf("run %s: %w", run, o.refused)}
		}
		if slices.ContainsFunc(left, record.Left.Compensated) { // the run has only written files
			return o.offer(ctx, std, f, &found{}, run, left)
		}
		return fmt.Errorf("no change of run %s is kept: the run changed nothing, or ran before %s had `undo`, or longer ago than `undo` says", run, o.path)
	case 1:
		return o.offer(ctx, std, f, &all[0], run, left)
	}
	return fmt.Errorf("run %s changed %d databases, and exo undo can undo a run in one database only: change the rows back by hand", run, len(all))
}

// look opens the databases that the run has changed, and finds these changes. The caller closes the databases.
func (o *options) look(ctx context.Context, f *grantfile.File, run exo.RunID) (all []found, err error) {
	for i := range f.Databases {
		x := &f.Databases[i]
		if x.Undo == 0 {
			continue
		}
		_, url, err := x.URLs(os.Getenv)
		if err != nil {
			return all, err
		}
		var db *exosql.DB
		if o.by != nil {
			db = o.by.d.Witnesses[slices.Index(o.by.d.Names, x.Text)]
		} else if db, err = exosql.Open(ctx, url, &exosql.OpenOptions{Witness: true, Undo: x.Undo}); err != nil {
			return all, fmt.Errorf("the database %s: %w", x.Text, err)
		}
		rows, refused, err := o.reverse(ctx, db, run, exo.RunID{})
		if o.by != nil && fail.KindOf(err) == fail.Denied {
			o.refused = err
			continue
		}
		if errors.Is(err, exosql.ErrNotKept) {
			db.Close()
			continue
		}
		all = append(all, found{x, db, rows, refused})
		if err != nil {
			return all, fmt.Errorf("the database %s: %w", x.Text, err)
		}
	}
	return all, nil
}

// offer shows what an undo would change, and undoes the run if -apply or a person at the terminal asks for it.
func (o *options) offer(ctx context.Context, std cli.Stdio, f *grantfile.File, x *found, run exo.RunID, left []record.Left) error {
	for _, im := range x.rows {
		fmt.Fprintln(std.Out, line(f, x.of.Text, im))
	}
	for _, l := range left {
		what := "NOT UNDONE"
		if l.Compensated() {
			what = "put back a file"
		}
		fmt.Fprintf(std.Out, "%s  %s\n", what, schema.Printable(l.String()))
	}
	if len(x.refused) == 0 && (o.apply || agrees(std, len(x.rows), files(left))) {
		if err := o.keep(ctx, std, f, x, run, left); err != nil {
			return err
		}
	}
	for _, r := range x.refused {
		where := "the database"
		if r.Row.Columns != nil {
			where = rowName(r.Row)
		}
		fmt.Fprintf(std.Out, "REFUSED  %s: %s\n", where, r.Why)
	}
	if len(x.refused) > 0 {
		return &cli.Failure{Code: cli.ExitFound, Err: fmt.Errorf("run %s can't be undone as a whole, so nothing was changed: each line with REFUSED says why", run)}
	}
	return nil
}

// keep undoes the run by a second run, which is in the file's record, too, if the file names one.
func (o *options) keep(ctx context.Context, std cli.Stdio, f *grantfile.File, x *found, run exo.RunID, left []record.Left) (err error) {
	rec, closing, err := o.files.Record(ctx, f)
	if err != nil {
		return err
	}
	if rec == nil {
		rec = exo.Unrecorded
	} else {
		defer func() { err = errors.Join(err, closing()) }()
	}
	as, shown := exo.NewRunID(), x.rows
	undoer := exo.Principal("operator")
	if o.by != nil {
		undoer = o.by.Principal
	}
	err = record.Undoing{Of: run, As: as, Principal: undoer, Left: left}.Run(ctx, rec, func(context.Context) (state exo.State, err error) {
		if x.db == nil { // the run changed only files, and no database
			return exo.StateApplied, nil
		}
		if x.rows, x.refused, err = o.reverse(ctx, x.db, run, as); err == nil && len(x.refused) == 0 {
			return exo.StateApplied, nil
		}
		kept, failed := x.db.Committed(context.WithoutCancel(ctx), as)
		switch {
		case failed != nil:
			return exo.StateUnknown, err
		case kept:
			return exo.StateApplied, err
		}
		return exo.StateRolledBack, err
	})
	if err == nil && len(x.refused) == 0 {
		fmt.Fprintf(std.Out, "undone: %d rows and %d files of run %s; this undo is run %s\n", len(shown), files(left), run, as)
	}
	return err
}

// files counts the writes to files that an undo reverses.
func files(left []record.Left) (n int) {
	for _, l := range left {
		if l.Compensated() {
			n++
		}
	}
	return n
}

// agrees asks a person at a terminal whether to undo, and reports whether the person agreed.
func agrees(std cli.Stdio, rows, files int) bool {
	in, ok := std.In.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		fmt.Fprintln(std.Out, "nothing was changed: add -apply to undo the run")
		return false
	}
	fmt.Fprintf(std.Out, "change these %d rows and put back %d files? Type yes: ", rows, files)
	text, _ := bufio.NewReader(in).ReadString('\n')
	return strings.TrimSpace(text) == "yes"
}

// folders opens the folders of a grant file that keep the old text of each file that is written. No other service can undo
// effects outside of the databases. A person can't undo them, so for a person folders opens none.
func (o *options) folders(ctx context.Context, f *grantfile.File) (out map[string]record.Compensator, closing func(), err error) {
	out = map[string]record.Compensator{}
	var opened []services.Opened
	closing = func() {
		for _, s := range opened {
			s.Close()
		}
	}
	for i := range f.Services {
		s := &f.Services[i]
		if o.by != nil || s.Files.Text == "" || s.Undo == 0 {
			continue
		}
		x, err := s.Open(ctx, os.Getenv, nil)
		if err != nil {
			return nil, closing, fmt.Errorf("the service %s: %w", s.Text, err)
		}
		opened = append(opened, x)
		if by, ok := x.Object.(record.Compensator); ok {
			out[s.Text] = by
		}
	}
	return out, closing, nil
}

// effects returns the run's effects outside of the databases. The argument by has the services that can undo some of them.
func (o *options) effects(f *grantfile.File, run exo.RunID, by map[string]record.Compensator) ([]record.Left, error) {
	all, err := o.entries(f)
	if err != nil {
		return nil, err
	}
	return record.LeftOf(func(yield func(exo.Entry, error) bool) {
		for e, err := range all {
			if !yield(e.Entry, err) {
				return
			}
		}
	}, run, by)
}

// entries returns the entries of the file's record, or none if it has no record. Without -identity, encrypted entries show only their leaf.
func (o *options) entries(f *grantfile.File) (all iter.Seq2[record.Logged, error], err error) {
	none := func(func(record.Logged, error) bool) {}
	o.log.Place = f.Record
	if f.RecordDB.Kind != "" {
		o.log.Place = f.RecordDB.Place()
	}
	if o.log.Place == "" {
		return none, nil
	}
	if _, err := os.Stat(o.log.Place); errors.Is(err, os.ErrNotExist) && f.RecordDB.Kind == "" {
		return none, nil
	}
	all, _, err = o.log.Read()
	return all, err
}
