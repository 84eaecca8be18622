package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/filelock"
)

// File is a record in a file, to which it appends. It is locked until Close, or until its
// process ends, however that does. The zero File refuses every entry, and so does nil.
type File struct {
	Lines
	f      *os.File
	unlock func() error
	size   int64 // of whole lines
	torn   int64
	left   []UnsettledRun // see UnsettledAtOpen
}

// ErrInUse is what Open fails with where the record is open already. Two writers would cut off each
// other's lines, and the second would settle runs that are still going.
var ErrInUse = filelock.ErrInUse

// Open opens the record in a file, which is made if it is not there, for its owner only. It reads the end of the
// file, whatever its size: the last MiB, and at least the last whole line. Those lines have to be entries, and the IDs of runs that begin there are
// known. [File.Unsettled] reads all of it.
//
// A last line without its end is cut off: its process ended while it wrote, so the Recorder had not
// answered and what the line tells of did not happen, or [Unsettled] reports it as not known. A
// whole line that can't be read is never touched: Open fails. So it does, with [ErrInUse], where
// the record is open already: a process that takes over from another one that is still on tries
// again until that has ended.
func Open(path string) (*File, error) {
	f, unlock, err := filelock.Open(path)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	r := &File{f: f, unlock: unlock}
	if err = r.scan(); err != nil {
		_ = r.Close()
		return nil, fmt.Errorf("record: %s: %w", path, err)
	}
	return r, nil
}

// maxTail is how much of the end of a file Open reads, besides the last line.
const maxTail = 1 << 20

func (r *File) scan() error {
	all, err := r.f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if r.size, err = lineEnd(r.f, all); err != nil {
		return err
	}
	from, err := lineEnd(r.f, max(0, r.size-maxTail)) // the beginning of a line
	if err != nil {
		return err
	}
	in := newReader(io.NewSectionReader(r.f, from, r.size-from))
	var runs openRuns
	for in.after = from; ; {
		e, err := in.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		runs.note(e)
		if e.Step == exo.Begun {
			r.begun.begin(e.RunID)
		}
	}
	r.left = runs.unsettled()
	r.torn = all - r.size
	r.w, r.cut = (*end)(r), func() error { return r.f.Truncate(r.size) }
	if r.torn == 0 {
		return nil
	}
	return r.cut()
}

// lineEnd is where the last line ends that ends at before or earlier; 0: none does.
func lineEnd(f io.ReaderAt, before int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for at := before; at > 0; {
		n := min(at, int64(len(buf)))
		if at -= n; before-at > maxLine+n {
			return 0, fmt.Errorf("the line before byte %d has more than %d bytes", before, maxLine)
		}
		if _, err := f.ReadAt(buf[:n], at); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return at + int64(i) + 1, nil
		}
	}
	return 0, nil
}

// end is where a File appends.
type end File

func (r *end) Write(b []byte) (int, error) {
	n, err := r.f.Write(b)
	if err == nil {
		r.size += int64(n)
	}
	return n, err
}

// Record implements [exo.Recorder], see [Lines].
func (r *File) Record(ctx context.Context, e exo.Entry) error {
	if r == nil {
		return errNowhere
	}
	return r.Lines.Record(ctx, e)
}

// Err is the first failure, for as long as File lives, see [Lines].
func (r *File) Err() error {
	if r == nil {
		return errNowhere
	}
	return r.Lines.Err()
}

// Torn is how many bytes of a line without its end were cut off when the file was opened.
func (r *File) Torn() int64 {
	if r == nil {
		return 0
	}
	return r.torn
}

// Unsettled is [Unsettled] of what is in the file now.
func (r *File) Unsettled() ([]UnsettledRun, error) {
	if r == nil || r.f == nil {
		return nil, errNowhere
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return Unsettled(io.NewSectionReader(r.f, 0, r.size))
}

// UnsettledAtOpen is Unsettled of what Open has read: of the end of the file. It is for a process that starts often, and where each settles
// what the one before it has left.
func (r *File) UnsettledAtOpen() []UnsettledRun {
	if r == nil {
		return nil
	}
	return r.left
}

// Close closes the file and lets others open it. Nothing can be appended after it.
func (r *File) Close() error {
	if r == nil || r.f == nil {
		return errNowhere
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = errors.New("record: the file was closed")
	var err error
	if r.unlock != nil {
		err, r.unlock = r.unlock(), nil
	}
	return errors.Join(err, r.f.Close())
}
