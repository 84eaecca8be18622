package record

import (
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
}

// ErrInUse is what Open fails with where the record is open already. Two that appended
// would cut off each other's lines, and whoever comes second would settle runs that are on.
var ErrInUse = filelock.ErrInUse

// Open opens the record in a file, which is made if it is not there, for its owner only.
//
// A last line without its end is cut off: its process ended while it wrote, so the
// Recorder had not answered and what the line tells of had not been let happen, or is
// told by [Unsettled] as not known. A whole line that can't be read is never touched: Open fails.
// So it does, with [ErrInUse], where the record is open already: a process that takes over
// from another one that is still on tries again until that has ended.
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

func (r *File) scan() error {
	r.begun = map[exo.RunID]struct{}{}
	in := newReader(r.f)
	for {
		e, err := in.next()
		if errors.Is(err, io.EOF) || errors.Is(err, ErrTorn) {
			break
		}
		if err != nil {
			return err
		}
		if e.Step == exo.Begun {
			r.begun[e.RunID] = struct{}{}
		}
	}
	all, err := r.f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	r.size, r.torn = in.end, all-in.end
	r.w, r.cut = (*end)(r), func() error { return r.f.Truncate(r.size) }
	if r.torn == 0 {
		return nil
	}
	return r.cut()
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
