// Package cuttest cuts the connection to a PostgreSQL server at a moment that a test chooses.
package cuttest

import (
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
)

// Cutter is between a client and the server. It cuts the connection at a message of the client, before it passes the message on. With Forward
// it first passes the message on, but not the server's answer. With Hold it cuts the client off, and passes the message on when Hold ends.
type Cutter struct {
	At, Seen atomic.Int64 // At is the number of the message at which to cut, from 1; Seen counts the messages that came
	Forward  atomic.Bool
	Hold     chan struct{}
	Arrived  chan struct{} // closed when the held message was answered
}

// Serve starts a cutter in front of the server at a URL, and returns the cutter's URL.
func (c *Cutter) Serve(t testing.TB, raw string) string {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); all.Wait() })
	to := u.Host
	all.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", to)
			if err != nil {
				_ = client.Close()
				continue
			}
			var cut atomic.Bool
			answered := make(chan struct{})
			all.Go(func() {
				defer client.Close()
				defer server.Close()
				defer close(answered)
				for b := make([]byte, 1<<16); ; {
					n, err := server.Read(b)
					if err != nil || cut.Load() {
						return
					}
					if _, err := client.Write(b[:n]); err != nil {
						return
					}
				}
			})
			all.Go(func() {
				defer client.Close()
				defer server.Close()
				for b := make([]byte, 1<<16); ; {
					n, err := client.Read(b)
					if err != nil {
						return
					}
					if c.Seen.Add(1) == c.At.Load() {
						cut.Store(true)
						if c.Hold != nil {
							_ = client.Close()
							<-c.Hold
						}
						if c.Hold != nil || c.Forward.Load() {
							_, _ = server.Write(b[:n])
							<-answered
						}
						if c.Hold != nil {
							close(c.Arrived)
						}
						return
					}
					if _, err := server.Write(b[:n]); err != nil {
						return
					}
				}
			})
		}
	})
	u.Host = l.Addr().String()
	return u.String()
}
