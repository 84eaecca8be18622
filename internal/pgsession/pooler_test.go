package pgsession_test

import (
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// pool is a pooler with what PgBouncer 1.18 does not do: it can name a client a process that it has, as pgagroal does.
type pool struct {
	shared bool // each transaction gets a session; else each client, until it goes
	queue  bool // the session that waits longest comes first; else the one that was used last
	truly  bool // clients are told a true process
	late   bool // a session is free only a moment after its client has the answer
	busy   int  // at this transaction another client has the session that was used last

	first uint32 // the process of the one that is given first, mostly
	mu    sync.Mutex
	free  []*pgconn.HijackedConn
	come  *sync.Cond
	taken int
}

// newPool listens before the server with size sessions.
func newPool(t *testing.T, server string, size int, p *pool) string {
	t.Helper()
	p.come = sync.NewCond(&p.mu)
	for range size {
		c, err := pgconn.Connect(t.Context(), server)
		if err != nil {
			t.Fatal(err)
		}
		h, err := c.Hijack()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { h.Conn.Close() })
		p.free, p.first = append(p.free, h), h.PID
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	return "postgres://postgres@" + l.Addr().String() + "/postgres?sslmode=disable"
}

func (p *pool) take() *pgconn.HijackedConn {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.free) == 0 {
		p.come.Wait()
	}
	at := 0
	if p.taken++; !p.queue && p.taken != p.busy {
		at = len(p.free) - 1
	}
	h := p.free[at]
	p.free = append(p.free[:at:at], p.free[at+1:]...)
	return h
}

func (p *pool) give(h *pgconn.HijackedConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, h)
	p.come.Signal()
}

func (p *pool) serve(c net.Conn) {
	defer c.Close()
	client := pgproto3.NewBackend(c, c)
	if _, err := client.ReceiveStartupMessage(); err != nil {
		return
	}
	pid := uint32(1)
	if p.truly {
		pid = p.first
	}
	client.Send(&pgproto3.AuthenticationOk{})
	for name, value := range map[string]string{"server_version": "17.0", "client_encoding": "UTF8", "standard_conforming_strings": "on"} {
		client.Send(&pgproto3.ParameterStatus{Name: name, Value: value})
	}
	client.Send(&pgproto3.BackendKeyData{ProcessID: pid, SecretKey: []byte{1, 2, 3, 4}})
	client.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	if client.Flush() != nil {
		return
	}
	var mine *pgconn.HijackedConn
	defer func() {
		if mine != nil {
			p.give(mine)
		}
	}()
	for {
		m, err := client.Receive()
		if err != nil {
			return
		}
		if _, ends := m.(*pgproto3.Terminate); ends {
			return
		}
		if mine == nil {
			mine = p.take()
		}
		mine.Frontend.Send(m)
		_, sync := m.(*pgproto3.Sync)
		if _, simple := m.(*pgproto3.Query); !sync && !simple {
			continue
		}
		state, err := relay(mine, client)
		if err != nil {
			return
		}
		if p.shared && state == 'I' {
			if p.late {
				time.Sleep(3 * time.Millisecond)
			}
			p.give(mine)
			mine = nil
		}
	}
}

// relay passes on an answer.
func relay(from *pgconn.HijackedConn, to *pgproto3.Backend) (state byte, err error) {
	if err := from.Frontend.Flush(); err != nil {
		return 0, err
	}
	for {
		m, err := from.Frontend.Receive()
		if err != nil {
			return 0, err
		}
		to.Send(m)
		if ready, ok := m.(*pgproto3.ReadyForQuery); ok {
			return ready.TxStatus, to.Flush()
		}
		if e, ok := m.(*pgproto3.ErrorResponse); ok && e.Severity == "FATAL" {
			return 0, errors.New(e.Message)
		}
	}
}
