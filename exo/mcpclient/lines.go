package mcpclient

// This file reads and writes the lines of a server's process. The library gets only answers to open calls.

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/wall"
)

// lines is the connection to a process, and its own mcp.Transport.
type lines struct {
	p     *wall.Process
	in    *bufio.Reader
	most  Bounds
	stale *atomic.Bool

	window      time.Time // the beginning of the second in which messages are counted
	count, size int       // how many messages in that second answer no call, and their bytes

	writing sync.Mutex
	mu      sync.Mutex
	open    map[jsonrpc.ID]bool // the calls that have no answer yet
	why     error               // why the connection ended
}

const (
	listChanged = "notifications/tools/list_changed"
	writeTime   = 5 * time.Second // how long a process may take to read a message
	maxOpenIDs  = 1000            // how many calls may stay without an answer
)

func newLines(p *wall.Process, most Bounds, stale *atomic.Bool) *lines {
	return &lines{p: p, in: bufio.NewReaderSize(p.Out, 64<<10), most: most, stale: stale, open: map[jsonrpc.ID]bool{}}
}

func (c *lines) Connect(context.Context) (mcp.Connection, error) { return c, nil }

func (c *lines) SessionID() string { return "" }

// Read returns the next message for the library. It handles all other messages itself.
func (c *lines) Read(context.Context) (m jsonrpc.Message, err error) {
	err = guarded(func() error {
		for m == nil {
			line, err := c.next()
			if errors.Is(err, ErrTooLarge) {
				if m = c.tooLarge(line); m != nil {
					return nil
				}
			}
			if err != nil {
				return err
			}
			if !utf8.Valid(line) {
				return fmt.Errorf("%w: a line from the server is not UTF-8", ErrMalformed)
			}
			x, err := jsonrpc.DecodeMessage(line)
			if err != nil {
				return fmt.Errorf("%w: %v", ErrMalformed, err) // err is not wrapped, since the library would treat it as an answer
			}
			if m, err = c.decide(x); err != nil {
				return err
			}
			if _, answers := m.(*jsonrpc.Response); answers {
				return nil
			}
			if err := c.tally(len(line)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		c.end(err)
	}
	return m, err
}

// decide returns the message that the library gets: an answer to an open call, a notice that the tools have changed, or nil.
func (c *lines) decide(m jsonrpc.Message) (jsonrpc.Message, error) {
	switch m := m.(type) {
	case *jsonrpc.Response:
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.open[m.ID] {
			delete(c.open, m.ID)
			return m, nil
		}
	case *jsonrpc.Request:
		switch {
		case m.Method == "ping" && m.IsCall():
			return nil, c.write(&jsonrpc.Response{ID: m.ID, Result: []byte("{}")})
		case m.IsCall():
			return nil, c.write(&jsonrpc.Response{ID: m.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "this client answers no request but ping"}})
		case m.Method == listChanged && !c.stale.Swap(true): // only once until the tools are listed again
			return &jsonrpc.Request{Method: listChanged}, nil
		}
	}
	return nil, nil
}

// tally counts a message that answers no call, and fails if there are too many in a second.
func (c *lines) tally(size int) error {
	if now := time.Now(); now.Sub(c.window) > time.Second {
		c.window, c.count, c.size = now, 0, 0
	}
	c.count++
	if c.size += size; c.count > c.most.Messages || c.size > c.most.Bytes {
		return ErrFlood
	}
	return nil
}

// next reads a line of bounded length.
func (c *lines) next() (line []byte, err error) {
	for {
		part, err := c.in.ReadSlice('\n')
		if len(line)+len(part) > c.most.Bytes {
			return append(line, part...), ErrTooLarge
		}
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return nil, fmt.Errorf("%w: %w", ErrEnded, err)
		default:
			return line, nil
		}
	}
}

// skipped bounds how much of an answer that is too large is read, in multiples of Bytes. The ID is searched in the last idBytes bytes of the answer.
const skipped, idBytes = 32, 64

// tooLarge replaces an answer that is too large by an error for its call. It skips the rest of the line, so that other calls go on. It returns
// nil if the line has no end or answers no call: then the process is stopped.
func (c *lines) tooLarge(begin []byte) jsonrpc.Message {
	last := bytes.Clone(begin[max(0, len(begin)-idBytes):])
	part := begin
	for left := skipped * c.most.Bytes; len(part) == 0 || part[len(part)-1] != '\n'; left -= len(part) {
		var err error
		if part, err = c.in.ReadSlice('\n'); left < 0 || err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil
		}
		last = append(last, part[max(0, len(part)-idBytes):]...)
		last = last[max(0, len(last)-idBytes):]
	}
	id := idOf(begin, last)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !id.IsValid() || !c.open[id] {
		return nil
	}
	delete(c.open, id)
	return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: answerTooLarge, Message: ErrTooLarge.Error()}}
}

// idAhead finds the ID of an answer at its beginning, where most libraries write it.
var idAhead = scalar.Pattern(`^\s*{\s*(?:"jsonrpc"\s*:\s*"2.0"\s*,\s*)?"id"\s*:\s*([0-9]{1,15})\s*,`)

// idBehind finds the ID of an answer at its end, where the SDK for TypeScript writes it. The last brace closes the answer, so an ID before that brace
// belongs to the answer. The match can't be part of a text, where a backslash comes before each quote.
var idBehind = scalar.Pattern(`[^\\]"id" *: *([0-9]{1,15}) *}\s*$`)

// idOf returns the ID of an answer, given its beginning and its end.
func idOf(begin, last []byte) (id jsonrpc.ID) {
	found := idAhead().FindSubmatch(begin)
	if found == nil {
		found = idBehind().FindSubmatch(last)
	}
	if found != nil {
		n, _ := strconv.ParseFloat(string(found[1]), 64)
		id, _ = jsonrpc.MakeID(n)
	}
	return id
}

// Write sends a message, and notes the ID if it is a call that needs an answer.
func (c *lines) Write(_ context.Context, m jsonrpc.Message) error {
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		c.mu.Lock()
		c.open[r.ID] = true
		n := len(c.open)
		c.mu.Unlock()
		if n > maxOpenIDs {
			c.end(fmt.Errorf("%w: %d calls are still without an answer", ErrTimeout, n))
		}
	}
	return c.write(m)
}

func (c *lines) write(m jsonrpc.Message) error {
	b, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if err := c.p.In.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return fmt.Errorf("%w: %w", ErrEnded, err)
	}
	if _, err := c.p.In.Write(append(b, '\n')); err != nil { // the connection is unusable, since half a line may be written
		err = fmt.Errorf("%w: the server does not read its input: %w", ErrEnded, err)
		c.end(err)
		return err
	}
	return nil
}

// end stops the process. Only the first reason is kept.
func (c *lines) end(why error) {
	c.mu.Lock()
	if c.why == nil {
		c.why = why
	}
	c.mu.Unlock()
	c.p.Kill()
}

// ended returns why the connection ended, or nil.
func (c *lines) ended() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.why
}

// Close stops the process and closes its files.
func (c *lines) Close() error {
	c.end(fmt.Errorf("%w: the connection was closed", ErrEnded))
	c.p.Close()
	return nil
}
