package review

// This file has the decision of a person, and the run that applies a change set after it.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/buildinfo"
	"github.com/exoagent/exoagent/internal/scalar"
)

// How is the way in which the host has identified an approver.
type How string

// These are the ways in which an approver is identified, the weakest first.
const (
	Terminal How = "terminal" // the host's own terminal, where any person may run commands
	Link     How = "link"     // a page opened with a link that works once; the person who made the link named its reader
	Page     How = "page"     // a page with a reader that a proxy names in a signed assertion
)

// Approver is the person who decides, as the host knows them, never as a client claims.
type Approver struct {
	Name string
	How  How
}

// may returns nil if the approver may decide about w, and otherwise the reason.
func (a Approver) may(w *ChangeSet) error {
	by := w.Who.By
	if by == "" && a.How == Page {
		by = changeset.Other
	}
	switch {
	case a.Name == "" || a.How != Terminal && a.How != Link && a.How != Page:
		return fmt.Errorf("%w: an Approver needs the Name of the person, and in How the way in which the host knows them", ErrNotAllowed)
	case w.Who.Least == changeset.Page && a.How == Terminal:
		return fmt.Errorf("%w: a rule requires that the person decides on the page, which identifies its reader, and not at a terminal", ErrNotAllowed)
	case w.Who.By == changeset.Other && a.How != Page:
		return fmt.Errorf("%w: a rule requires a person other than the program's user: decide on the page, whose proxy identifies its reader, and not at a terminal or by a link", ErrNotAllowed)
	case by == changeset.Other && a.Name == string(w.Principal):
		return fmt.Errorf("%w: a person other than %s must decide this, since it was prepared for them", ErrNotAllowed, a.Name)
	}
	return nil
}

// Approved is a change set that a person has agreed to, with the run that will apply it. codemode.Tool.Apply runs it.
type Approved struct {
	ChangeSet
	keeper   *Keeper
	entry    store.Entry
	differs  string // tells the person what was different; "": nothing
	reviewed bool   // the run was compared with the change set, and does the same
}

// These are errors of a decision.
var (
	ErrDecided    = fail.Named("review: this change set no longer waits for a decision")
	ErrNotAllowed = fail.Named("review: this approver may not decide about the change set")
	ErrStale      = fail.Named("review: the change set is not the one that was shown: look at it again")
)

// DiffersError is wrapped by the error of a run that had to apply a change set and would have done something else. Difference is for the person:
// it contains values that were read, but no labelled ones.
type DiffersError struct{ Difference string }

// Error implements error.
func (e *DiffersError) Error() string { return "review: " + e.Difference }

