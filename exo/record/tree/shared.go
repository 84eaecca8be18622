// This file appends to a log in a database, which several processes share. Entries wait in groups, and each group is one transaction.

package tree

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/exoagent/exoagent/internal/scalar"
)

const (
	maxGroup   = signEvery // most entries of a group, which ends in a checkpoint
	maxBytes   = 8 << 20   // most bytes of a group's payloads, after which another group begins
	maxQueue   = 4096      // how many entries may wait before Append waits for room
	maxWaiting = 64 << 20  // how many bytes their payloads may have before Append waits for room
	maxSilent  = 5_000     // how many runs OpenShared examines
	groupAfter = 50 * time.Millisecond
)

// SharedOptions has the options of OpenShared. Nil is the zero value.
type SharedOptions struct {
	// Dead is how long a run must have no entry before another process may settle it; 0: an hour.
	Dead time.Duration
	// Patience is how long a group is tried again after the connection is lost; 0: 20 s.
	Patience time.Duration
}

// Shared is a log in a database that is open for appending. Several processes can have it open, with one signing key. One process adds the
// entries of a run. Another may only add entries that settle the run (Leaf.Asked), once it had no entry for SharedOptions.Dead. From then on
// Append refuses all durable entries of the run except Ended, so that its process, if it is still alive, can't act.
type Shared struct {
	Source
	Tail     []Leaf // the leaves that Silent returned for the last runs when the log was opened
	table    Table
	opt      SharedOptions
	keys     *keys
	signer   note.Signer
	verifier note.Verifier
	sum      Hash // the SHA-256 of log.json
	witness  *witness

	mu      sync.Mutex
	runs    map[Run]*run // the runs of this process that have not ended
	queue   []*pending
	bytes   int        // how many bytes the payloads in queue have
	waiting int        // how many callers wait for entries of the queue
	room    *sync.Cond // signals that a group has ended
	down    error      // the reason why the last group was not appended
	err     error      // the reason why nothing can be appended any more
	wake    chan struct{}
	ended   chan struct{} // closed when the writing goroutine has ended

	head attempt  // the last group that is in the log. Only the writing goroutine uses head and lost
	lost *attempt // a group for which it is unknown whether the log has it
}

// pending is an entry that waits for its group.
type pending struct {
	Leaf
	r      *run
	key    *dataKey
	sealed []byte
	fenced bool       // the entry is refused if another process has settled the run (see Leaf.witnessed)
	size   int64      // how many entries the checkpoint after this entry covers; set when done gets nil
	done   chan error // gets the outcome; nil: the caller does not wait
	over   bool       // the entry is in the log, or its caller knows that it is not
}

// attempt is a group as it was written, with the checkpoint after it and the outcome of each entry.
type attempt struct {
	size   int64
	line   string // the line of the checkpoint; "": the group has no entry
	signed string
	seen   map[Run]progress
	keys   map[*dataKey]int64 // for each data key, the index of the entry with that key in its line
	err    map[*pending]error
	taken  map[*run]bool // the runs to which another process has added entries
}

// CreateShared makes a log in a database. It calls store to write the text of log.json and the first row there, and writes to the witness.
func CreateShared(a About, private SigningKey, store func(about []byte, first Row) error) error {
	text, err := a.text()
	if err != nil {
		return err
	}
	if err := a.place(""); err != nil {
		return err
	}
	_, signer, err := a.keys(private)
	if err != nil {
		return err
	}
	signed, line, err := new(frontier).checkpoint(a.Origin, sha256.Sum256(text), signer)
	if err == nil {
		err = store(text, Row{Checkpoint: true, Line: string(line)})
	}
	if err == nil {
		err = a.firstSeen(signed)
	}
	return err
}

