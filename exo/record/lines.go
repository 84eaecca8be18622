package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/exoagent/exoagent/exo"
)

// Lines is an [exo.Recorder] that writes each entry as one line of JSON, in one call of Write. The
// zero Lines and a nil *Lines refuse every entry.
type Lines struct {
	mu    sync.Mutex
	w     io.Writer
	cut   func() error // removes a line that was partly written; nil: a part can't be removed
	half  error        // why the last line was only partly written; the part is removed before the next line
	begun runs
	buf   []byte
	first error // the first failure
	err   error // the reason why nothing can be appended any more
}

// New makes a Recorder that writes to w. It remembers the IDs of the last 65,536 runs, and refuses a
// run with one of these IDs: otherwise a reader could count an effect of one run as an effect of another.
func New(w io.Writer) *Lines { return &Lines{w: w} }

// errNowhere is the error for a host that has ignored the error of Open, or has not called Open.
var errNowhere = errors.New("record: this record was never opened: use New, Open or OpenFolder, and check the error")

// maxBuf is the size of the largest buffer in bytes that is kept for the next entry.
const maxBuf = 64 << 10

// Record appends e. If only a part can be written, for example on a full disk, Record removes that part. If
// that fails, too, nothing is appended until the part could be removed.
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

// Err returns the first failure since New. Later entries may have been appended even so.
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
	if err := l.takeBack(); err != nil {
		return err
	}
	line, err := l.begun.line(l.buf[:0], e)
	if cap(line) <= maxBuf {
		l.buf = line
	}
	if err != nil {
		return err
	}
	n, err := l.w.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	if err != nil {
		err = fmt.Errorf("record: an entry can't be appended, and no program runs until it is: %w", err)
		if n > 0 {
			l.half = err
			_ = l.takeBack() // if takeBack fails, the next entry tries again
		}
		return err
	}
	l.begun.appended(e)
	return nil
}

// takeBack removes a line that was partly written. Otherwise the next line would be appended to the part, and be unreadable, too.
func (l *Lines) takeBack() error {
	if l.half == nil {
		return nil
	}
	if l.cut == nil {
		l.err = fmt.Errorf("%w; the record ends in half a line, so nothing is appended to it any more", l.half)
		return l.err
	}
	if err := l.cut(); err != nil {
		return fmt.Errorf("%w; the record ends in half a line, which can't be cut off: %w", l.half, err)
	}
	l.half = nil
	return nil
}
