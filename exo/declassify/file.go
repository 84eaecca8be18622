package declassify

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/filelock"
)

// File is a Budget whose taken bits are lines of JSON in a file, so that a restart gives none back. It is locked until Close, or until its process
// ends: two that counted apart would reveal twice as much.
type File struct {
	Budget
	f      *os.File
	unlock func() error
	size   int64 // of whole lines
}

// ErrInUse is what Open fails with where the file is open already.
var ErrInUse = filelock.ErrInUse

// Open opens the budget in a file, which is made if it is not there, for its owner only. A last line without its end is cut off: its
// process ended while it wrote, so nothing was revealed for it. Where a whole line can't be read, Open fails.
func Open(path string, bitsPerDay int) (*File, error) {
	if bitsPerDay < 1 {
		return nil, fmt.Errorf("declassify: %d bits a day: want 1 or more", bitsPerDay)
	}
	f, unlock, err := filelock.Open(path)
	if err != nil {
		return nil, fmt.Errorf("declassify: %w", err)
	}
	b := &File{f: f, unlock: unlock}
	b.perDay, b.taken, b.keep = bitsPerDay, map[exo.Principal]int{}, b.append
	if err = b.scan(); err != nil {
		_ = b.Close()
		return nil, fmt.Errorf("declassify: %s: %w", path, err)
	}
	return b, nil
}

// Take implements exo.BitBudget.
func (b *File) Take(p exo.Principal, now time.Time, bits int) (left int, err error) {
	if b == nil { // whoever dropped the error of Open
		return 0, errNone
	}
	return b.Budget.Take(p, now, bits)
}

func (b *File) scan() error {
	for in := bufio.NewReader(b.f); ; {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return b.f.Truncate(b.size)
		}
		if err != nil {
			return err
		}
		e, err := read(line)
		if err != nil {
			return fmt.Errorf("byte %d: %w", b.size, err)
		}
		b.count(e)
		b.size += int64(len(line))
	}
}

// read reads one line. A line that this package did not write may stand for bits that were taken, so it is refused and not skipped.
func read(line []byte) (e entry, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil {
		return e, err
	}
	if _, err := time.Parse(time.DateOnly, e.Day); err != nil || e.Bits < 1 {
		return e, errors.New("not a day and bits that were taken at it")
	}
	return e, nil
}

func (b *File) append(e entry) error {
	if !utf8.ValidString(string(e.Principal)) { // JSON would give it another name, and a restart the bits back
		return fmt.Errorf("declassify: the principal %q is not UTF-8", e.Principal)
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	n, err := b.f.Write(append(line, '\n'))
	if err == nil {
		b.size += int64(n)
		return nil
	}
	if n > 0 {
		if cut := b.f.Truncate(b.size); cut != nil { // the next line would be lost with this one
			b.keep = func(entry) error { return fmt.Errorf("declassify: the file ends in half a line: %w", err) }
		}
	}
	return fmt.Errorf("declassify: %w", err)
}

// Close closes the file and lets others open it. Nothing is revealed after it.
func (b *File) Close() error {
	if b == nil || b.f == nil {
		return errNone
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.keep = func(entry) error { return errors.New("declassify: the file was closed") }
	var err error
	if b.unlock != nil {
		err, b.unlock = b.unlock(), nil
	}
	return errors.Join(err, b.f.Close())
}
