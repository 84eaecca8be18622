// This file verifies a whole log.

package tree

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/exoagent/exoagent/internal/cosign"
)

// Verdict is the result of Verify. It reports whether the lines are intact, and whether the runs are complete.
type Verdict struct {
	Origin  string
	Entries int64
	Signed  int64    // how many entries the last checkpoint covers
	Runs    int      // how many runs have begun
	Erased  int      // how many runs have no data keys any more, and an entry that reports their erasure
	Changed []string // the changes that were found, at most 20. The log is intact if there is none
	Missing []string // gaps in runs, at most 20. Without gaps the log is complete, except for the ends of the runs in Unended
	Resumed []string // the entries that a process left unsigned when it ended, at most 20. An attacker could change them until the next process signed them
	Unended []Run    // the runs that began and have not ended, in order: they may still be running, or their process was killed

	Witness string // the witness's folder, database or URL; "" if none was given
	Seen    int64  // how many entries the witness has seen
	Unasked error  // the reason why the witness proves nothing; nil if it proves what Seen says, or if none was given
}

// Intact reports whether no change was found. The last Entries-Signed entries are not signed yet: Verify can't detect a change in them.
func (v *Verdict) Intact() bool { return len(v.Changed) == 0 }

// Complete reports whether the log is intact and no run has a gap. The runs in Unended may still lack entries at their ends.
func (v *Verdict) Complete() bool { return v.Intact() && len(v.Missing) == 0 }

// maxStep is how far the database's clock may be set back, or be ahead of the verifier's.
const maxStep = time.Hour

// maxFound limits Changed, Missing and Resumed, and how many runs Lines shows.
const maxFound = 20

func found(in *[]string, format string, args ...any) {
	if len(*in) < maxFound {
		*in = append(*in, fmt.Sprintf(format, args...))
	}
}

// runSeen is the state of a run during a verification.
type runSeen struct {
	progress
	ended, erased, alive, destroyed bool // alive: the run has a data key; destroyed: a data key of the run was overwritten
}

// verification is the state of a running Verify.
type verification struct {
	*Verdict
	key   note.Verifier
	tree  frontier
	runs  map[Run]*runSeen
	order []Run
	seen  Checkpoint // the checkpoint of the witness
	head  Checkpoint // the last checkpoint that was read
	last  string     // the signed text of that checkpoint
	buf   []byte

	cosigner *cosigner // the client of a witness over HTTP; nil: none

	latest time.Time // the latest Row.At
	moved  string    // describes the rows with times out of order
}

// Verify reads a whole log. It checks each line, each hash and each signature. The public key must not come from the log, where an attacker
// could have replaced it. witness is the place of the log's checkpoints: a second folder, a second database as env:NAME, or a witness over
// HTTP as URL#KEY; "": none. An error means that nothing could be checked.
func Verify(in Source, public PublicKey, witness string) (*Verdict, error) {
	key, err := verifier(public)
	if err != nil {
		return nil, err
	}
	s := &verification{Verdict: &Verdict{Origin: key.Name(), Witness: shown(witness)}, key: key, runs: map[Run]*runSeen{}}
	if cosign.Is(witness) {
		if s.cosigner, s.Unasked = cosignerOf(witness, key, in); s.cosigner != nil {
			s.seen = s.cosigner.most
		}
	} else if witness != "" {
		s.seen, s.Unasked = seenBy(witness, key)
	}
	s.Seen = s.seen.Size
	if err := s.read(in); err != nil {
		return nil, err
	}
	s.ends(in)
	return s.Verdict, nil
}

// read checks the lines. It stops at the first changed line, since the place of later lines in the tree is unknown.
func (s *verification) read(in Source) error {
	file := ""
	for x, err := range in.lines(place{}, true) {
		if err == nil && x.file != file {
			if file = x.file; x.first != s.tree.size {
				found(&s.Changed, "%s should begin with entry %d", filepath.Base(file), s.tree.size)
			}
		}
		s.time(x.kept)
		switch {
		case !s.Intact():
			return nil
		case errors.Is(err, errUnread):
			return err
		case err != nil:
			found(&s.Changed, "%v", err)
		case x.Entry != nil:
			s.entry(x.Entry)
		default:
			if s.head, err = openCheckpoint(x.checkpoint, s.key); err != nil {
				found(&s.Changed, "after entry %d: %v", s.tree.size-1, err)
			} else if _, ok := frontierOf(s.head, x.subtrees); !ok || !s.tree.is(s.head) {
				found(&s.Changed, "the checkpoint after entry %d signs %d entries with another hash: an entry before it was changed, dropped, added or moved", s.tree.size-1, s.head.Size)
			}
			s.Signed, s.last = s.head.Size, x.checkpoint
		}
	}
	return nil
}

// time notes the time of a row. No later row may have a much earlier time.
func (s *verification) time(at time.Time) {
	if at.Add(maxStep).Before(s.latest) && s.moved == "" {
		s.moved = fmt.Sprintf("at entry %d it is %s, and before it %s", s.tree.size-1, at.UTC().Format(time.RFC3339), s.latest.UTC().Format(time.RFC3339))
	}
	if at.After(s.latest) {
		s.latest = at
	}
}

