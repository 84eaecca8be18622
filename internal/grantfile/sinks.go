package grantfile

// This file has the outbox of a file. Messages to mails, chats and webhooks wait there, also the host's own notices.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/notify"
	"github.com/exoagent/exoagent/exo/outbox"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/internal/grantfile/services"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Sends reports whether the file has a sink, through which messages may leave.
func (f *File) Sends() bool {
	return slices.ContainsFunc(f.Services, func(s services.Service) bool { return s.Sink() })
}

// box is the open outbox of a file.
type box struct {
	*outbox.Outbox
	store store.Store
	stop  func() // ends the deliveries of this process
	once  sync.Once
}

// OpenOutbox opens only the outbox of a file, for a person. If deliver is set, it reads the secrets of the sinks, to deliver to them.
func (f *File) OpenOutbox(ctx context.Context, env func(string) string, deliver bool) (*outbox.Outbox, func() error, error) {
	b, err := f.openBox(ctx, env, nil)
	if err != nil {
		return nil, nil, err
	}
	for i := range f.Services {
		s := &f.Services[i]
		if !deliver || !s.Sink() {
			continue
		}
		if _, err := s.Open(ctx, env, b.Outbox); err != nil {
			return nil, nil, errors.Join(fmt.Errorf("the service %s: %w", s.Text, err), b.store.Close())
		}
	}
	return b.Outbox, b.store.Close, nil
}

func (f *File) openBox(ctx context.Context, env func(string) string, kept outbox.Kept) (*box, error) {
	at, key, err := f.OpenApprovals(ctx, env)
	if err != nil {
		return nil, err
	}
	o, err := outbox.New(outbox.Options{Store: at, Key: key, Kept: kept})
	if err != nil {
		return nil, errors.Join(err, at.Close())
	}
	return &box{Outbox: o, store: at, stop: func() {}}, nil
}

func (d *Declared) outbox() *outbox.Outbox {
	if d.box == nil {
		return nil
	}
	return d.box.Outbox
}

func (b *box) close() error {
	if b == nil {
		return nil
	}
	b.stop()
	b.Wait()
	return b.store.Close()
}

// Deliver delivers messages until Close: those of this process, and those that other processes left. It calls the function report for each error of the store and
// the databases, and for each message that has failed for good.
func (d *Declared) Deliver(report func(error)) {
	if d.box != nil {
		d.box.once.Do(func() { d.box.deliver(report) })
	}
}

func (b *box) deliver(report func(error)) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	b.stop = func() { cancel(); running.Wait() }
	running.Go(func() { b.Run(ctx, report) })
}

// Kept returns whether the databases kept the changes of a run that began before a time; exo.StateUnknown if they can't report it.
func (d *Declared) Kept(ctx context.Context, run exo.RunID, before time.Time) (exo.State, error) {
	state := exo.StateRolledBack
	if d.Unwitnessed {
		state = exo.StateUnknown
	}
	for _, w := range d.Witnesses {
		if yes, err := w.Committed(ctx, run); err != nil || yes {
			return exo.StateApplied, err
		}
		if until, err := w.Forgotten(ctx); err != nil || before.Before(until) {
			return exo.StateUnknown, err
		}
	}
	return state, nil
}

// Notify sends a notice of a waiting change to the sinks under `notify`. The notice has no values, because its readers may not be allowed to see them.
func (d *Declared) Notify(w review.ChangeSet) {
	if d.box == nil { // no person has reviewed the file
		return
	}
	at := "exo approvals show " + w.ID
	if link := d.File.Approvals.Link.Text; link != "" {
		at = link + "/" + w.ID
	}
	var of []string
	for _, p := range w.Set.Parts {
		of = append(of, p.Grants...)
	}
	for _, m := range w.Set.Messages {
		name, _, _ := strings.Cut(m.Op, "(")
		of = append(of, name)
	}
	slices.Sort(of)
	n := notify.Notice{Subject: "A change waits for you", At: w.At,
		Text: fmt.Sprintf("A program of %q would change something by %s. Nothing happens before a person has agreed: %s", w.Principal, strings.Join(slices.Compact(of), ", "), at)}
	for _, to := range d.File.Approvals.Notify {
		name, whom, _ := strings.Cut(to.Text, ".")
		if body, err := d.services[name].Notice(whom, n); err == nil { // checkSinks has compared the names
			_ = d.box.Begin(context.Background(), name, "change-"+w.ID+"-"+to.Text, body) // an error does not matter: the change waits anyway, and exo approvals lists it
		}
	}
}

// checkSinks compares the sinks of a file with its claims, and the names under `notify` with its sinks.
func (f *File) checkSinks(r *reader) {
	for i := range f.Services {
		s := &f.Services[i]
		s.CheckClaims(&r.Reader, func(claim string) bool { c := f.claim(claim); return c != nil && !c.List && c.Type == "text" })
		if s.Sink() && f.Approvals.Pos == (Pos{}) {
			r.At(s.Pos, "the service %s: the file does not say where messages wait until they are delivered: "+addApprovals, s.Text)
		}
	}
	for _, to := range f.Approvals.Notify {
		name, whom, _ := strings.Cut(to.Text, ".")
		i := slices.IndexFunc(f.Services, func(s services.Service) bool { return s.Text == name })
		if i < 0 {
			r.At(to.Pos, "notify: `services` has no `%s`: want a `mail`, `chat` or `webhook`%s", name, or(name, scalar.Each(f.Services, func(s services.Service) string { return s.Text })))
		} else if err := f.Services[i].CheckTarget(whom); err != nil {
			r.At(to.Pos, "notify: %s", err)
		}
	}
}