// Approve notes that a person agrees to a change set. seen is the Digest of what the person saw. Only the first process that calls Approve succeeds,
// and only before the change set expires. The caller must then run the change set, as codemode.Tool.Apply does, or call Done with the outcome.
func (k *Keeper) Approve(ctx context.Context, id, seen string, by Approver) (*Approved, error) {
	e, h, w, err := k.find(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := by.may(&w); err != nil {
		return nil, err
	}
	if w.State != Pending {
		return nil, fmt.Errorf("%w: the change set is %s", ErrDecided, w.State)
	}
	if seen != w.Digest() {
		return nil, ErrStale
	}
	run := exo.NewRunID()
	now := k.opt.Now().UTC()
	h.State, h.Run, h.By, h.How, h.Decided = Applying, run.String(), by.Name, by.How, now
	if e, err = k.replace(ctx, e, h); err != nil {
		return nil, err
	}
	w.State, w.Applies, w.By, w.How, w.Decided = Applying, &run, by.Name, by.How, now
	a := &Approved{ChangeSet: w, keeper: k, entry: e}
	k.mu.Lock()
	k.applies[run] = a
	k.mu.Unlock()
	return a, nil
}

// Reject notes that a person refuses a change set. why is for the model that prepared it, and may be empty.
func (k *Keeper) Reject(ctx context.Context, id, why string, by Approver) error {
	e, h, w, err := k.find(ctx, id)
	if err != nil {
		return err
	}
	w.Who = changeset.Who{By: changeset.Self} // any identified person may refuse
	if err := by.may(&w); err != nil {
		return err
	}
	if w.State != Pending {
		return fmt.Errorf("%w: the change set is %s", ErrDecided, w.State)
	}
	h.State, h.By, h.How, h.Decided, h.Why = Rejected, by.Name, by.How, k.opt.Now().UTC(), scalar.Shorten(why, maxWhy)
	_, err = k.replace(ctx, e, h)
	return err
}

// maxWhy is how many bytes a reason may have.
const maxWhy = 1000

// replace writes a head in place of the one that was read. If another writer was faster, the error is ErrDecided.
func (k *Keeper) replace(ctx context.Context, e store.Entry, h head) (store.Entry, error) {
	mac, err := k.mac(h)
	if err != nil {
		return e, err
	}
	h.MAC = mac
	if e.Value, err = json.Marshal(h); err != nil {
		return e, err
	}
	e.Version, err = k.opt.Store.Put(ctx, e)
	if errors.Is(err, store.ErrConflict) {
		err = fmt.Errorf("%w: another person has already decided", ErrDecided)
	}
	return e, err
}

// Job returns the run that applies the change set. It repeats the run of the preview, with an ID of its own.
func (a *Approved) Job() exo.Run {
	return exo.Run{ID: *a.Applies, Principal: a.Principal, Label: value.NewLabel(a.Began...), Clock: a.Clock, Seed: a.Seed}
}

// approval is added to the entry Committing on the record, by the run that applies a change set.
type approval struct {
	Set     string    `json:"changeset"`
	Run     exo.RunID `json:"prepared_by"`
	By      string    `json:"approved_by"`
	How     How       `json:"how"`
	Decided time.Time `json:"at"`
	Seen    string    `json:"digest"`
}

// compare reviews the run that applies a change set. The run commits only if everything that it determines is as the person saw it.
func (a *Approved) compare(r *exo.Reviewed, set changeset.Set, known []byte) error {
	switch {
	case r.Granted.String() != a.granted:
		a.differs = "the grants have changed since the change set was prepared"
	case a.module != buildinfo.Version():
		a.differs = fmt.Sprintf("version %s of this module prepared the change set, and this is version %s", a.module, buildinfo.Version())
	case !same(known, a.known):
		a.differs = difference(a.Set, set)
	}
	if err := a.Conflict(); err != nil {
		return err
	}
	a.reviewed = true
	r.Details = append(r.Details, approval{a.ID, a.Run, a.By, a.How, a.Decided, a.Digest()})
	return nil
}

// difference describes the first thing that differs, for the person. It shows no labelled value, since the person may not see labelled values.
func difference(was, is changeset.Set) string {
	for i := range max(len(was.Parts), len(is.Parts)) {
		if i >= len(was.Parts) || i >= len(is.Parts) {
			return fmt.Sprintf("the run would now change %d stores, and the change set changes %d", len(is.Parts), len(was.Parts))
		}
		if a, b := was.Parts[i], is.Parts[i]; !bytes.Equal(a.Known, b.Known) {
			for j := range max(len(a.Rows), len(b.Rows)) {
				switch {
				case j >= len(b.Rows):
					return fmt.Sprintf("%s %s is not %s any more", a.Rows[j].Table, a.Rows[j].Key, a.Rows[j].Kind)
				case j >= len(a.Rows):
					return fmt.Sprintf("%s %s is %s, too", b.Rows[j].Table, b.Rows[j].Key, b.Rows[j].Kind)
				}
				if x, y := text(a.Rows[j]), text(b.Rows[j]); x != y {
					return fmt.Sprintf("the change would be %s now, and was %s", y, x)
				}
			}
			return "the run would now change something that the change set does not show"
		}
	}
	sent := func(m changeset.Message) string {
		if s := sealed(m.Label); s != "" {
			return m.Op + " " + s
		}
		return m.Text
	}
	for i := range max(len(was.Messages), len(is.Messages)) {
		switch {
		case i >= len(is.Messages):
			return sent(was.Messages[i]) + " is not sent any more"
		case i >= len(was.Messages):
			return sent(is.Messages[i]) + " is sent, too"
		case sent(was.Messages[i]) != sent(is.Messages[i]):
			return fmt.Sprintf("the run would send %s now, and was to send %s", sent(is.Messages[i]), sent(was.Messages[i]))
		}
	}
	return "the run would now use another value, which the change set does not show"
}

// sealed returns the text in place of a labelled value, or "" for a value without label.
func sealed(label []string) string {
	if l := value.NewLabel(label...).Secrecy(); !l.Empty() {
		return "[sealed " + l.List() + "]"
	}
	return ""
}

// text writes a row in one line, without the values of cells that the database chooses.
func text(r changeset.Row) string {
	var b bytes.Buffer
	side := func(text *string, null bool, label []string) string {
		if s := sealed(label); s != "" {
			return s
		}
		if null {
			return "null"
		}
		return strconv.Quote(*text)
	}
	fmt.Fprintf(&b, "%s %s", r.Table, r.Kind)
	for _, c := range r.Cells {
		switch {
		case c.New:
		case c.Before != nil && c.After != nil && (c.Changed() || sealed(c.Label) != ""):
			fmt.Fprintf(&b, ", %s from %s to %s", c.Name, side(c.Before, c.WasNull, c.Label), side(c.After, c.IsNull, c.Label))
		case c.After != nil:
			fmt.Fprintf(&b, ", %s %s", c.Name, side(c.After, c.IsNull, c.Label))
		case c.Before != nil:
			fmt.Fprintf(&b, ", %s %s", c.Name, side(c.Before, c.WasNull, c.Label))
		}
	}
	return b.String()
}

// Outcome describes the result of the run that applied a change set.
type Outcome uint8

// These are the outcomes. The zero Outcome means that nothing was kept.
const (
	NotKept     Outcome = iota
	Kept                // the changes were kept, and each message was sent or is known to have failed
	SendUnknown         // the changes were kept, but it is unknown whether a message was sent; the state becomes Unknown
	KeptUnknown         // it is unknown whether the changes were kept; the state stays Applying until Reconcile has asked the database
)

// Done notes the outcome of the run that applied the change set, and the error with which it ended.
func (a *Approved) Done(ctx context.Context, what Outcome, failed error) error {
	k := a.keeper
	k.mu.Lock()
	delete(k.applies, *a.Applies)
	k.mu.Unlock()
	if what == KeptUnknown {
		return nil
	}
	if failed == nil && !a.reviewed { // a run that changes nothing is never reviewed
		a.differs = "the run would change nothing now"
	}
	h, err := k.parseHead(a.entry)
	if err != nil {
		return err
	}
	switch h.State = Applied; what {
	case SendUnknown:
		h.State = Unknown
	case NotKept:
		h.State = Conflict
		// The reason is not kept in full, since it may contain values and the head is not encrypted.
		switch h.Why = "its messages were refused"; {
		case a.differs != "":
			h.Why = "it would now do something else"
		case failed != nil:
			h.Why = "its program failed this time"
		}
	}
	_, err = k.replace(ctx, a.entry, h)
	return err
}

// Conflict returns the error of a run that would have done something else, with a [*DiffersError]. It returns nil if the run did the same.
func (a *Approved) Conflict() error {
	if a.differs == "" {
		return nil
	}
	return &fail.Error{Kind: fail.Conflict, Msg: "a person agreed to this change, but its program would now do something else, so nothing was changed: run the program again if the change is still wanted", Err: &DiffersError{a.differs}}
}

// Reconcile settles change sets that a process was applying when it was killed. kept asks the database whether the changes of a run were kept. Its
// answer must be final, like that of exosql's DB.Committed; if the database has lost it, kept returns ErrLost. A change set whose changes were not kept
// waits again for the rest of its time. It becomes Unknown after ErrLost, or if its messages may have been sent. Reconcile returns how many it settled.
func (k *Keeper) Reconcile(ctx context.Context, kept func(context.Context, exo.RunID) (bool, error)) (n int, err error) {
	if !k.made() {
		return 0, errZero
	}
	var unread error
	err = k.heads(ctx, func(e store.Entry, h head, broken error) error {
		if unread = errors.Join(unread, broken); broken != nil || h.State != Applying {
			return nil
		}
		run, err := exo.ParseRunID(h.Run)
		if err != nil {
			return err
		}
		k.mu.Lock()
		ours := k.applies[run] != nil
		k.mu.Unlock()
		if ours || k.opt.Now().Sub(h.Decided) < cutOff {
			return nil
		}
		yes, err := kept(ctx, run)
		if err != nil && !errors.Is(err, ErrLost) {
			return err
		}
		if h.State = Applied; yes && h.Mails || !yes && (h.Sends || err != nil) {
			h.State = Unknown // it is unknown whether the messages were sent, or the changes kept
		} else if !yes {
			h.State, h.Run, h.By, h.How, h.Decided = Pending, "", "", "", time.Time{}
		}
		if _, err = k.replace(ctx, e, h); err == nil {
			n++
		}
		return err
	})
	return n, errors.Join(err, unread)
}

// ErrLost is the error of a database that has lost the information whether it kept a run. If the change set waited again, its changes could be made
// twice.
var ErrLost = fail.Named("review: the store no longer knows whether it kept the run's changes")

// cutOff is how long a run may take to apply a change set before it counts as killed. No run lasts longer.
const cutOff = 10 * time.Minute

// News returns a sentence for each change set of a principal that was decided or has expired since the last call. It is for the principal's model. If
// the principal has no open change sets, News reads only one entry of the store.
func (k *Keeper) News(ctx context.Context, p exo.Principal) (out []string, err error) {
	if !k.made() {
		return nil, errZero
	}
	var over []string
	err = k.open(ctx, p, func(id string, e store.Entry, h head, broken error) error {
		if broken != nil {
			over, out = append(over, id), append(out, fmt.Sprintf("the outcome of change set %s can't be read", id))
			return nil
		}
		state := h.live(k.opt.Now())
		if state == Pending || state == Applying {
			return nil
		}
		over = append(over, id)
		if e.Version == store.Absent || h.Reported { // another process has already reported it
			return nil
		}
		h.Reported, h.State = true, state
		if _, err := k.replace(ctx, e, h); errors.Is(err, ErrDecided) {
			return nil
		} else if err != nil {
			return err
		}
		out = append(out, news(id, state, h.Why))
		return nil
	})
	if err == nil && over != nil {
		err = k.index(ctx, p, func(ids []string) []string {
			return slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(over, id) })
		})
	}
	return out, err
}

// news returns a sentence about a change set that was decided or has expired.
func news(id string, state State, why string) string {
	switch state {
	case Applied:
		return fmt.Sprintf("change set %s was agreed to and applied", id)
	case Rejected:
		return fmt.Sprintf("change set %s was refused, and nothing of it happened%s", id, because(why))
	case Expired:
		return fmt.Sprintf("nobody decided about change set %s in time, so nothing of it happened", id)
	case Unknown:
		return fmt.Sprintf("change set %s was agreed to, and it is not known whether its messages left: do not send them again", id)
	}
	return fmt.Sprintf("change set %s was agreed to, and nothing of it happened%s: run its program again if it is still wanted", id, because(why))
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return " (" + why + ")"
}