func (s *verification) entry(e *Entry) {
	if e.Number != s.tree.size {
		found(&s.Changed, "entry %d is in the place of entry %d", e.Number, s.tree.size)
		return
	}
	if err := e.outside(&s.buf); err != nil {
		found(&s.Changed, "%v", err)
	}
	if _, err := s.tree.add(e.Hash); err != nil {
		found(&s.Changed, "entry %d: %v", e.Number, err)
	}
	if n := s.tree.size - s.head.Size; n == 2*signEvery { // a log signs after signEvery entries, and if that fails, tries again at each later entry
		found(&s.Changed, "entries %d to %d have no checkpoint between them, so no process of the log wrote them", s.head.Size, e.Number)
	}
	if s.seen.Size == s.tree.size && !s.tree.is(s.seen) {
		found(&s.Changed, "the witness has seen other entries than the first %d of this log: entries were changed, or an old copy of the log was put back", s.seen.Size)
	}
	r := s.runs[e.Run]
	if r == nil {
		r = &runSeen{}
		s.runs[e.Run] = r
		s.order = append(s.order, e.Run)
	}
	if !r.goesOn(e) {
		found(&s.Missing, "entry %d is number %d of run %s and does not follow the one before it", e.Number, e.Index, e.Run)
	}
	r.ended = r.ended || e.Step == Ended // an entry that settles the run may follow its end
	// A key in a line after the entry Erased is allowed: it seals entries that settled the run later.
	r.alive, r.destroyed = r.alive || len(e.wrapped) > 0 && !e.Destroyed() && !r.erased, r.destroyed || e.Destroyed()
	if of := s.runs[e.Of]; e.Step == Erased && of != nil {
		of.erased = true
	}
	if e.Step == Resumed && e.Run == (Run{}) {
		s.resumed(e)
	}
}

// resumed notes the entries that the previous process left unsigned.
func (s *verification) resumed(e *Entry) {
	if e.Call != uint64(e.Number-s.head.Size) {
		found(&s.Changed, "entry %d reports %d unsigned entries before it, but there were %d", e.Number, e.Call, e.Number-s.head.Size)
	}
	what := fmt.Sprintf("entries %d to %d", s.head.Size, e.Number-1)
	if e.Call == 0 {
		what = "no entry"
	}
	if e.Failed {
		what += fmt.Sprintf(", and lines that could not be read, which are in %s*", unreadFile)
	}
	found(&s.Resumed, "%s", what)
}

// ends makes the checks that need the whole log.
func (s *verification) ends(in Source) {
	s.Entries = s.tree.size
	if !s.Intact() {
		return
	}
	if s.head.Origin == "" {
		found(&s.Changed, "no checkpoint is there, so nothing is signed")
	}
	s.time(time.Now())
	if s.moved != "" { // an attacker who moves the times can keep a run from being settled, and so from being erased
		found(&s.Changed, "the times of rows, which nothing signs, are out of order: %s. They were changed, unless the database's clock was set by more than %s", s.moved, maxStep)
	}
	if s.cosigner != nil && s.Seen <= s.Entries {
		s.askWitness(s.last)
	}
	if lag := s.Signed - s.Seen; s.Witness != "" && s.Unasked == nil && lag > 8*signEvery {
		s.Unasked = fmt.Errorf("the witness has seen %d entries of %d: the log can't write to the witness", s.Seen, s.Signed)
	}
	if s.Seen > s.Entries {
		found(&s.Changed, "entries %d to %d are missing at the end: the witness has seen them", s.Entries, s.Seen-1)
	}
	if _, digest, err := readAbout(in); err != nil || digest != s.head.About {
		found(&s.Changed, "%s is missing or was changed after the log was made", aboutFile)
	}
	for _, id := range s.order {
		r := s.runs[id]
		if id == (Run{}) {
			continue
		}
		if s.Runs++; !r.ended {
			s.Unended = append(s.Unended, id)
		}
		switch {
		case r.erased && r.alive:
			found(&s.Changed, "run %s was erased, and a data key of it is there: the erasing was cut short, or an old copy was put back. Erase it again", id)
		case r.erased:
			s.Erased++
		case r.destroyed:
			found(&s.Changed, "a data key of run %s was destroyed, and no entry says so", id)
		}
	}
}

// Lines returns the verdict for a person: the findings, what they are based on, and the changes that Verify can't detect.
func (v *Verdict) Lines() (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	yes := map[bool]string{true: "yes", false: "NO"}
	if add("intact: %s", yes[v.Intact()]); v.Intact() {
		add("  %d entries of %d runs are as checkpoints of %s sign them; %d more are not signed yet and can have been changed unseen", v.Signed, v.Runs, v.Origin, v.Entries-v.Signed)
		add("  %d runs were erased: their hashes are verified, and nobody can read what they wrote", v.Erased)
	}
	for _, c := range v.Changed {
		add("  %s", c)
	}
	if add("complete: %s", yes[v.Complete()]); v.Complete() {
		add("  each entry follows the one before it in its run, and a run that ended has as many as it says; %d began and have not ended, and may lack entries at the end", len(v.Unended))
	}
	for _, m := range v.Missing {
		add("  %s", m)
	}
	for _, r := range v.Resumed {
		add("signed late, after a process ended without signing: %s; who could write the log could change them unseen until then", r)
	}
	for _, id := range v.Unended[:min(len(v.Unended), maxFound)] {
		add("    %s", id)
	}
	const unseen = "entries cut off at the end, an old copy of the whole log put back, entries that were not signed yet when their process ended, and a history that the holder of the signing key has written anew"
	add("rests on: the public key of %s, if it comes from those who made the log; SHA-256 and Ed25519", v.Origin)
	switch {
	case v.Witness == "":
		add("can't be seen without a witness: %s", unseen)
	case v.Unasked != nil:
		add("witness %s: %v. So these can't be seen: %s", v.Witness, v.Unasked, unseen)
	default:
		add("witness %s: it has seen %d entries, and lags %d behind", v.Witness, v.Seen, max(0, v.Entries-v.Seen))
		add("can't be seen: what was changed after entry %d by the holder of the signing key, or while it was not signed; all, if they can also write the witness's folder or have its key", v.Seen-1)
	}
	return lines
}
