package files

// This file has the journal of writes, and undoes writes.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/internal/plainfile"
)

// kept is how long the journal keeps a write, so that a process that starts again can ask about it.
func (f *Files) kept() time.Duration { return max(7*24*time.Hour, f.keep) }

func (f *Files) entryKey(key string) string { return store.Key("files", f.name, key) }

var errGone = errors.New("files: it is not known whether the file was written, because its folder, its waiting text or its entry in the journal was removed: look at the file")

// place has a write of the journal, and the folder and name of its file.
type place struct {
	waiting
	parts   []string
	dir     *plainfile.Dir
	name    string
	now     string // the digest of the file's text; "": there is no file; other: there is something that can't be replaced
	version store.Version
}

const other = "other"

// find reads the journal, and opens the folder of a write. The caller closes the folder.
func (f *Files) find(ctx context.Context, key string) (p place, err error) {
	e, err := f.journal.Get(ctx, f.entryKey(key))
	if err == nil && e.Version == store.Absent {
		err = errGone
	}
	if p.version = e.Version; err == nil {
		err = json.Unmarshal(e.Value, &p.waiting)
	}
	if err == nil {
		p.parts, err = plainfile.SplitNew(p.Path)
	}
	if err != nil {
		return p, err
	}
	p.dir, p.name, err = f.tree.Folder(p.parts)
	if errors.Is(err, fs.ErrNotExist) || plainfile.Unusable(err) != nil {
		return p, errGone
	}
	if err != nil {
		return p, err
	}
	text, _, err := p.dir.Load(p.name)
	switch {
	case err == nil:
		p.now = sum(text)
	case errors.Is(err, fs.ErrNotExist):
	case plainfile.Unusable(err) != nil:
		p.now = other
	default:
		return p, errors.Join(err, p.dir.Close())
	}
	return p, nil
}

// drop removes a write from the journal, and its files with hidden names. If all is not set, it does so only if the text still waits. drop changes the
// journal first, since an entry without a waiting text means that the text was written.
func (f *Files) drop(ctx context.Context, key string, all bool) {
	p, err := f.find(ctx, key)
	if all && errors.Is(err, errGone) { // the folder of the write is gone, or never existed
		_ = f.journal.Delete(ctx, f.entryKey(key), p.version)
	}
	if err != nil {
		return
	}
	defer p.dir.Close()
	if _, err := p.dir.Lstat(plainfile.Ours + key); err != nil && !all || f.journal.Delete(ctx, f.entryKey(key), p.version) != nil {
		return
	}
	_ = p.dir.Remove(plainfile.Ours + key) // if Remove fails, the file stays under a hidden name
	_ = p.dir.Remove(plainfile.Ours + key + ofBefore)
}

// tidy drops texts that have waited for an hour, since no run waits that long, and writes that are older than f.kept(). If it can't drop one, it tries again an hour later. f.mu is held.
func (f *Files) tidy(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second) // this is less than a write may take
	defer cancel()
	prefix := f.entryKey("")
	for e, err := range store.All(ctx, f.journal, prefix) {
		var w waiting
		if err != nil {
			return
		}
		if json.Unmarshal(e.Value, &w) != nil {
			continue
		}
		if age := time.Since(w.At); age > time.Hour {
			f.drop(ctx, e.Key[len(prefix):], age > f.kept())
		}
	}
	_, _ = f.journal.Sweep(ctx)
}

// undo restores the text before a write, or removes the file if there was none. It may be called again.
func (f *Files) undo(ctx context.Context, key string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	nothing := func(why error) error { return fmt.Errorf("files: nothing was undone: %w: %w", why, exo.ErrNothingDone) }
	p, err := f.find(ctx, key)
	if err != nil {
		return nothing(err)
	}
	defer p.dir.Close()
	switch {
	case p.now == p.Was:
		return nil
	case p.now != p.Sum:
		return nothing(fmt.Errorf("%s was changed after the write", p.Path))
	case p.Was == "":
		err = p.dir.Remove(p.name)
	default:
		before, _, bad := p.dir.Load(plainfile.Ours + key + ofBefore)
		if bad == nil && sum(before) != p.Was {
			bad = errors.New("its kept copy was changed")
		}
		if bad != nil {
			return nothing(fmt.Errorf("the earlier text of %s can't be put back: %w", p.Path, bad))
		}
		err = p.dir.Rename(plainfile.Ours+key+ofBefore, p.name)
	}
	return cmp.Or(err, plainfile.Sync(p.dir.Root))
}
