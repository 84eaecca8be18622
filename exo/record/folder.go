// This file keeps a record in a folder or a database, as a Merkle log (package tree).

package record

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/record/tree"
)

// appending is a log that is open for appending: a *tree.Log or a *tree.Shared.
type appending interface {
	Append(e tree.Leaf, payload []byte, durable bool) error
	Erase(before time.Time, runs ...tree.Run) (n int, skipped []tree.Run, err error)
	Checked() iter.Seq2[*tree.Entry, error]
	RequireWitness(within time.Duration) error
	Close() error
}

// Folder is a record in a Merkle log: in a folder that tree.Create made, or in a database (see [OnShared]). An attacker without the signing key
// can't change a signed entry unnoticed, nor, if there is a witness, cut off the end. Each run can be proved, and erased. The words of programs
// and persons are encrypted (see [ReadLog]). The zero Folder and a nil *Folder refuse every entry.
type Folder struct {
	in     appending
	from   tree.Source
	shared *tree.Shared // the log in, if it is in a database, where other processes may have it open, too; otherwise nil
	mu     sync.Mutex
	begun  runs
	first  error
	left   []UnsettledRun
	stop   chan struct{} // closed to end Keep; nil: Keep may be called
	kept   chan struct{} // closed when Keep has ended
}

// OpenFolder opens a log for appending by one process. key is the signing key. It reads the end of the log, like [Open].
func OpenFolder(dir string, key tree.SigningKey) (*Folder, error) {
	in, err := tree.Open(dir, key)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	return (&Folder{in: in, from: tree.Dir(dir)}).opened(in.Tail)
}

// OnShared returns the record in a database, which other processes may have open, too. Close also closes in. Only runs without an entry for the
// time tree.SharedOptions.Dead are Unsettled. While a run can be undone, its entries are acknowledged before they are committed. If the process
// is killed in that time, entries may be missing, but nothing of the run was kept. Only a live console (exo.Config.Console) has shown anything
// of such a run.
func OnShared(in *tree.Shared) (*Folder, error) {
	if in == nil || in.Source == nil {
		return nil, errNowhere
	}
	return (&Folder{in: in, from: in, shared: in}).opened(in.Tail)
}

func (l *Folder) opened(tail []tree.Leaf) (*Folder, error) {
	var open openRuns
	for _, leaf := range tail {
		e, err := fromLeaf(&leaf)
		if err != nil {
			return nil, errors.Join(err, l.in.Close())
		}
		if open.note(e); e.Step == exo.Begun {
			l.begun.begin(e.RunID)
		}
	}
	if l.left = open.unsettled(); len(l.left) > 0 && l.shared != nil {
		if err := l.shared.Signed(tail); err != nil {
			return nil, errors.Join(fmt.Errorf("record: %w", err), l.in.Close())
		}
	}
	return l, nil
}

// waits reports whether an entry must be durable before the run goes on: the next event can't be undone, since it is a commit, or a held or immediate
// effect. In a database, entries are in memory until they are committed. So there the end of a run waits, too, since the result leaves after it.
func (l *Folder) waits(e *exo.Entry) bool {
	return e.Step == exo.Committing || e.Step == exo.Acting || e.Step == exo.Intent && e.Effect == message.Immediate || l.shared != nil && e.Step == exo.Ended
}

// RequireWitness makes a commit, and each held or immediate effect, wait until the log's witness has the checkpoint of its entry. If the witness does
// not get it within the time (0: 5 s), Record fails with a tree.WitnessError, and the commit or effect does not happen. Earlier commits and effects
// stay. Call it before the first run. A log without a witness is refused.
func (l *Folder) RequireWitness(within time.Duration) error {
	if l == nil || l.in == nil {
		return errNowhere
	}
	if err := l.in.RequireWitness(cmp.Or(within, 5*time.Second)); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return nil
}

