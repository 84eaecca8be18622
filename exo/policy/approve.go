package policy

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/internal/spell"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// Approvals has the messages that wait for a person's approval, and tickets for the approved ones.
// The zero Approvals has neither. Several objects, runs and gates can share one, if equal names
// mean equal grants in all of them. It is safe for several goroutines.
type Approvals struct {
	mu      sync.Mutex
	waiting []Request // the oldest first
	tickets map[digest]bool
}

// Request is one message that waits for approval.
type Request struct {
	ID        string // the argument for Allow; it can't be guessed, and no program sees it
	Principal exo.Principal
	Op        string      // the call, as the program wrote it, shortened
	Text      string      // the whole message, as a program could write it; characters that a terminal would not show are escaped
	Label     value.Label // the label of what the run has read and of Text: show Text only to people who may read that
	digest    digest
}

// digest identifies one message: its principal, its objects, and its whole content.
type digest [sha256.Size]byte

const (
	maxWaiting = 64       // most requests in all; a new one replaces the oldest
	maxPerRun  = 8        // most requests of one run, so that a program can't hide another's requests among its own
	maxRequest = 64 << 10 // most bytes of a request's text, which a person must be able to read
	maxTickets = 1 << 10  // most tickets that are not used yet
)

// Approve refuses each message that mentions o, or an object that o returned, and calls one of these methods anywhere in it. It lets a message
// pass if there is a ticket for exactly this one: the same principal, objects, methods and values. A message uses up its ticket, and never waits:
// the program reads that it may send the message again after the approval. Messages to objects from a reply can't be approved, since those differ
// in another run. At least one method must be named, and each must be reachable from o. Runs without a principal, or with a result that may not
// leave, get no approval. Approve asks about one call, in this process; package exo/review asks about all changes of a run, and survives a
// restart.
func Approve(o exo.Object, a *Approvals, methods ...string) exo.Object {
	methods = slices.Clone(methods)
	o = exo.Wrap(o, exo.Policy{
		Narrow: func(d *message.Description) error {
			if a == nil {
				return errors.New("policy: Approve got nil instead of Approvals: pass &policy.Approvals{}")
			}
			return named("Approve", methods)(d)
		},
		Before:  func(m *exo.Message) bool { return !calls(m.Root, methods, map[*message.Node]bool{}) || a.use(m) },
		Refusal: "a person has to approve this call first, and has been asked: make exactly the same call again after the approval",
	})
	// Other runs can notice a waiting request or a used ticket. So a withheld run must cause neither, or it would reveal what it has read.
	o = exo.Wrap(o, exo.Policy{
		Blind:   true,
		Before:  func(m *exo.Message) bool { return !m.Withheld() || !calls(m.Root, methods, map[*message.Node]bool{}) },
		Refusal: "this program has read values that its result may not contain, so no person can be asked about this call: make the call in another program",
	})
	// Without a principal all users would share the tickets, and one user could use up the ticket of another.
	return exo.Wrap(o, exo.Policy{
		Before: func(m *exo.Message) bool {
			return m.Run().Principal != "" || !calls(m.Root, methods, map[*message.Node]bool{})
		},
		Refusal: "a person has to approve this call, and none can be asked: the host runs this program for no user",
	})
}

// calls reports whether n, or a part of n, calls one of the methods.
func calls(n *message.Node, methods []string, seen map[*message.Node]bool) bool {
	if n == nil || seen[n] {
		return false
	}
	seen[n] = true
	if n.Op == message.OpCall && slices.Contains(methods, n.Name) || calls(n.Recv, methods, seen) {
		return true
	}
	return slices.ContainsFunc(n.Args, func(a *message.Node) bool { return calls(a, methods, seen) })
}

// use uses up the message's ticket. If there is none, it adds the message to those that wait.
func (a *Approvals) use(m *exo.Message) bool {
	names, ok := m.GrantNames()
	if !ok {
		return false
	}
	d, ok := digestOf(m, names)
	if !ok {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.tickets[d] {
		delete(a.tickets, d) // a ticket works once: otherwise the program could send the message again and again
		return true
	}
	if slices.ContainsFunc(a.waiting, func(r Request) bool { return r.digest == d }) {
		return false
	}
	asked := m.PerRun(a, func() any { return new(int) }).(*int)
	if *asked++; *asked > maxPerRun {
		return false
	}
	text, ok := spell.Message(m.Root, names, maxRequest)
	if !ok {
		return false
	}
	if len(a.waiting) == maxWaiting {
		a.waiting = slices.Delete(a.waiting, 0, 1)
	}
	a.waiting = append(a.waiting, Request{ID: rand.Text(), Principal: m.Run().Principal, Op: m.Op(), Text: text, Label: m.RunLabel(), digest: d})
	return false
}

// digestOf returns the digest of a message. ok is false if the message can't be approved.
func digestOf(m *exo.Message, names []string) (d digest, ok bool) {
	text, err := m.Root.Expr().AppendBinary(nil)
	if err != nil {
		return d, false
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q ", m.Run().Principal, names) // quoted, so that different texts can't give the same bytes
	h.Write(text)
	return digest(h.Sum(nil)), true
}

// Waiting lists the messages that wait for approval, oldest first.
func (a *Approvals) Waiting() []Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.waiting)
}

// Allow makes a ticket for the message with this ID, so that exactly this message may be sent once.
// It fails if no such message waits any more.
func (a *Approvals) Allow(id string) error { return a.decide(id, true) }

// Deny removes the message with this ID from those that wait. A program can ask for it again.
func (a *Approvals) Deny(id string) error { return a.decide(id, false) }

func (a *Approvals) decide(id string, allow bool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.waiting, func(r Request) bool { return r.ID == id })
	if i < 0 {
		return errors.New("policy: no message with this ID waits for approval: Approvals.Waiting lists those that do")
	}
	d := a.waiting[i].digest
	if allow && len(a.tickets) >= maxTickets {
		return errors.New("policy: too many approved messages were not sent yet: call Approvals.Revoke to take their approval back")
	}
	a.waiting = slices.Delete(a.waiting, i, i+1)
	if allow {
		if a.tickets == nil {
			a.tickets = map[digest]bool{}
		}
		a.tickets[d] = true
	}
	return nil
}

// Revoke takes back all tickets that have not been used.
func (a *Approvals) Revoke() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tickets = nil
}