// OpenShared opens a log in a database for appending. It fails if the last checkpoint does not sign log.json, or the witness has seen a longer
// log or another one. Close closes the table.
func OpenShared(ctx context.Context, t Table, private SigningKey, opt *SharedOptions) (*Shared, error) {
	l := &Shared{Source: In(t), table: t, runs: map[Run]*run{}, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	l.room = sync.NewCond(&l.mu)
	if opt != nil {
		l.opt = *opt
	}
	l.opt = SharedOptions{cmp.Or(l.opt.Dead, time.Hour), cmp.Or(l.opt.Patience, 20*time.Second)}
	a, sum, err := readAbout(l)
	if err != nil {
		return nil, err
	}
	l.sum = sum
	if l.keys, l.signer, err = a.keys(private); err != nil {
		return nil, err
	}
	if l.verifier, err = verifier(a.Key); err != nil {
		return nil, err
	}
	var seen Checkpoint
	if a.Witness != "" { // read the witness before the log's end, since other processes append meanwhile
		if l.witness, seen, err = witnessOf(a.Witness, l.verifier, l.Source); err != nil {
			return nil, err
		}
	}
	err = t.Group(ctx, nil, nil, func(s State) ([]Row, error) {
		_, c, err := l.checked(s.Head)
		l.head = attempt{size: c.Size, line: s.Head.Line}
		return nil, err
	})
	if err == nil && seen.Size > l.head.size {
		err = fmt.Errorf("the witness has seen %d entries, and the log has %d: the others are missing at the end, so put back a copy that has them", seen.Size, l.head.size)
	} else if err == nil && seen != (Checkpoint{}) { // a witness over HTTP has cosigned nothing before the first entry
		_, _, err = newest(l, seen, l.verifier)
	}
	if err == nil {
		l.Tail, err = l.Silent(ctx, maxSilent)
	}
	if err != nil {
		_ = l.witness.stop() // the witness was only read, so an error does not matter
		return nil, err
	}
	go l.write()
	return l, nil
}

// checked returns the tree of a log's last row, which must be a checkpoint that the log's key has signed. Each group ends in one, so an entry
// after it was not written by a process of the log, and is never signed.
func (l *Shared) checked(head Row) (tree frontier, c Checkpoint, err error) {
	x, err := parseLine([]byte(head.Line))
	if !head.Checkpoint || err != nil {
		return tree, c, errors.New("the last row is no checkpoint: rows were added or removed without the signing key; exo record verify shows which")
	}
	if c, err = openCheckpoint(x.checkpoint, l.verifier); err != nil {
		return tree, c, err
	}
	if c.About != l.sum {
		return tree, c, fmt.Errorf("%s was changed after the log was made: put the original back", aboutFile)
	}
	tree, ok := frontierOf(c, x.subtrees)
	if !ok || head.Number != c.Size {
		return tree, c, errors.New("the last checkpoint was changed: exo record verify shows what was changed")
	}
	return tree, c, nil
}

// Silent returns the leaves of runs that are not settled, and that another process may settle now. It looks at the last most runs; 0: at all. The
// times of rows are not signed, so the time in a run's last leaf must be old enough, too.
func (l *Shared) Silent(ctx context.Context, most int) (leaves []Leaf, err error) {
	lines, err := l.table.Silent(ctx, int64(l.opt.Dead/time.Second), int64(most))
	for _, text := range lines {
		leaf, err := parseLeaf([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("the last leaf of a silent run: %w", err)
		}
		leaves = append(leaves, leaf)
	}
	alive := map[Run]bool{}
	for _, leaf := range leaves {
		alive[leaf.Run] = time.Since(leaf.At) < l.opt.Dead // the last leaf of a run decides
	}
	return slices.DeleteFunc(leaves, func(leaf Leaf) bool { return alive[leaf.Run] }), err
}

// Signed returns an error if the log has not signed all of these leaves. Call it before you settle runs: otherwise an attacker who can write
// the table could have a run settled that is alive or never existed. It reads the groups of the leaves.
func (l *Shared) Signed(leaves []Leaf) error {
	want := map[int64]Hash{}
	for i := range leaves {
		hash := tlog.RecordHash(leaves[i].append(nil))
		if is, twice := want[leaves[i].Number]; twice && is != hash {
			return errChanged
		}
		want[leaves[i].Number] = hash
	}
	return signedAt(l, l.verifier, want)
}

// Append adds an entry, and encrypts its payload. If durable is set, it returns when this and all earlier entries of the process are committed.
// Otherwise it returns at once; the entry is committed soon, and lost if the process is killed first. So the owner of the log must set durable
// before anything leaves the process. While the database does not answer, every caller waits, and then gets the error; entries accepted earlier stay
// in the queue. After ErrLost the entry may be in the log; after another error it is not.
func (l *Shared) Append(e Leaf, payload []byte, durable bool) error {
	if l == nil || l.table == nil {
		return errClosed
	}
	l.mu.Lock()
	r := l.runs[e.Run]
	if r == nil {
		r = &run{}
		l.runs[e.Run] = r
	}
	l.mu.Unlock()
	p := &pending{Leaf: e, r: r, fenced: e.witnessed(durable)}
	r.mu.Lock()
	var err error
	if p.sealed, err = r.seal(&p.Leaf, payload, l.keys); err == nil {
		if p.sealed != nil {
			p.key = r.key
		}
		err = l.enqueue(p, durable)
	}
	r.mu.Unlock() // unlocked only now, when the entry is in the queue, so that the entries of a run stay in order
	if err == nil && p.done != nil {
		if err = <-p.done; err == nil && p.fenced {
			err = l.witness.covered(p.size)
		}
	}
	return err
}

// RequireWitness makes Append wait for the witness, as [Log.RequireWitness] does.
func (l *Shared) RequireWitness(within time.Duration) error { return l.witness.require(within) }

func (l *Shared) enqueue(p *pending, durable bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.err == nil && p.r.failed == nil && (len(l.queue) >= maxQueue || l.bytes >= maxWaiting) {
		if l.down != nil {
			return l.down
		}
		l.room.Wait()
	}
	if err := cmp.Or(l.err, p.r.failed); err != nil {
		return err
	}
	if durable || p.Asked || l.down != nil { // a caller that settles a run waits, since it must know whether it may
		p.done = make(chan error, 1)
		l.waiting++
	}
	l.bytes += len(p.sealed)
	if l.queue = append(l.queue, p); p.Step == Ended {
		delete(l.runs, p.Run) // deletes the run's key, too: from now on only the recipients can decrypt the run
		l.keys.fill()
	}
	select {
	case l.wake <- struct{}{}:
	default:
	}
	return nil
}

// flush returns when all entries are committed.
func (l *Shared) flush() error {
	if l == nil || l.table == nil {
		return errClosed
	}
	p := &pending{r: &run{}}
	err := l.enqueue(p, true)
	if err == nil {
		err = <-p.done
	}
	return err
}

// write appends groups until the log is closed and its queue is empty.
func (l *Shared) write() {
	defer close(l.ended)
	for failed := error(nil); ; {
		group, closed := l.take(failed)
		if group == nil {
			return
		}
		failed = l.group(group)
		l.mu.Lock()
		if l.down = failed; failed != nil {
			l.putBack(group, failed, closed)
		}
		l.room.Broadcast()
		l.mu.Unlock()
	}
}

// take returns the next group, once a caller waits for it, it is full, or groupAfter has passed (a second after a failure). It returns nil if the log
// is closed and its queue is empty.
func (l *Shared) take(failed error) (group []*pending, closed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	pause := groupAfter
	if failed != nil {
		pause = time.Second
	}
	for timer := (<-chan time.Time)(nil); ; {
		n := len(l.queue)
		if l.err != nil && n == 0 {
			return nil, true
		}
		if n > 0 && (l.waiting > 0 || l.err != nil || n >= maxGroup) {
			break
		}
		if n > 0 && timer == nil {
			timer = time.After(pause)
		}
		l.mu.Unlock()
		over := false
		select {
		case <-l.wake:
		case <-timer:
			over = true
		}
		if l.mu.Lock(); over {
			break
		}
	}
	n, bytes := 0, 0
	for ; n < min(len(l.queue), maxGroup) && bytes < maxBytes; n++ {
		if bytes += len(l.queue[n].sealed); l.queue[n].done != nil {
			l.waiting--
		}
	}
	group, l.queue, l.bytes = l.queue[:n:n], l.queue[n:], l.bytes-bytes
	return group, l.err != nil
}

// putBack passes the error of a group to the callers that wait. Entries without a waiting caller go back to the queue, unless the log was closed.
func (l *Shared) putBack(group []*pending, err error, closed bool) {
	var again []*pending
	for _, p := range group {
		switch {
		case p.over:
		case p.done != nil:
			p.over = true
			p.done <- err
		default:
			again, l.bytes = append(again, p), l.bytes+len(p.sealed)
		}
	}
	if l.queue = append(again, l.queue...); closed {
		for _, p := range l.queue {
			if p.done != nil {
				p.done <- err
			}
		}
		l.queue, l.bytes = nil, 0
	}
}

// ErrAlive is the error of an entry that would settle a run which had an entry recently. Its process may be alive, or another process settles it.
var ErrAlive = errors.New("its process may be alive")

// errThere is the error of the method next if the log has the group that had an unknown outcome.
var errThere = errors.New("the group is in the log")

// group appends a group. If the connection is lost, it tries again until Patience is over.
func (l *Shared) group(group []*pending) error {
	end := time.Now().Add(l.opt.Patience)
	var runs []Run
	for _, p := range group {
		if p.Run != (Run{}) && !slices.Contains(runs, p.Run) {
			runs = append(runs, p.Run)
		}
	}
	runs = append(runs, Run{})
	for pause := 10 * time.Millisecond; ; {
		sizes := []int64{l.head.size}
		if l.lost != nil {
			sizes = append(sizes, l.lost.size)
		}
		var a attempt
		ctx, cancel := context.WithDeadline(context.Background(), end)
		err := l.table.Group(ctx, sizes, runs, func(s State) (rows []Row, err error) {
			a, rows, err = l.next(group, s)
			return rows, err
		})
		cancel()
		switch {
		case err == nil:
			l.done(&a)
			return nil
		case errors.Is(err, errThere):
			l.done(l.lost)
			l.lost = nil
			continue
		case !errors.Is(err, ErrLost):
			return err
		case a.line != "":
			l.lost = &a
		}
		if time.Now().After(end) {
			return err
		}
		time.Sleep(pause)
		pause = min(2*pause, time.Second)
	}
}

// next returns the rows of a group, to follow the log's last row. The transaction that calls it has the lock. So a group with an unknown outcome
// is in the log by now, or never will be.
func (l *Shared) next(group []*pending, s State) (a attempt, rows []Row, err error) {
	if l.lost != nil && s.Checkpoints[l.lost.size] == l.lost.line {
		return a, nil, errThere
	}
	l.lost = nil
	tree, c, err := l.checked(s.Head)
	if err != nil {
		return a, nil, err
	}
	if c.Size < l.head.size || s.Checkpoints[l.head.size] != l.head.line {
		return a, nil, fmt.Errorf("the log no longer begins with the %d entries that this process knows: entries were changed or cut off, or an old copy was put back", l.head.size)
	}
	a = attempt{seen: map[Run]progress{}, keys: map[*dataKey]int64{}, err: map[*pending]error{}, taken: map[*run]bool{}}
	failed := map[*run]error{}
	for _, p := range group {
		if p.over {
			continue
		}
		at, mine := a.seen[p.Run]
		if err := failed[p.r]; err != nil {
			a.err[p] = err
			continue
		}
		if !mine && p.Step != "" {
			if at, err = l.after(p, s.Last); err != nil {
				a.err[p], failed[p.r] = err, err
				continue
			}
			a.taken[p.r] = p.r.taken || p.Run != (Run{}) && !p.Asked && p.Step != Begun && at != p.r.seen
		}
		if p.fenced && a.taken[p.r] {
			err := fmt.Errorf("this process can add nothing more to run %s: another process wrote to that run, as it may after %v without an entry", p.Run, l.opt.Dead)
			a.err[p], failed[p.r] = err, err
			continue
		}
		if a.err[p] = nil; p.Step == "" { // this is no real entry: the method flush added it to wait for those before it
			continue
		}
		e, row := p.Leaf, Row{Number: tree.size, Run: p.Run, Sealed: p.sealed}
		if e.Number, e.Index, e.Prev = tree.size, at.next, at.prev; e.Step == Ended {
			e.Count = e.Index + 1
		}
		if p.key != nil {
			if e.Key = p.key.index; e.Key < 0 {
				index, there := a.keys[p.key]
				if e.Key = index; !there {
					e.Key, row.Key, e.Wrapped = e.Index, p.key.wrapped, sha256.Sum256(p.key.wrapped)
					a.keys[p.key] = e.Index
				}
			}
		}
		leaf := e.append(nil)
		hash := tlog.RecordHash(leaf)
		if _, err := tree.add(hash); err != nil {
			return a, nil, err
		}
		row.Line = string(leaf)
		rows, a.seen[p.Run] = append(rows, row), progress{e.Index + 1, hash}
	}
	if len(rows) == 0 {
		return a, nil, nil
	}
	var line []byte
	a.signed, line, err = tree.checkpoint(c.Origin, l.sum, l.signer)
	a.size, a.line = tree.size, string(line)
	return a, append(rows, Row{Number: a.size, Checkpoint: true, Line: a.line}), err
}

// after returns which leaf comes next in the run of p, or why p is refused.
func (l *Shared) after(p *pending, all map[Run]Last) (at progress, err error) {
	last, there := all[p.Run]
	if there {
		leaf, err := parseLeaf([]byte(last.Leaf))
		if err != nil || leaf.Run != p.Run {
			return at, fmt.Errorf("the last row of run %s was changed: %w", p.Run, cmp.Or(err, errors.New("it belongs to another run")))
		}
		at = progress{leaf.Index + 1, tlog.RecordHash([]byte(last.Leaf))}
		last.Seconds = min(last.Seconds, time.Since(leaf.At).Seconds()) // the row's time is not signed, so the leaf's time counts, too
	}
	switch {
	case p.Run == Run{}, !there && p.Step == Begun, there && at == p.r.seen:
	case !there:
		return at, fmt.Errorf("run %s has not begun: append its entry Begun first", p.Run)
	case p.Step == Begun:
		return at, fmt.Errorf("run %s has begun before: each run needs its own ID", p.Run)
	case p.Asked && last.Seconds < l.opt.Dead.Seconds():
		return at, fmt.Errorf("run %s had an entry %.0f seconds ago, and %w: a run can be settled after %v without an entry", p.Run, last.Seconds, ErrAlive, l.opt.Dead)
	}
	return at, nil
}

// done updates the state of l for a group that is in the log.
func (l *Shared) done(a *attempt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for p, err := range a.err {
		switch {
		case err == nil && p.Step != "":
			p.r.seen, p.r.taken = a.seen[p.Run], a.taken[p.r]
			if index, there := a.keys[p.key]; there {
				p.key.index = index
			}
		case err != nil && p.done == nil:
			p.r.failed = err // no caller waits for this entry, so the next entry of the run gets the error
		case err != nil && p.r.seen.next == 0 && l.runs[p.Run] == p.r:
			delete(l.runs, p.Run)
		}
		if p.size = a.size; p.done != nil && !p.over {
			p.done <- err
		}
		p.over = true
	}
	if a.line == "" {
		return
	}
	l.head = attempt{size: a.size, line: a.line}
	l.witness.send(a.signed)
}

func (l *Shared) destroy(keys []keyPlace) (int, error) {
	numbers := scalar.Each(keys, func(k keyPlace) int64 { return k.number })
	if numbers == nil {
		return 0, nil
	}
	return l.table.Destroy(context.Background(), numbers)
}

// Erase erases runs like [Log.Erase], by deleting keys from their table. Backups and the server's log still have the keys. Erase reads the runs that have
// keys, the oldest key first, and stops when none of the next maxYoung keys is old. So its time does not grow with the number of young or erased runs.
func (l *Shared) Erase(before time.Time, runs ...Run) (n int, skipped []Run, err error) {
	if err = l.flush(); err == nil && len(runs) > 0 { // flush first, so that the entries of this process are in the table
		n, skipped, err = l.erase(newEraser(before, runs), runs)
	}
	for from, more := int64(0), !before.IsZero(); err == nil && more; {
		rows, failed := l.table.Keyed(context.Background(), from, maxYoung)
		if err, more = failed, false; err != nil {
			break
		}
		x, old := newEraser(before, nil), map[Run]bool{}
		for _, r := range rows {
			e, err := r.entry()
			if err != nil {
				return n, skipped, err
			}
			if from, x.read[e.Number] = e.Number+1, e.Hash; e.At.Before(before) {
				old[e.Run], more = true, true
			}
		}
		destroyed, open, failed := l.erase(x, slices.Collect(maps.Keys(old)))
		n, skipped, err = n+destroyed, append(skipped, open...), failed
	}
	return n, skipped, err
}

// maxYoung is how many keys Erase reads at a time. Clocks of processes differ, so the key of a young run may come before that of an old run.
const maxYoung = 250

func (l *Shared) erase(x *eraser, runs []Run) (n int, skipped []Run, err error) {
	rows, err := l.table.OfRuns(context.Background(), runs)
	for i := 0; err == nil && i < len(rows); i++ {
		e, failed := rows[i].entry()
		if err = failed; err == nil {
			x.note(e, keyPlace{number: e.Number, length: len(rows[i].Key)})
		}
	}
	if err != nil {
		return 0, nil, err
	}
	return x.erase(l)
}

// Close appends the entries in the queue, and closes the table.
func (l *Shared) Close() error {
	if l == nil || l.table == nil {
		return errClosed
	}
	l.mu.Lock()
	again := l.err != nil
	l.err = errClosed
	l.room.Broadcast()
	l.mu.Unlock()
	if again {
		return nil
	}
	select {
	case l.wake <- struct{}{}:
	default:
	}
	<-l.ended
	err := l.down // no lock is needed: the writing goroutine has ended
	return errors.Join(err, l.witness.stop(), l.table.Close())
}
