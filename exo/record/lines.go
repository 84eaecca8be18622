package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/exoagent/exoagent/exo"
)

// Lines is an [exo.Recorder] that writes each entry as one line of JSON, in one call of
// Write. The zero Lines refuses every entry, and so does nil.
type Lines struct {
	mu    sync.Mutex
	w     io.Writer
	cut   func() error // takes back a line that was written in part; nil: it can't be
	half  error        // why the last line is there in part; it is taken back before the next one
	begun runs
	buf   []byte
	first error // the first failure
	err   error // why nothing can be appended any more
}

// New makes a Recorder that writes to w. The IDs of the 65,536 runs that began last are kept in memory,
// since one that comes again is refused: in a record in which one ID means two runs, an
// effect of the second would pass for one of the first.
func New(w io.Writer) *Lines { return &Lines{w: w} }

// errNowhere is what a host gets that dropped the error of Open, or forgot to call it.
var errNowhere = errors.New("record: this record writes nowhere; make one with New, Open or OpenFolder, and look at its error")

// maxBuf is how large a buffer is kept.
const maxBuf = 64 << 10

// Record appends e. An entry that can't be appended whole, as on a full disk, is taken back. Where a part
// of it stays, nothing is appended until that part could be taken back.
func (l *Lines) Record(_ context.Context, e exo.Entry) error {
	if l == nil {
		return errNowhere
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.append(&e)
	if err != nil && l.first == nil {
		l.first = err
	}
	return err
}

// Err is the first failure, for as long as Lines lives. A later entry may have been
// appended all the same.
func (l *Lines) Err() error {
	if l == nil {
		return errNowhere
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.first
}

func (l *Lines) append(e *exo.Entry) error {
	if l.err != nil {
		return l.err
	}
	if l.w == nil {
		return errNowhere
	}
	if e.RunID == (exo.RunID{}) {
		return errors.New("record: an entry of no run")
	}
	if e.Step == exo.Begun && l.begun.has(e.RunID) {
		return fmt.Errorf("record: run %v has begun before; an ID stands for one run", e.RunID)
	}
	if err := l.takeBack(); err != nil {
		return err
	}
	line, err := appendLine(l.buf[:0], e, &l.begun)
	if cap(line) <= maxBuf {
		l.buf = line
	}
	if err == nil && len(line) > maxLine {
		err = fmt.Errorf("record: an entry of %d bytes; a line has at most %d", len(line), maxLine)
	}
	if err != nil {
		return err
	}
	n, err := l.w.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	if err != nil {
		err = fmt.Errorf("record: nothing runs or changes until this can be appended: %w", err)
		if n > 0 {
			l.half = err
			_ = l.takeBack() // or before the next entry
		}
		return err
	}
	if e.Step == exo.Begun {
		l.begun.begin(e.RunID)
	}
	l.begun.spend(e)
	return nil
}

// takeBack cuts off the part of a line: another line after it would be lost with it.
func (l *Lines) takeBack() error {
	if l.half == nil {
		return nil
	}
	if l.cut == nil {
		l.err = fmt.Errorf("%w; the record ends in half a line", l.half)
		return l.err
	}
	if err := l.cut(); err != nil {
		return fmt.Errorf("%w; the record ends in half a line, which can't be cut off: %w", l.half, err)
	}
	l.half = nil
	return nil
}
