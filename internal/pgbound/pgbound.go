// Package pgbound bounds what a PostgreSQL server can make a client read. The driver keeps every setting that a server reports, and reads
// notices as long as they come. So a server that never stops would use all memory, or the connection for ever.
package pgbound

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// Bounds are numbers of bytes; 0 means no bound.
type Bounds struct {
	Message int   // the largest message, for example a row
	Total   int64 // the most bytes that a connection reads
}

// These bound, in bytes, messages that a server sends without a request. Settings count for the whole connection, because the driver keeps
// them. Notices count since the last request.
const (
	maxStatus = 1 << 20
	maxNotice = 1 << 20
)

// Exceeded reports that a server sent more than a bound allows. The connection is no longer usable.
type Exceeded struct {
	What  string
	Limit int64 // a number of bytes
}

func (e *Exceeded) Error() string {
	return fmt.Sprintf("the PostgreSQL server sent more than %d bytes of %s", e.Limit, e.What)
}

// Limit sets the bounds of all connections made with c.
func Limit(c *pgconn.Config, b Bounds) {
	c.MaxProtocolMessageBodyLen = b.Message
	build := c.BuildFrontend
	if build == nil {
		build = pgproto3.NewFrontend
	}
	c.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		m := &meter{from: r, to: w, total: b.Total}
		return build(m, asked{m})
	}
}

// meter reads the headers of messages between TLS and the driver, and counts the messages' bytes.
type meter struct {
	from io.Reader
	to   io.Writer

	head                [5]byte // the header of the message: its type, and its length with the four length bytes
	have                int     // the number of bytes of head that were read
	left                int64   // the number of bytes of the message that are not read yet
	read, total, status int64
	notice              atomic.Int64 // a request resets it, possibly in another goroutine
	failed              error
}

func (m *meter) Read(p []byte) (int, error) {
	if m.failed != nil {
		return 0, m.failed
	}
	n, err := m.from.Read(p)
	if m.failed = m.count(p[:n]); m.failed != nil {
		return 0, m.failed // the driver does not get bytes beyond the bound
	}
	return n, err
}

func (m *meter) count(p []byte) error {
	if m.read += int64(len(p)); m.total > 0 && m.read > m.total {
		return &Exceeded{"answers", m.total}
	}
	for len(p) > 0 {
		if m.left > 0 {
			n := min(m.left, int64(len(p)))
			m.left -= n
			p = p[n:]
			continue
		}
		n := copy(m.head[m.have:], p)
		m.have += n
		p = p[n:]
		if m.have < len(m.head) {
			return nil
		}
		m.have = 0
		size := int64(binary.BigEndian.Uint32(m.head[1:]))
		m.left = max(size-4, 0)
		switch m.head[0] {
		case 'S': // this is ParameterStatus
			if m.status += size + 1; m.status > maxStatus {
				return &Exceeded{"settings", maxStatus}
			}
		case 'N', 'A': // these are NoticeResponse and NotificationResponse
			if m.notice.Add(size+1) > maxNotice {
				return &Exceeded{"notices", maxNotice}
			}
		}
	}
	return nil
}

// asked passes requests on, and resets the count of notices.
type asked struct{ m *meter }

func (a asked) Write(p []byte) (int, error) {
	a.m.notice.Store(0)
	return a.m.to.Write(p)
}
