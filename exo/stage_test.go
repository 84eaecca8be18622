package exo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
)

// staging is a shop whose mails are kept before the commit.
type staging struct {
	*shop
	keys    []string
	noStore bool
}

func (o *staging) Describe() (message.Description, error) {
	d, err := o.shop.Describe()
	if o.noStore {
		delete(d.Interfaces[0].Methods, "put")
	}
	return d, err
}

func (o *staging) UnitKey() any {
	if o.noStore {
		return nil
	}
	return o.shop.UnitKey()
}

func (o *staging) Stage(ctx context.Context, m *Message, witnessed bool) error {
	o.mu.Lock()
	o.keys = append(o.keys, m.Key())
	o.mu.Unlock()
	return o.did(ctx, fmt.Sprint("stage ", witnessed))
}

func (o *staging) Forget(ctx context.Context, m *Message) error {
	o.mu.Lock()
	kept := slices.Contains(o.keys, m.Key())
	o.mu.Unlock()
	if !kept {
		return errors.New("it was never kept")
	}
	return o.did(ctx, "forget")
}

var _ Stager = (*staging)(nil)

type witnessingUnit struct{ shopUnit }

func (u witnessingUnit) Witness(ctx context.Context, _ RunID) error { return u.s.did(ctx, "witness") }

// TestStaged: a held message is kept after all that may refuse the run and before the commit, and is forgotten where it does not act. If
// nobody knows whether the stores kept the run, the message stays, and its object asks them later.
func TestStaged(t *testing.T) {
	bad := errors.New("broken")
	broken := func(context.Context) error { return bad }
	for _, c := range []struct {
		name    string
		methods []string
		fails   string
		how     func(context.Context) error
		record  Step // that the record does not take
		program error
		log     string
	}{
		{"a change and a mail", []string{"put", "mail"}, "", nil, 0, nil, "prepare, stage false, record committing, commit, record committed, record acting, mail, record acted"},
		{"two mails", []string{"mail", "put", "mail"}, "", nil, 0, nil, "prepare, stage false, stage false, record committing, commit, record committed, record acting, mail, record acted, record acting, mail, record acted"},
		{"a mail alone", []string{"mail"}, "", nil, 0, nil, "stage true, record committing, record committed, record acting, mail, record acted"},
		{"a mail, and rows that were read", []string{"count", "mail"}, "", nil, 0, nil, "prepare, commit, stage true, record committing, record committed, record acting, mail, record acted"},
		{"the program fails", []string{"put", "mail"}, "", nil, 0, bad, "rollback"},
		{"the unit can't prepare", []string{"put", "mail"}, "prepare", broken, 0, nil, "prepare, rollback"},
		{"it can't be kept", []string{"put", "mail"}, "stage false", broken, 0, nil, "prepare, stage false, forget, rollback"},
		{"keeping it does not end", []string{"put", "mail"}, "stage false", func(context.Context) error { select {} }, 0, nil, "prepare, stage false, forget, rollback"},
		{"keeping it panics", []string{"put", "mail"}, "stage false", func(context.Context) error { panic("oh") }, 0, nil, "prepare, stage false, forget, rollback"},
		{"the second can't be kept", []string{"put", "mail", "mail"}, "stage false", second(), 0, nil, "prepare, stage false, stage false, forget, forget, rollback"},
		{"no intent is recorded", []string{"put", "mail"}, "", nil, Committing, nil, "prepare, stage false, forget, rollback"},
		{"nothing is kept", []string{"put", "mail"}, "commit", func(context.Context) error { return fmt.Errorf("%w: no", ErrNothingDone) }, 0, nil, "prepare, stage false, record committing, commit, record committed, forget"},
		{"nobody knows", []string{"put", "mail"}, "commit", broken, 0, nil, "prepare, stage false, record committing, commit, record committed"},
		{"that it is committed is not recorded", []string{"put", "mail"}, "", nil, Committed, nil, "prepare, stage false, record committing, commit, forget, record committed"},
		{"its intent is not recorded", []string{"put", "mail"}, "", nil, Acting, nil, "prepare, stage false, record committing, commit, record committed, forget"},
		{"it is refused before it leaves", []string{"put", "mail"}, "mail", func(context.Context) error { return ErrNothingDone }, 0, nil, "prepare, stage false, record committing, commit, record committed, record acting, mail, record acted, forget"},
		{"nobody knows of the mail", []string{"put", "mail"}, "mail", broken, 0, nil, "prepare, stage false, record committing, commit, record committed, record acting, mail, record acted"},
		{"it can't be forgotten", []string{"put", "mail"}, "forget", broken, Committing, nil, "prepare, stage false, forget, rollback"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, taken := &shop{name: "a", fail: map[string]func(context.Context) error{c.fails: c.how}}, false
			o := &staging{shop: s}
			w := endOf(t, o, s, func(e Entry) error {
				if e.Step == c.record && (!taken || c.record == Committing) {
					taken = true
					return bad
				}
				return nil
			}, c.program, c.methods...)
			s.mu.Lock()
			log := slices.DeleteFunc(s.log, func(what string) bool {
				return !strings.HasPrefix(what, "stage") && !slices.Contains([]string{"prepare", "commit", "rollback", "forget", "mail", "record committing", "record committed", "record acting", "record acted"}, what)
			})
			s.mu.Unlock()
			if i := slices.Index(log, "prepare"); i >= 0 {
				log = log[i:] // what the program asked for comes before
			}
			if got := strings.Join(log, ", "); got != c.log {
				t.Errorf("%s\nwant %s", got, c.log)
			}
			if c.name == "nobody knows" && w.states() != "put unknown, mail unknown" {
				t.Error(w.states())
			}
			if strings.Contains(c.log, "rollback") && (w.err == nil || fail.KindOf(w.err) == fail.Pending || s.kept != 0) {
				t.Errorf("%v, %d rows kept", w.err, s.kept)
			}
		})
	}
}

// TestStagedAlone: of an object without a store no message is kept if the run changes no store: its first message is its commit.
func TestStagedAlone(t *testing.T) {
	for noStore, want := range map[bool]bool{true: false, false: true} {
		s := &shop{name: "a"}
		w := endOf(t, &staging{shop: s, noStore: noStore}, s, nil, nil, "mail", "mail")
		if staged := slices.Contains(s.log, "stage true"); w.err != nil || staged != want || !slices.Contains(s.log, "mail") {
			t.Errorf("without a store %v: %v %v", noStore, w.err, s.log)
		}
	}
}

// second returns a function that fails when it is called the second time.
func second() func(context.Context) error {
	n := 0
	return func(context.Context) error {
		if n++; n == 2 {
			return errors.New("the store is full")
		}
		return nil
	}
}

// TestStagedWitnessed: an object learns that each store will know of the run, since it decides by that after a kill.
func TestStagedWitnessed(t *testing.T) {
	s := &shop{name: "a", wraps: func(u shopUnit) Unit { return witnessingUnit{u} }}
	w := endOf(t, &staging{shop: s}, s, nil, nil, "put", "mail")
	if w.err != nil || !slices.Contains(s.log, "stage true") || slices.Index(s.log, "witness") > slices.Index(s.log, "stage true") {
		t.Errorf("%v %v", w.err, s.log)
	}
}
