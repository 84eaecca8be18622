package notify

// This file has the object that programs send to, and puts what they send into the outbox.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/outbox"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exo/web"
	"github.com/exoagent/exoagent/internal/printable"
)

// Rules are the host's rules for a sink of any kind.
type Rules struct {
	Name, Doc string         // the name and the doc of the interface
	Box       *outbox.Outbox // the outbox in which messages wait
	To        string         // the name of the sink in Box; "": Name
	Admits    value.Label    // labels that may leave to each receiver
	Own       value.Label    // more labels that may leave to the principal's own address, each with its readers
	Approve   bool           // a person agrees to each message
}

// Sink is an object with one method, which is held. The zero Sink sends nothing.
type Sink struct {
	*service.Service
	rules Rules
}

var _ exo.Stager = Sink{}

// staging, in a context, makes the function of a sink stage a message instead of sending it. err is the error of staging.
type staging struct {
	run       exo.RunID
	witnessed bool
	err       error
}

type (
	stagingKey struct{}
	usedKey    struct{}
)

// Stage implements exo.Stager. If a message can't be sent, Stage does nothing, and Eval fails later: the reason may be a sealed value.
func (s Sink) Stage(ctx context.Context, m *exo.Message, witnessed bool) error {
	st := &staging{run: m.Run().ID, witnessed: witnessed}
	_, _ = s.Service.Eval(context.WithValue(ctx, stagingKey{}, st), m)
	return st.err
}

// Forget implements exo.Stager.
func (s Sink) Forget(ctx context.Context, m *exo.Message) error {
	if err := s.rules.Box.Forget(ctx, m.Key()); !errors.Is(err, outbox.ErrNone) {
		return err
	}
	return nil
}

// Eval implements exo.Object.
func (s Sink) Eval(ctx context.Context, m *exo.Message) (value.Value, error) {
	return s.Service.Eval(context.WithValue(ctx, usedKey{}, func(u web.Use) { m.AddDetail(u) }), m)
}

// Resumes implements record.Resumer. If the run may have committed, the outbox knows what became of the message.
func (s Sink) Resumes(_ string, committed exo.State) bool {
	return committed == exo.StateApplied || committed == exo.StateUnknown
}

// Settle implements record.Settler.
func (s Sink) Settle(ctx context.Context, _, key string) (exo.State, error) {
	return s.rules.Box.Settled(ctx, key)
}

// used adds the use of a secret to the record of the message that is sent, if the run still waits for that message.
func used(ctx context.Context, u web.Use) {
	if f, ok := ctx.Value(usedKey{}).(func(web.Use)); ok {
		f(u)
	}
}

// sink makes a Sink with one method, whose argument is an In. encode checks an argument, and makes the body of the message. Box delivers the body with
// send, and where describes the place to which send delivers.
func sink[In any](r Rules, where string, send outbox.Send, method, doc string, encode func(*In) (any, error), more func(service.Operation) service.Operation) (Sink, error) {
	r.To = cmp.Or(r.To, r.Name)
	r.Box.DeliverAt(r.To, where, send)
	leave := func(ctx context.Context, in any) (any, error) {
		body, err := encode(in.(*In))
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(body)
		if err != nil || len(text) > outbox.MaxBody {
			return nil, service.Refuse("the message is too large, counted as JSON: shorten it")
		}
		if st, is := ctx.Value(stagingKey{}).(*staging); is {
			st.err = r.Box.Stage(ctx, r.To, service.Key(ctx), st.run, st.witnessed, text)
			return &service.None{}, nil
		}
		err = r.Box.Leave(ctx, r.To, service.Key(ctx), text)
		if errors.Is(err, outbox.ErrRefused) {
			return nil, service.Refuse("%s", strings.TrimPrefix(err.Error(), "outbox: "))
		} else if err != nil && !errors.Is(err, store.ErrUnknown) {
			err = fmt.Errorf("%w: %w", exo.ErrNothingDone, err)
		}
		return &service.None{}, err
	}
	check := func(in any) error { _, err := encode(in.(*In)); return err }
	op := service.ReadOf(method, doc, reflect.TypeFor[In](), reflect.TypeFor[service.None](), check, leave).Held().Admits(r.Admits)
	if r.Approve {
		op = op.Approve(changeset.Who{})
	}
	if more != nil {
		op = more(op)
	}
	s, err := service.New(r.Name, r.Doc, op)
	return Sink{s, r}, err
}

// plain refuses a text that does not look like what it is: with characters that a terminal acts on, that are invisible, or that turn the direction of
// reading. lines allows several lines.
func plain(what, text string, most int, lines bool) error {
	if n := len(text); n > most {
		return service.Refuse("%s has %d bytes: want at most %d", what, n, most)
	}
	if !lines && strings.Contains(text, "=?") {
		return service.Refuse("%s has `=?`, which mail programs decode into other characters: leave it out", what)
	}
	if strings.TrimSpace(text) == "" {
		return service.Refuse("%s is empty: write at least one character", what)
	}
	if !utf8.ValidString(text) {
		return service.Refuse("%s is not valid Unicode: leave lone surrogates out", what)
	}
	for _, c := range text {
		switch {
		case lines && (c == '\n' || c == '\t'), c == '\u200d', c == '\ufe0f': // the last two join and colour emojis
		case !printable.Rune(c) && !unicode.Is(unicode.Zs, c), c == '\u2800', unicode.In(c, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
			return service.Refuse("%s has the character %U, which is invisible or breaks the line: leave it out", what, c)
		}
	}
	return nil
}

// Notice is the host's own text for a person. Each kind of sink can send it.
type Notice struct {
	Subject, Text string
	At            time.Time
}
