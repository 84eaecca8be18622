package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/mcp/bearer"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
)

// badShelf is an object with a fault that its host has to look at.
type badShelf struct{}

func (badShelf) Describe() (message.Description, error) {
	text := &message.Term{Con: &message.Type{Name: value.TypeText}}
	i := &message.Interface{Name: "Shelf", Order: []string{"read", "find"}, Methods: map[string]*message.Method{"read": {Name: "read", Sends: true, Result: text}, "find": {Name: "find", Sends: true, Result: text}}}
	return message.Description{Type: &message.Type{Name: "Shelf"}, Interfaces: []*message.Interface{i}}, nil
}

func (badShelf) Eval(_ context.Context, m *exo.Message) (value.Value, error) {
	if m.Root.Name == "find" {
		return value.Value{}, fail.Errorf(fail.Invalid, "", "there is no such book")
	}
	return value.Value{}, &fail.Error{Kind: fail.Denied, Msg: "its host has to look at it", Err: errors.New("the lock of shelf 7 is broken")}
}

// TestHiddenCause: a host reads the reason that a client does not, of each kind of error, and nothing of an error that its client reads whole.
func TestHiddenCause(t *testing.T) {
	tool, err := codemode.New(codemode.Grants{"shelf": badShelf{}}, &codemode.Options{Evaluator: exoeval.InProcess{}})
	if err != nil {
		t.Fatal(err)
	}
	var logged []string
	s, err := New(Config{Tool: func(context.Context, Identity) (*codemode.Tool, error) { return tool, nil }, OnHiddenError: func(who Identity, _ exo.RunID, err error) {
		logged = append(logged, who.Subject+": "+err.Error())
	}})
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, s, ann, "")
	for _, program := range []string{"shelf.read()", "shelf.find()", "throw new Error('mine')"} {
		if res, text := run(t, c, program); !res.IsError || strings.Contains(text, "lock") {
			t.Errorf("%s: the client reads %s", program, text)
		}
	}
	if len(logged) != 1 || !strings.Contains(logged[0], "ann: ") || !strings.Contains(logged[0], "the lock of shelf 7 is broken") {
		t.Errorf("the host reads %q", logged)
	}
}

// TestHiddenCauseLogged: a host that sets nothing finds the reason in its log, with the ID of the run and without what may be a value.
func TestHiddenCauseLogged(t *testing.T) {
	tool, err := codemode.New(codemode.Grants{"shelf": badShelf{}}, &codemode.Options{Evaluator: exoeval.InProcess{}})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	s := newServer(t, func(context.Context, Identity) (*codemode.Tool, error) { return tool, nil })
	run(t, connect(t, s, ann, ""), "shelf.read()")
	if got := log.String(); !strings.Contains(got, "level=ERROR") || !strings.Contains(got, "run=") || !strings.Contains(got, `reason="denied: a *errors.errorString"`) || strings.Contains(got, "shelf 7") {
		t.Errorf("the log has %q", got)
	}
}

// TestErrors: what a host may want to tell apart it finds with errors.Is.
func TestErrors(t *testing.T) {
	gone := errors.New("she left")
	s, err := New(Config{Tool: func(context.Context, Identity) (*codemode.Tool, error) { return nil, gone }})
	if err != nil {
		t.Fatal(err)
	}
	in := func() io.ReadCloser { return io.NopCloser(strings.NewReader("")) }
	err = s.ServeStdio(t.Context(), Identity{Issuer: "i", Subject: "ann"}, in(), nil)
	if !errors.Is(err, ErrNoTool) || !errors.Is(err, gone) || errors.Is(err, ErrConfig) {
		t.Error(err)
	}
	if err := s.ServeStdio(t.Context(), Identity{}, in(), nil); !errors.Is(err, ErrNoTool) {
		t.Error(err)
	}
	for _, make := range []func() error{
		func() error { _, err := New(Config{}); return err },
		func() error { return (&Server{}).ServeStdio(t.Context(), Identity{}, in(), nil) },
		func() error { _, err := (&Server{}).Handler(HTTPOptions{}); return err },
		func() error { _, err := s.Handler(HTTPOptions{}); return err },
		func() error {
			_, err := s.Handler(HTTPOptions{Verifier: &bearer.Tokens{}, Resource: "shop.example.com"})
			return err
		},
		func() error {
			_, err := s.Handler(HTTPOptions{Verifier: &bearer.Tokens{}, Resource: "https://shop.example.com/metrics"})
			return err
		},
	} {
		if err := make(); !errors.Is(err, ErrConfig) || err.Error() == ErrConfig.Error() {
			t.Error(err)
		}
	}
}
