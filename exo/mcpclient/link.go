package mcpclient

// This file connects to a server, checks that its tools are the pinned ones, and calls them.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/wall"
)

// link is a connection to a server.
type link struct {
	session *mcp.ClientSession
	tools   []*mcp.Tool
	looked  time.Time   // when the tools were last listed
	stale   atomic.Bool // the server has reported that its tools changed
	lines   *lines      // the lines of a server that is a process; otherwise nil
	guard   *guard      // the guard of a server over HTTP; otherwise nil
}

// lookAgain is how long a list of tools is used before the tools are listed again: a server need not report that its tools have changed.
const lookAgain = time.Minute

// connect connects to a server, and checks that its tools are the pinned ones.
func (o *Object) connect(ctx context.Context) (l *link, err error) {
	ctx, cancel := context.WithTimeout(ctx, o.server.Bounds.Start)
	defer cancel()
	l = &link{}
	// The server gets no capability of the client: no files, no questions to a person, no model.
	options := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}}
	var transport mcp.Transport
	if c := o.server.Command; c != nil {
		p, err := wall.Start(o.life, wall.Spec{Path: c.Path, Args: c.Args, Env: c.Env, Dir: c.Dir, Read: c.Read, Write: c.Write, Network: c.Network, Memory: c.Memory, Require: wall.Named(c.Require...)}, c.Errors)
		if err != nil {
			return nil, err
		}
		o.missing, l.lines = p.Missing, newLines(p, o.server.Bounds, &l.stale)
		transport = l.lines
		options.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) {} // with this handler the library subscribes to the notice; lines handles it
	} else {
		l.guard = newGuard(o.server.Client.Transport, o.server.Bounds)
		transport = &mcp.StreamableClientTransport{
			Endpoint: o.server.URL, HTTPClient: l.guard.client(o.server.Client), MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: o.server.Bounds.Bytes,
		}
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "exoagent", Version: "1"}, options)
	client.AddReceivingMiddleware(answerNothing)
	err = guarded(func() (err error) {
		l.session, err = client.Connect(ctx, transport, nil)
		return err
	})
	if err == nil {
		err = o.look(ctx, l)
	}
	if err != nil {
		o.drop(l)
		return nil, l.cause(err)
	}
	return l, nil
}

// look lists the tools and compares them with the pin.
func (o *Object) look(ctx context.Context, l *link) error {
	l.begin()
	return guarded(func() (err error) {
		if l.tools, err = o.server.list(ctx, l.session); err != nil {
			return err
		}
		l.looked = time.Now()
		return o.server.pinned(l.tools)
	})
}

// answerNothing refuses what the server sends of its own accord, except a ping and the notice that its tools have changed.
func answerNothing(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		switch method {
		case "ping", "notifications/tools/list_changed":
			return next(ctx, method, r)
		}
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "this client answers no request but ping"}
	}
}

// guarded turns a panic of the library, which parses what an untrusted server wrote, into an error.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrMalformed, p)
		}
	}()
	return f()
}

// cause returns why a connection ended, or else err, without the texts that the library adds.
func (l *link) cause(err error) error {
	var why error
	if l.lines != nil {
		why = l.lines.ended()
	} else if l.guard != nil {
		why = l.guard.broken()
	}
	if why == nil || errors.Is(err, why) {
		return err
	}
	return fmt.Errorf("%w: %w", why, err)
}

// drop closes a connection in the background, since the library's Close may wait for the server.
func (o *Object) drop(l *link) {
	if l == nil {
		return
	}
	if l.lines != nil {
		l.lines.Close()
	}
	if l.session != nil {
		go func() { _ = guarded(l.session.Close) }()
	}
	if o.link == l {
		o.link = nil
	}
}

// linked returns a connection to a server that has the pinned tools. The connection does not end with its caller, since other calls may be using it.
func (o *Object) linked(ctx, caller context.Context) (*link, error) {
	select {
	case o.linking <- struct{}{}:
		defer func() { <-o.linking }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	l := o.link
	if l != nil && l.lines != nil && l.lines.ended() != nil {
		o.drop(l)
		l = nil
	}
	var err error
	switch {
	case o.refused != nil:
		err = o.refused
	case o.life.Err() != nil:
		err = fmt.Errorf("%w: the connection was closed", ErrEnded)
	case l == nil:
		l, err = o.connect(ctx)
		o.link = l
	case l.stale.Swap(false) || time.Since(l.looked) > lookAgain:
		switch err = o.look(ctx, l); {
		case err != nil && caller.Err() != nil:
			l.stale.Store(true)
		case err != nil:
			o.drop(l)
		}
	}
	if pin := (*PinError)(nil); o.refused == nil && errors.As(err, &pin) {
		o.refused = err // kept for good: a person approved other tools than the server has now
	}
	return l, err
}

// notSent is the code of the library's own error for a request that it could not send.
const notSent = -32005

// answerTooLarge is the code of the error that replaces an answer which is too large.
const answerTooLarge = -32098

// begin begins to count the requests of a new call.
func (l *link) begin() {
	if l.guard != nil {
		l.guard.begin()
	}
}

// call calls a tool once. It never tries again, since the tool may have acted.
func (o *Object) call(parent context.Context, t *tool, args json.RawMessage, key string) (value.Value, error) {
	ctx, cancel := context.WithTimeout(parent, o.server.Bounds.Call)
	defer cancel()
	l, err := o.linked(ctx, parent)
	switch {
	case parent.Err() != nil:
		return value.Value{}, fmt.Errorf("%w: %w", exo.ErrNothingDone, parent.Err())
	case err != nil: // the tool was not called
		e := &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("%w: %w", exo.ErrNothingDone, err)}
		if pin := (*PinError)(nil); errors.As(err, &pin) {
			e.Kind, e.Msg = fail.Revoked, "the tools of this server have changed: no program can use them until the operator of the host has reviewed and pinned them"
		}
		return value.Value{}, e
	}
	p := &mcp.CallToolParams{Name: t.name, Arguments: args}
	if t.effect != message.NoEffect && key != "" {
		p.Meta = mcp.Meta{"idempotencyKey": key}
	}
	l.begin()
	var r *mcp.CallToolResult
	err = guarded(func() (err error) { r, err = l.session.CallTool(ctx, p); return err })
	var wire *jsonrpc.Error
	switch {
	case parent.Err() != nil && err != nil:
		return value.Value{}, fmt.Errorf("%w: %w", parent.Err(), err)
	case parent.Err() != nil:
		return value.Value{}, parent.Err()
	case errors.As(err, &wire) && wire.Code == answerTooLarge:
		return value.Value{}, refuse(ErrTooLarge)
	case errors.As(err, &wire) && wire.Code != notSent:
		return value.Value{}, t.failed(wire.Message)
	case errors.Is(err, context.DeadlineExceeded):
		return value.Value{}, refuse(fmt.Errorf("%w: %w", ErrTimeout, err))
	case err != nil:
		err = l.cause(err)
		o.linking <- struct{}{}
		o.drop(l)
		<-o.linking
		return value.Value{}, refuse(err)
	case r == nil:
		return value.Value{}, refuse(ErrMalformed)
	case r.NeedsInput() || len(r.InputRequests) > 0:
		return value.Value{}, refuse(ErrAsks)
	case r.IsError:
		return value.Value{}, t.failed(textOf(r.Content))
	}
	v, err := t.answer(r, o.server.Bounds.Items)
	if err != nil {
		return value.Value{}, refuse(err)
	}
	return v, nil
}
