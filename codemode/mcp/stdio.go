package mcp

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStdio serves one client for one identity, over lines of JSON, until the input or the context ends. At the end of the input, it first answers all
// received requests, each program within its limits. When the context ends, it stops running programs. It writes only the protocol to out. It answers
// a line that is no message, or has a key twice in one object, with an error of JSON-RPC. If a client sends a batch, which the protocol has not had
// since revision 2025-06-18, ServeStdio returns ErrBatch. If the identity has no tool, it returns ErrNoTool.
func (s *Server) ServeStdio(ctx context.Context, who Identity, in io.ReadCloser, out io.WriteCloser) error {
	t, err := s.tool(ctx, who)
	if err != nil {
		return err
	}
	return overLines(ctx, s.server(ctx, who, t, rand.Text()), in, out)
}

// overLines runs a server for one client over lines of JSON.
func overLines(ctx context.Context, m *mcp.Server, in io.ReadCloser, out io.WriteCloser) error {
	answers := &inTurn{WriteCloser: out}
	messages := &lines{Closer: in, in: bufio.NewReader(in), out: answers}
	err := m.Run(ctx, &answering{&mcp.IOTransport{Reader: messages, Writer: answers, MaxLineLength: maxLine + 1}})
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return err
}

// ErrBatch is the error of ServeStdio if a client sends a batch.
var ErrBatch = errors.New("mcp: a batch of messages is not accepted: send one message in a line")

// answering is a transport that ends when all requests are answered. The SDK alone cancels
// requests when it reads the end of the input, so `echo REQUEST | exo serve` would get no answer.
type answering struct{ mcp.Transport }

func (a *answering) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := a.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &answeringConn{Connection: c, open: map[jsonrpc.ID]bool{}, gone: make(chan struct{})}, nil
}

// answeringConn returns an error of reading only when all earlier requests are answered. The SDK
// answers each request once, and rejects a second request with the same ID, so a set of IDs is
// enough.
type answeringConn struct {
	mcp.Connection

	mu    sync.Mutex
	open  map[jsonrpc.ID]bool // the requests without an answer
	ended bool                // no more requests are read
	gone  chan struct{}       // closed when ended is true and open is empty, or at Close
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
		c.once.Do(func() { close(c.gone) }) // writing failed, so no other answer can be sent either
	}
	c.leave()
	return err
}

func (c *answeringConn) Close() error {
	c.once.Do(func() { close(c.gone) })
	return c.Connection.Close()
}

// leave lets Read return its error, if all requests are answered.
func (c *answeringConn) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended && len(c.open) == 0 {
		c.once.Do(func() { close(c.gone) })
	}
}
