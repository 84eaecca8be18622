package worker

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/exoagent/exoagent/exoeval"
)

// A frame is a length of four bytes, then that many bytes: what it is, and its
// parts. Each side knows from where it stands which frames may come next.
type frameKind byte

const (
	frameHello   frameKind = 'h' // worker: it is locked down and waits; what holds it
	frameJob     frameKind = 'j' // host: the world of the run and the program
	frameCall    frameKind = 'c' // worker: a message
	frameReply   frameKind = 'r' // host: the answer to the oldest call without one
	frameFetch   frameKind = 'f' // worker: the number of rows whose cells it wants, once; it waits for them
	frameCells   frameKind = 'v' // host: the cells; replies may come before it
	frameConsole frameKind = 'l' // worker: a line that the program logged
	frameWaiting frameKind = 'w' // worker: it waits for the next answer, and has nothing else to do
	frameDone    frameKind = 'd' // worker: how the program ended; its last frame
	frameServed  frameKind = 's' // worker: the same, and all answers have come: it waits for the next program, where the host said that one may come
	frameNext    frameKind = 'n' // host: a program in the world that the worker has
)

// version changes with every change of a frame; the encoding of what is in one has a
// version of its own (wire.Encoding). The worker may be another file than the host
// (PoolOptions.Binary), or one that was replaced since: its first frame says its version.
const version = 7

// Bounds of frames. A worker may be hostile, so no length that it sends
// makes the host allocate more than these.
const (
	maxHello = 64
	maxCall  = 8 << 20   // of a message; its literals have limits of their own
	maxReply = 512 << 20 // of an answer, which the host's own limits bound
	maxItems = 1_100_000 // cells of the rows that a result names: what a conversion admits, and room
)

// maxDone bounds the frame that ends a run: its result without the rows that the host has,
// and what is said of an error. As many of them as there are places in the
// pool may be read at one time.
func maxDone(b exoeval.Bounds) int {
	return b.MaxResult() + 3*maxMessage + maxDetail + 4<<10
}

// maxValues is how many values a result may have besides the rows that the host has.
func maxValues(b exoeval.Bounds) int { return b.MaxResult() / exoeval.ValueBytes }

const headerSize = 4

// begin starts a frame in b; end fills in its length.
func begin(b []byte, kind frameKind) []byte { return append(b, 0, 0, 0, 0, byte(kind)) }

func end(b []byte) []byte {
	binary.LittleEndian.PutUint32(b, uint32(len(b)-headerSize))
	return b
}

var errFrame = errors.New("worker: a malformed frame")

// source is a connection of which frames are read.
type source interface {
	io.Reader
	next() // says that a frame is to begin
}

// inbox reads the frames of a worker.
type inbox struct {
	from source
	in   *bufio.Reader
}

func newInbox(from source) *inbox { return &inbox{from, bufio.NewReaderSize(from, inboxSize)} }

const inboxSize = 4 << 10

func (i *inbox) read(limit int) (frameKind, string, error) {
	i.from.next()
	return readFrame(i.in, limit)
}

// readFrame reads one frame of at most limit bytes. Only what has arrived is
// allocated: a length alone costs nothing.
func readFrame(r io.Reader, limit int) (frameKind, string, error) {
	var head [headerSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, "", err
	}
	n := int64(binary.LittleEndian.Uint32(head[:]))
	if n < 1 || n > int64(limit) {
		return 0, "", fmt.Errorf("%w: %d bytes, more than %d", errFrame, n, limit)
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
	return frameKind(b[0]), string(b[1:]), nil
}
