// Package frame has the messages between a host and its workers. An attacker who has taken over a worker chooses the bytes of its frames. So a
// decoder here allocates only in proportion to the bytes that arrived. It admits one form of each value, and fails at the first other byte.
package frame

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/exoagent/exoagent/exoeval"
)

// A Kind is the first byte of a frame. A frame is a length of four bytes, then that many
// bytes: its Kind, and its parts. Each side knows from its state which frames may come next.
type Kind byte

const (
	KindHello   Kind = 'h' // from the worker: it is locked down and waits; its walls
	KindJob     Kind = 'j' // from the host: the world of the run, and the program
	KindCall    Kind = 'c' // from the worker: a message
	KindReply   Kind = 'r' // from the host: the reply to the oldest call without one
	KindFetch   Kind = 'f' // from the worker: the index of rows in RowsLog, to ask for their cells; at most once for each index
	KindCells   Kind = 'v' // from the host: the cells; replies may come before them
	KindConsole Kind = 'l' // from the worker: a line that the program logged
	KindWaiting Kind = 'w' // from the worker: it waits for the next reply, and has nothing else to do
	KindDone    Kind = 'd' // from the worker: how the program ended; its last frame
	KindServed  Kind = 's' // from the worker: how the program ended, with all replies read; it waits for a next program, if the host announced one
	KindNext    Kind = 'n' // from the host: a program for the world that the worker already has
)

// Version grows with every change of a frame. The encoding inside frames has its own version (wire.Encoding). A worker reports its version
// first, because its file may differ from the host's (PoolOptions.Binary), or may have been replaced.
const Version = 8

// These constants bound frames. Whatever length a hostile worker announces, the host allocates no more.
const (
	MaxHello = 64
	MaxCall  = 8 << 20   // bytes of a message; other limits bound its literals
	MaxReply = 512 << 20 // bytes of a reply, which the host's own limits bound further
	MaxItems = 1_100_000 // cells of the rows that a result refers to: a little more than a conversion admits
)

// MaxDone bounds the frame that ends a run: the result without rows that the host has, and the report of an error. The host may read one such
// frame for each place in the pool at the same time.
func MaxDone(b exoeval.Bounds) int { return b.MaxResult() + 3*maxMessage + maxDetail + 4<<10 }

// MaxValues is the most values of a result, without rows that the host has.
func MaxValues(b exoeval.Bounds) int { return b.MaxResult() / exoeval.ValueBytes }

const HeaderSize = 4

// Begin starts a frame in b. End fills in its length.
func Begin(b []byte, kind Kind) []byte { return append(b, 0, 0, 0, 0, byte(kind)) }

func End(b []byte) []byte {
	binary.LittleEndian.PutUint32(b, uint32(len(b)-HeaderSize))
	return b
}

var ErrMalformed = errors.New("worker: a message between host and worker has the wrong form")

// Source is a connection from which frames are read.
type Source interface {
	io.Reader
	Next() // Next announces that a frame begins.
}

// Inbox reads the frames of a worker.
type Inbox struct {
	from Source
	in   *bufio.Reader
}

func NewInbox(from Source) *Inbox { return &Inbox{from, bufio.NewReaderSize(from, InboxSize)} }

const InboxSize = 4 << 10

func (i *Inbox) Read(limit int) (Kind, string, error) {
	i.from.Next()
	return ReadFrame(i.in, limit)
}

// Buffered returns the number of bytes that have arrived from the worker but were not read.
func (i *Inbox) Buffered() int { return i.in.Buffered() }

// ReadFrame reads one frame of at most limit bytes. It allocates only for bytes that have arrived: an announced length costs nothing.
func ReadFrame(r io.Reader, limit int) (Kind, string, error) {
	var head [HeaderSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, "", err
	}
	n := int64(binary.LittleEndian.Uint32(head[:]))
	if n < 1 || n > int64(limit) {
		return 0, "", fmt.Errorf("%w: the message has %d bytes, and must have 1 to %d", ErrMalformed, n, limit)
	}
	b := make([]byte, min(n, 64<<10))
	if _, err := io.ReadFull(r, b); err != nil {
		return 0, "", err
	}
	for int64(len(b)) < n {
		more := make([]byte, min(n, 4*int64(len(b))))
		copy(more, b)
		if _, err := io.ReadFull(r, more[len(b):]); err != nil {
			return 0, "", err
		}
		b = more
	}
	return Kind(b[0]), string(b[1:]), nil
}
