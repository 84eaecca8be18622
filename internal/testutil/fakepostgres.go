package testutil

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// FakePostgres is a PostgreSQL server that sends any bytes that a test wants, to any number of clients.
type FakePostgres struct {
	URL  string
	sent atomic.Int64
}

// Sent returns the number of bytes that all clients have read.
func (f *FakePostgres) Sent() int64 { return f.sent.Load() }

// NewFakePostgres calls serve for each connection, after the client's first message. serve sends all answers. The connection ends when serve
// returns.
func NewFakePostgres(t testing.TB, serve func(c *FakeClient)) *FakePostgres {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &FakePostgres{URL: "postgres://someone@" + l.Addr().String() + "/fake?sslmode=disable"}
	var all sync.WaitGroup
	done := make(chan struct{})
	t.Cleanup(func() { close(done); l.Close(); all.Wait() })
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				ended := make(chan struct{})
				defer close(ended)
				go func() {
					select {
					case <-done:
					case <-ended:
					}
					conn.Close()
				}()
				c := &FakeClient{Done: done, conn: conn, f: f}
				c.backend = pgproto3.NewBackend(conn, conn)
				if _, err := c.backend.ReceiveStartupMessage(); err == nil {
					serve(c)
				}
			})
		}
	})
	return f
}

// FakeClient is one client of a FakePostgres.
type FakeClient struct {
	Done    <-chan struct{} // closed at the end of the test
	conn    net.Conn
	f       *FakePostgres
	backend *pgproto3.Backend
}

// Send sends messages, and reports whether the client accepted them.
func (c *FakeClient) Send(messages ...pgproto3.BackendMessage) bool {
	var b []byte
	for _, m := range messages {
		var err error
		if b, err = m.Encode(b); err != nil {
			return false
		}
	}
	return c.Write(b)
}

// Write sends bytes, which need not be messages.
func (c *FakeClient) Write(b []byte) bool {
	n, err := c.conn.Write(b)
	c.f.sent.Add(int64(n))
	return err == nil
}

// Welcome completes the client's login.
func (c *FakeClient) Welcome() bool {
	return c.Send(&pgproto3.AuthenticationOk{}, &pgproto3.ParameterStatus{Name: "server_version", Value: "17.0"},
		&pgproto3.ParameterStatus{Name: "client_encoding", Value: "UTF8"}, &pgproto3.ParameterStatus{Name: "standard_conforming_strings", Value: "on"}, &pgproto3.ReadyForQuery{TxStatus: 'I'})
}

// Receive reads the client's next message. It returns nil if the client has gone.
func (c *FakeClient) Receive() pgproto3.FrontendMessage {
	m, err := c.backend.Receive()
	if err != nil {
		return nil
	}
	return m
}

// Drain reads until the client has gone.
func (c *FakeClient) Drain() { _, _ = io.Copy(io.Discard, c.conn) }
