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

// File is a record in a file that it appends to. The file is locked until Close, or until the
// process ends. The zero File and a nil *File refuse every entry.
type File struct {
	Lines
	f      *os.File
	unlock func() error
	size   int64 // the number of bytes in whole lines
	torn   int64
	left   []UnsettledRun // the runs that UnsettledAtOpen returns
}

// ErrInUse is the error of Open if another process has the record open. Two writers would cut off
// each other's lines, and one would settle runs of the other that are still running.
var ErrInUse = filelock.ErrInUse

// Open opens the record in a file. If the file does not exist, Open makes it, readable by its owner only. Open reads the end of the file,
// whatever its size: the last MiB, and at least the last whole line. Those lines must be entries, and Open remembers the IDs of runs that
// begin there. [File.Unsettled] reads the whole file.
//
// Open cuts off a last line without its end. The process was killed while it wrote the line, so the line's event did not happen, or
// [Unsettled] reports it as unknown. If a whole line can't be read, Open fails and changes nothing. If another process has the record open,
// Open fails with [ErrInUse]. A process that takes over from another one should try again until the other has ended.
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

// maxTail is how many bytes at the end of a file Open reads. It reads more if the last line is longer.
const maxTail = 1 << 20

func (r *File) scan() error {
	all, err := r.f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if r.size, err = lineEnd(r.f, all); err != nil {
		return err
	}
	from, err := lineEnd(r.f, max(0, r.size-maxTail)) // from is the beginning of a line
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

// lineEnd returns the offset of the last end of a line that is at most before. It returns 0 if there is none.
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

// end makes an io.Writer of a File, which its Lines write to.
type end File

func (r *end) Write(b []byte) (int, error) {
	n, err := r.f.Write(b)
	if err == nil {
		r.size += int64(n)
	}
	return n, err
}

// Record implements [exo.Recorder] (see [Lines]).
func (r *File) Record(ctx context.Context, e exo.Entry) error {
	if r == nil {
		return errNowhere
	}
	return r.Lines.Record(ctx, e)
}

// Err returns the first failure since File was opened.
func (r *File) Err() error {
	if r == nil {
		return errNowhere
	}
	return r.Lines.Err()
}

// Torn returns how many bytes Open cut off because they were an incomplete last line.
func (r *File) Torn() int64 {
	if r == nil {
		return 0
	}
	return r.torn
}

// Unsettled applies the function [Unsettled] to the lines that are in the file now.
func (r *File) Unsettled() ([]UnsettledRun, error) {
	if r == nil || r.f == nil {
		return nil, errNowhere
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return Unsettled(io.NewSectionReader(r.f, 0, r.size))
}

// UnsettledAtOpen is Unsettled for the lines that Open has read, at the end of the file. These lines are enough if every start of the host settles
// the runs that the previous process left.
func (r *File) UnsettledAtOpen() []UnsettledRun {
	if r == nil {
		return nil
	}
	return r.left
}

// Close closes the file, so that other processes can open it. Nothing can be appended afterwards.
func (r *File) Close() error {
	if r == nil || r.f == nil {
		return errNowhere
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = errors.New("record: the file was closed, so no entry can be appended")
	var err error
	if r.unlock != nil {
		err, r.unlock = r.unlock(), nil
	}
	return errors.Join(err, r.f.Close())
}
