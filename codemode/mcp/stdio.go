package mcp

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStdio serves one client for one identity, over lines of JSON, until in ends or the context
// does. At the end of in, what was received is answered first: each program within its own limits.
// When the context ends, programs that still run are stopped. Nothing but the protocol is written
// to out. What is no message ends it with an error, and a batch, which the protocol has not had since
// its revision 2025-06-18, with ErrBatch. Who has no tool is not served: ErrNoTool.
func (s *Server) ServeStdio(ctx context.Context, who Identity, in io.ReadCloser, out io.WriteCloser) error {
	t, err := s.tool(ctx, who)
	if err != nil {
		return err
	}
	err = s.server(ctx, who, t).Run(ctx, &answering{&mcp.IOTransport{Reader: &unbatched{ReadCloser: in}, Writer: out, MaxLineLength: maxLine}})
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return err
}

// ErrBatch ends ServeStdio where a client sends a batch.
var ErrBatch = errors.New("mcp: a batch of messages came: want one message in a line")

// unbatched is a reader of JSON values that fails where a list begins. The SDK refuses batches
// only after a handshake, which the newest revision does not have.
type unbatched struct {
	io.ReadCloser
	depth         int // of braces and brackets
	text, escaped bool
	found         bool
}

func (u *unbatched) Read(p []byte) (int, error) {
	if u.found {
		return 0, ErrBatch
	}
	n, err := u.ReadCloser.Read(p)
	for i, c := range p[:n] {
		switch {
		case u.escaped:
			u.escaped = false
		case u.text:
			u.escaped, u.text = c == '\\', c != '"'
		case c == '"':
			u.text = true
		case c == '[' && u.depth == 0: // thousands of calls that run at once, in one line
			u.found = true
			return i, ErrBatch
		case c == '{' || c == '[':
			u.depth++
		case c == '}' || c == ']':
			u.depth--
		}
	}
	return n, err
}

// answering is a transport that ends when all requests are answered. The SDK cancels them when
// it reads the end of the input, so that `echo REQUEST | exo serve` would have no answer.
type answering struct{ mcp.Transport }

func (a *answering) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := a.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &answeringConn{Connection: c, open: map[jsonrpc.ID]bool{}, gone: make(chan struct{})}, nil
}

// answeringConn gives an error of reading when all that was read before is answered. The SDK
// answers each request once, and rejects a second one with the same ID without naming the ID:
// so a set of IDs is enough.
type answeringConn struct {
	mcp.Connection

	mu    sync.Mutex
	open  map[jsonrpc.ID]bool // the requests that have no answer
	ended bool                // no more is read
	gone  chan struct{}       // closed when ended and nothing is open, or at Close
	once  sync.Once
}

func (c *answeringConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	c.mu.Lock()
	if req, ok := m.(*jsonrpc.Request); ok && err == nil && req.IsCall() {
		c.open[req.ID] = true
	}
	c.ended = err != nil
	c.mu.Unlock()
	if err == nil {
		return m, nil
	}
	c.leave()
	select {
	case <-c.gone:
	case <-ctx.Done():
	}
	return nil, err
}

func (c *answeringConn) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if res, ok := m.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.open, res.ID)
		c.mu.Unlock()
	}
	if err != nil {
		c.once.Do(func() { close(c.gone) }) // nobody reads the others either
	}
	c.leave()
	return err
}

func (c *answeringConn) Close() error {
	c.once.Do(func() { close(c.gone) })
	return c.Connection.Close()
}

// leave lets Read return its error if nothing is left to answer.
func (c *answeringConn) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended && len(c.open) == 0 {
		c.once.Do(func() { close(c.gone) })
	}
}
