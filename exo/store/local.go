package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Local is a Store for the processes of one machine: in a folder (OpenFolder) or in memory (NewMemory).
type Local struct {
	turn  chan struct{} // has one value while an operation is running
	now   func() time.Time
	place string                                        // the path of the folder, for errors
	disk  disk                                          // where the texts are; nil: the store is closed
	enter func(context.Context) (leave func(), _ error) // locks the folder for one operation; nil: the folder is locked until Close
	free  func() error                                  // unlocks a folder that is locked until Close; nil: there is nothing to unlock
}

var _ Store = (*Local)(nil)

// LocalOptions has the options of OpenFolder and NewMemory. A nil pointer means the zero value.
type LocalOptions struct {
	// Now returns the time that decides which entries have ended; nil: time.Now. Processes that share a folder should use the same time.
	Now func() time.Time
	// Shared lets several processes of one machine use a folder in turns: each operation locks it, and waits at most 10 s for that.
	// Without Shared, a second OpenFolder fails with ErrInUse.
	Shared bool
}

// disk keeps the texts of a Local's entries, under the names that nameOf returns.
type disk interface {
	read(name string) ([]byte, error) // fails with fs.ErrNotExist if there is no such text
	write(name string, text []byte) error
	remove(names ...string) error
	names() ([]string, error)
}

func newLocal(d disk, opt *LocalOptions) *Local {
	l := &Local{turn: make(chan struct{}, 1), now: time.Now, disk: d}
	if opt != nil && opt.Now != nil {
		l.now = opt.Now
	}
	return l
}

// NewMemory makes a store in memory, which ends with the process. The number of its entries has no limit.
func NewMemory(opt *LocalOptions) *Local { return newLocal(memory{}, opt) }