// Record appends e, and waits until it is durable if the next event can't be undone. If an entry can't be written completely, for example
// on a full disk, the log does not have it. If an entry could not be synced, the log may have it.
func (l *Folder) Record(_ context.Context, e exo.Entry) error {
	if l == nil || l.in == nil {
		return errNowhere
	}
	l.mu.Lock()
	payload, err := l.begun.line(nil, &e) // the line that the entry would have in a file; the log encrypts it
	l.mu.Unlock()
	if err == nil {
		if err = l.in.Append(leafOf(&e), payload, l.waits(&e)); err != nil {
			err = fmt.Errorf("record: an entry can't be appended, and no program runs until it is: %w", err)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.first = cmp.Or(l.first, err)
		return err
	}
	l.begun.appended(&e)
	return nil
}

// leafOf returns the part of an entry that is not encrypted. It has no words of programs or persons, and no label, since a label may name persons.
func leafOf(e *exo.Entry) tree.Leaf {
	l := tree.Leaf{Run: tree.Run(e.RunID), Step: e.Step.String(), At: e.At, Call: e.Call, Failed: e.Err != nil, Asked: e.Err == ErrInterrupted || e.Err == ErrAsked}
	if e.Effect != message.NoEffect {
		l.Effect = key(e.Effect)
	}
	if e.State != exo.NoState {
		l.State = key(e.State)
	}
	if p := e.Prepared; p != nil {
		l.Prepared, l.Changed, l.Witnessed = true, int64(p.Changed), int64(p.Witnessed)
	}
	if e.Start != nil {
		l.Policy = e.Start.Granted
	}
	return l
}

// fromLeaf returns the part of an entry that its leaf contains. For the log's own entries it returns the zero Entry.
func fromLeaf(l *tree.Leaf) (e exo.Entry, err error) {
	if l.Run == (tree.Run{}) {
		return e, nil
	}
	var p parser
	e = exo.Entry{RunID: exo.RunID(l.Run), At: l.At, Call: l.Call,
		Step: named(&p, "step", l.Step, lastStep), Effect: named(&p, "effect", l.Effect, lastEffect), State: named(&p, "state", l.State, lastState)}
	if l.Asked {
		e.Err = ErrInterrupted
	} else if l.Failed {
		e.Err = errors.New("record: the text of the error is encrypted")
	}
	if l.Prepared {
		e.Prepared = &exo.Prepared{Changed: int(l.Changed), Witnessed: int(l.Witnessed)}
	}
	return e, p.err
}

// Logged is an entry that was read from a log.
type Logged struct {
	exo.Entry           // the entry that was recorded; if Closed is set, only the part in its leaf; zero for the log's own entries, Erased and Resumed
	Leaf      tree.Leaf // the part that the log signs
	Closed    error     // the reason why the encrypted part was not read: tree.ErrNoOpener or tree.ErrErased
}

// AppendJSON writes an entry as one line, with the fields of a line of a record in a file. No text in it acts on a terminal. Two more fields come
// first: number, the place of the entry in the log, and closed, which is "encrypted" or "erased" if only the leaf could be read. The log's own entries
// have number, step (erased or resumed), at, of (the erased run), and unsigned (how many entries a process left unsigned).
func (l *Logged) AppendJSON(b []byte) ([]byte, error) {
	if l.Leaf.Step == "" {
		return appendLine(b, &l.Entry, &runs{keep: &Replies{Each: math.MaxInt}})
	}
	b = fmt.Appendf(b, `{"number":%d,`, l.Leaf.Number)
	if l.Leaf.Run == (tree.Run{}) {
		b = fmt.Appendf(b, `"step":%q,"at":%q`, l.Leaf.Step, l.Leaf.At.UTC().Format(time.RFC3339Nano))
		if l.Leaf.Step == tree.Erased {
			return fmt.Appendf(b, `,"of":%q}`+"\n", l.Leaf.Of), nil
		}
		return fmt.Appendf(b, `,"unsigned":%d}`+"\n", l.Leaf.Call), nil
	}
	if errors.Is(l.Closed, tree.ErrErased) {
		b = append(b, `"closed":"erased",`...)
	} else if l.Closed != nil {
		b = append(b, `"closed":"encrypted",`...)
	}
	line, err := appendLine(nil, &l.Entry, &runs{keep: &Replies{Each: math.MaxInt}})
	return append(b, line[min(1, len(line)):]...), err
}

// ReadLog reads the entries of a log in order, and ends with an error at the first entry that it can't read. The Opener with decrypts
// entries; if it is nil, they stay encrypted. ReadLog checks no signatures; tree.Verify does.
func ReadLog(from tree.Source, with *tree.Opener) iter.Seq2[Logged, error] {
	return ReadEntries(tree.Entries(from), with)
}

// ReadEntries does the work of [ReadLog] for entries that were already read, for example with the method Checked of an open log.
func ReadEntries(all iter.Seq2[*tree.Entry, error], with *tree.Opener) iter.Seq2[Logged, error] {
	return func(yield func(Logged, error) bool) {
		for x, err := range all {
			var l Logged
			if err == nil {
				l, err = logged(x, with)
			}
			if !yield(l, err) || err != nil {
				return
			}
		}
	}
}

func logged(x *tree.Entry, with *tree.Opener) (l Logged, err error) {
	l.Leaf = x.Leaf
	line, err := with.Open(x)
	if err == nil && line == nil || errors.Is(err, tree.ErrErased) || errors.Is(err, tree.ErrNoOpener) {
		l.Closed = err
		l.Entry, err = fromLeaf(&x.Leaf)
	} else if err == nil {
		l.Entry, err = parse(bytes.TrimSuffix(line, []byte("\n")))
	}
	return l, err
}

// Unsettled lists the unsettled runs in the log; in a database, those without an entry for some time. The runs have no Label and their effects no Op,
// since both are encrypted. It fails if an entry is not the one that the log has signed.
func (l *Folder) Unsettled() ([]UnsettledRun, error) {
	if l == nil || l.in == nil {
		return nil, errNowhere
	}
	if l.shared != nil {
		var open openRuns
		leaves, err := l.shared.Silent(context.Background(), 0)
		for i := 0; err == nil && i < len(leaves); i++ {
			var e exo.Entry
			if e, err = fromLeaf(&leaves[i]); err == nil {
				open.note(e)
			}
		}
		runs := open.unsettled()
		if err == nil && len(runs) > 0 {
			err = l.shared.Signed(leaves)
		}
		return runs, err
	}
	return unsettledIn(ReadEntries(l.in.Checked(), nil), &openRuns{})
}

// Unknown applies the function [Unknown] to the entries that are in the log now. The Opener with decrypts the method of an effect, which
// decides which [Settler] can answer. If with is nil, or the run was erased, none can.
func (l *Folder) Unknown(with *tree.Opener) ([]UnsettledRun, error) {
	if l == nil || l.in == nil {
		return nil, errNowhere
	}
	return unsettledIn(ReadEntries(l.in.Checked(), with), &openRuns{unknown: true})
}

// UnsettledIn lists the unsettled runs of a log without opening it for appending. If a process has it open, runs in progress are listed, too.
func UnsettledIn(from tree.Source) ([]UnsettledRun, error) {
	return unsettledIn(ReadLog(from, nil), &openRuns{})
}

func unsettledIn(all iter.Seq2[Logged, error], open *openRuns) ([]UnsettledRun, error) {
	for x, err := range all {
		if err != nil {
			return nil, err
		}
		open.note(x.Entry)
	}
	return open.unsettled(), nil
}

// UnsettledAtOpen lists the unsettled runs among the entries at the end of the log, which OpenFolder has read.
func (l *Folder) UnsettledAtOpen() []UnsettledRun {
	if l == nil {
		return nil
	}
	return l.left
}

// Err returns the first failure since the Folder was opened.
func (l *Folder) Err() error {
	if l == nil || l.in == nil {
		return errNowhere
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.first
}

// Keep erases the ended runs that began longer ago than age, by destroying their data keys. It does so before it returns, and then every 6 hours until
// Close. Each time it reads the whole log in a folder; in a database, it reads the runs with keys, the oldest first. Keep calls tell with each
// error, and with the number of older runs that have not ended. tell must not call Close. Call Keep once, after Reconcile.
func (l *Folder) Keep(age time.Duration, tell func(error)) error {
	return l.keep(age, 6*time.Hour, tell)
}

func (l *Folder) keep(age, every time.Duration, tell func(error)) error {
	if l == nil || l.in == nil {
		return errNowhere
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if age <= 0 || tell == nil || l.stop != nil {
		return errors.New("record: Keep must be called once, before Close, with a positive age and a function that gets errors")
	}
	pass := func() {
		_, open, err := l.in.Erase(time.Now().Add(-age))
		if err == nil && len(open) > 0 {
			err = fmt.Errorf("%d older runs have not ended and are kept: exo record settle completes those of a stopped process", len(open))
		}
		if err != nil {
			tell(fmt.Errorf("record: keep %v: %w", age, err))
		}
	}
	stop, kept := make(chan struct{}), make(chan struct{})
	l.stop, l.kept = stop, kept
	l.mu.Unlock()
	defer l.mu.Lock()
	pass()
	go func() {
		defer close(kept)
		for next := time.Tick(every); ; pass() {
			select {
			case <-stop:
				return
			case <-next:
			}
		}
	}()
	return nil
}

var closedAlready = make(chan struct{})

// Close signs and syncs the entries that were appended, and lets other processes open the log.
func (l *Folder) Close() error {
	if l == nil || l.in == nil {
		return errNowhere
	}
	l.mu.Lock()
	stop, kept := l.stop, l.kept
	l.stop, l.kept = closedAlready, nil
	l.mu.Unlock()
	if kept != nil { // wait until the erasing is complete: a part of it would look like a change of the log
		close(stop)
		<-kept
	}
	return l.in.Close()
}
