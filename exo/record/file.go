package record

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/exoagent/exoagent/exo"
)

// File is a record in a file, to which it appends. One process may have it open.
type File struct {
	Lines
	f    *os.File
	size int64 // of whole lines
	torn int64
}

// Open opens the record in a file, which is made if it is not there, for its owner only.
//
// A last line without its end is cut off: its process ended while it wrote, so the
// Recorder had not answered and what the line tells of had not been let happen, or is
// told by [Unsettled] as not known. A whole line that can't be read is never touched: Open fails.
func Open(path string) (*File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	r := &File{f: f}
	if err := r.scan(); err != nil {
		f.Close()
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
			r.begun[e.Run] = struct{}{}
		}
	}
	all, err := r.f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	r.size, r.torn = in.end, all-in.end
	r.w, r.cut = (*end)(r), func() error { return r.f.Truncate(r.size) }
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

// Torn is how many bytes of a line without its end were cut off when the file was opened.
func (r *File) Torn() int64 { return r.torn }

// Unsettled is [Unsettled] of what is in the file now.
func (r *File) Unsettled() ([]Run, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Unsettled(io.NewSectionReader(r.f, 0, r.size))
}

// Close closes the file. Nothing can be appended after it.
func (r *File) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = errors.New("record: the file was closed")
	return r.f.Close()
}
