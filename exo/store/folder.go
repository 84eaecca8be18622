package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/exoagent/exoagent/internal/atomicfile"
	"github.com/exoagent/exoagent/internal/filelock"
)

// OpenFolder opens the store in a folder. A missing folder is made, accessible to its owner only. Each entry is a file with one line of JSON. The
// folder is locked until Close, or until the process ends, unless LocalOptions.Shared is set. On a network file system, a lock may not exclude other
// machines.
func OpenFolder(dir string, opt *LocalOptions) (*Local, error) {
	if at, err := os.Stat(dir); err == nil && !at.IsDir() {
		return nil, fmt.Errorf("%w: %s is a file, and a store needs a folder: name another path, or move the file away first", ErrInvalid, dir)
	}
	d := &folder{dir: dir, create: create, sync: atomicfile.SyncFolder}
	err := os.Mkdir(dir, 0o700)
	if err == nil {
		err = d.sync(filepath.Dir(dir)) // sync the parent, so that the folder's name is on the disk
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("store: %w", err)
	}
	l := newLocal(d, opt)
	l.place = dir
	if opt != nil && opt.Shared {
		l.enter = d.await
		_, err = l.Get(context.Background(), "any") // any operation shows whether the folder can be used
	} else {
		l.free, err = d.take()
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// maxWait is the longest time that an operation waits for its turn in a shared folder.
const maxWait = 10 * time.Second

// folder is a disk that keeps the texts as files of a folder.
type folder struct {
	dir    string
	create func(path string) (file, error)
	sync   func(dir string) error
}

// file has the methods of *os.File that are needed to write one.
type file interface {
	io.WriteCloser
	Sync() error
}

func create(path string) (file, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
}

// take locks the folder, and syncs it, since a killed process may have left unsynced names. So entries that are read survive a loss of power.
func (d *folder) take() (free func() error, err error) {
	f, unlock, err := filelock.Open(filepath.Join(d.dir, "lock"))
	if errors.Is(err, filelock.ErrInUse) {
		return nil, fmt.Errorf("%w: %w; several processes need LocalOptions.Shared, or exo/store/postgres", ErrInUse, err)
	}
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	free = func() error { return errors.Join(unlock(), f.Close()) }
	if err := d.sync(d.dir); err != nil {
		return nil, errors.Join(fmt.Errorf("store: %w", err), free())
	}
	return free, nil
}

// await waits until no other process has locked the folder, and locks it for one operation.
func (d *folder) await(ctx context.Context) (leave func(), err error) {
	for end := time.Now().Add(maxWait); ; {
		free, err := d.take()
		if err == nil {
			return func() { _ = free() }, nil
		}
		if !errors.Is(err, ErrInUse) || time.Now().After(end) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// maxFile is larger than the file of any entry: one byte of a key takes at most 6 bytes in JSON.
const maxFile = MaxValue + 6*MaxKey + 1<<10

func (d *folder) read(name string) ([]byte, error) {
	f, err := os.Open(filepath.Join(d.dir, name))
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return text, nil
}

// write replaces a file as a whole. The new text is on the disk before it gets the file's name. So after a kill the file has the old or the new text.
func (d *folder) write(name string, text []byte) error {
	fresh := filepath.Join(d.dir, "new") // one name is enough: only one write happens at a time, and it truncates the file
	f, err := d.create(fresh)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(fresh, filepath.Join(d.dir, name))
	}
	if err != nil {
		_ = os.Remove(fresh)
		return fmt.Errorf("store: nothing was changed: %w", err)
	}
	return d.done()
}

func (d *folder) remove(names ...string) error {
	for i, name := range names {
		if err := os.Remove(filepath.Join(d.dir, name)); err != nil {
			return errors.Join(fmt.Errorf("store: only %d of %d files were removed: %w", i, len(names), err), d.done())
		}
	}
	return d.done()
}

// done syncs the folder, so that the names of its files are on the disk.
func (d *folder) done() error {
	if err := d.sync(d.dir); err != nil {
		return fmt.Errorf("%w: the folder can't be synced, so a loss of power may undo the change: %w", ErrUnknown, err)
	}
	return nil
}

func (d *folder) names() ([]string, error) {
	all, err := os.ReadDir(d.dir)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	var names []string
	for _, f := range all {
		if strings.HasSuffix(f.Name(), ".json") {
			names = append(names, f.Name())
		}
	}
	return names, nil
}