// begin waits until it is this operation's turn. end lets the next operation begin.
func (l *Local) begin(ctx context.Context) (end func(), err error) {
	if l == nil || l.turn == nil {
		return nil, ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	leave := func() {}
	if l.disk == nil {
		err = ErrClosed
	} else if l.enter != nil {
		leave, err = l.enter(ctx)
	}
	if err != nil {
		<-l.turn
		return nil, err
	}
	return func() { leave(); <-l.turn }, nil
}

// Get implements Store.
func (l *Local) Get(ctx context.Context, key string) (Entry, error) {
	if err := CheckKey(key, 1); err != nil {
		return Entry{}, err
	}
	end, err := l.begin(ctx)
	if err != nil {
		return Entry{}, err
	}
	defer end()
	return l.get(key)
}

// get does the work of Get for an operation that has its turn.
func (l *Local) get(key string) (Entry, error) {
	e, err := l.load(nameOf(key))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !e.Live(l.now()) {
		return Entry{Key: key}, nil
	}
	return e, err
}

// load reads an entry, even one that has ended.
func (l *Local) load(name string) (Entry, error) {
	text, err := l.disk.read(name)
	if err != nil {
		return Entry{}, err
	}
	e, err := decode(text)
	if err == nil && nameOf(e.Key) != name {
		err = fmt.Errorf("the name of the file is not the SHA-256 of the key %.80q in the file", e.Key)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("%w: %s: %w; correct the file, or remove it if what it held may be lost", ErrDamaged, filepath.Join(l.place, name), err)
	}
	return e, nil
}

// Put implements Store.
func (l *Local) Put(ctx context.Context, e Entry) (Version, error) {
	next, err := e.Checked()
	if err != nil {
		return Absent, err
	}
	next.Version = NewVersion()
	text, err := encode(next)
	if err != nil {
		return Absent, err
	}
	return next.Version, l.replace(ctx, e.Key, e.Version, func(name string) error { return l.disk.write(name, text) })
}

// Delete implements Store.
func (l *Local) Delete(ctx context.Context, key string, v Version) error {
	if err := CheckKey(key, 1); err != nil {
		return err
	}
	if v == Absent {
		return Conflict(key, v)
	}
	return l.replace(ctx, key, v, func(name string) error { return l.disk.remove(name) })
}

// replace makes a change if the entry still has version v.
func (l *Local) replace(ctx context.Context, key string, v Version, change func(name string) error) error {
	end, err := l.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	switch was, err := l.get(key); {
	case err != nil:
		return err
	case was.Version != v:
		return Conflict(key, v)
	}
	return change(nameOf(key))
}

// List implements Store. It reads every entry of the store, and fails if one is damaged.
func (l *Local) List(ctx context.Context, prefix, after string, most int) ([]Entry, error) {
	if err := CheckList(prefix, after, most); err != nil {
		return nil, err
	}
	var keys []string
	end, err := l.each(ctx, func(_ string, e Entry) {
		if e.Live(l.now()) && strings.HasPrefix(e.Key, prefix) && e.Key > after {
			keys = append(keys, e.Key)
		}
	})
	if err != nil {
		return nil, err
	}
	defer end()
	slices.Sort(keys)
	var page []Entry
	for size := 0; len(page) < min(most, len(keys)); {
		e, err := l.get(keys[len(page)])
		if size += len(e.Value); err != nil || size > MaxListBytes && len(page) > 0 {
			return page, err
		}
		page = append(page, e)
	}
	return page, nil
}

// Sweep implements Store. It reads every entry of the store, and fails if one is damaged.
func (l *Local) Sweep(ctx context.Context) (int, error) {
	var ended []string
	end, err := l.each(ctx, func(name string, e Entry) {
		if !e.Live(l.now()) {
			ended = append(ended, name)
		}
	})
	if err != nil {
		return 0, err
	}
	defer end()
	if len(ended) == 0 {
		return 0, nil
	}
	return len(ended), l.disk.remove(ended...)
}

// each waits for its turn, and calls do for every entry, even one that has ended. The turn lasts until end is called.
func (l *Local) each(ctx context.Context, do func(name string, e Entry)) (end func(), err error) {
	if end, err = l.begin(ctx); err != nil {
		return nil, err
	}
	names, err := l.disk.names()
	for i := 0; err == nil && i < len(names); i++ {
		var e Entry
		if e, err = l.load(names[i]); err == nil {
			do(names[i], e)
			err = ctx.Err()
		}
	}
	if err != nil {
		end()
		return nil, err
	}
	return end, nil
}

// Close implements Store. It waits for a running operation.
func (l *Local) Close() error {
	if l == nil || l.turn == nil {
		return ErrClosed
	}
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	free := l.free
	if l.disk, l.free = nil, nil; free == nil {
		return nil
	}
	return free()
}

// nameOf returns the file name for a key. It is a hash, since a key may have slashes, and a file system may ignore case.
func nameOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:]) + ".json"
}

// kept is the form of an entry's text: one line of JSON.
type kept struct {
	Key     string          `json:"key"`
	Version Version         `json:"version"`
	Until   time.Time       `json:"until,omitzero"`
	Value   json.RawMessage `json:"value"`
}

// encode writes an entry with a value that Checked has returned, so the value is not parsed again.
func encode(e Entry) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // leaves <, > and & readable, so that a person can search the files for them
	if err := enc.Encode(kept{e.Key, e.Version, e.Until, json.RawMessage("0")}); err != nil {
		return nil, err
	}
	return slices.Concat(bytes.TrimSuffix(b.Bytes(), []byte("0}\n")), e.Value, []byte("}\n")), nil
}

// decode reads the text of an entry, and accepts only the form that encode writes: an unknown field may matter to a later version of this package.
func decode(text []byte) (Entry, error) {
	var in kept
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return Entry{}, err
	}
	if rest := text[d.InputOffset():]; string(rest) != "\n" {
		return Entry{}, errors.New("want one line of JSON that ends in a line break")
	}
	if in.Version == Absent {
		return Entry{}, errors.New("want a version that is not empty")
	}
	return Entry{Key: in.Key, Value: in.Value, Version: in.Version, Until: in.Until}.Checked()
}

// memory is a disk that keeps the texts in memory.
type memory map[string][]byte

func (m memory) read(name string) ([]byte, error) {
	text, ok := m[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return text, nil
}

func (m memory) write(name string, text []byte) error { m[name] = text; return nil }

func (m memory) remove(names ...string) error {
	for _, name := range names {
		delete(m, name)
	}
	return nil
}

func (m memory) names() ([]string, error) { return slices.Collect(maps.Keys(m)), nil }
