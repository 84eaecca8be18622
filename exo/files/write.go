package files

// This file writes the files of a run: each text waits under a hidden name from before the commit, and gets its own name when its call acts.

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/internal/plainfile"
)

// waiting is one write. The journal keeps its exported fields.
type waiting struct {
	Path string
	Sum  string // the digest of the text
	Was  string // the digest of the text that the write replaces; "": there was no file
	At   time.Time

	key, text string
	staged    bool // the journal has the write
}

// run has the writes of one run, in call order.
type run struct {
	mu     sync.Mutex
	writes []*waiting
}

type runOf struct{ *Files }

func (f *Files) run(m *exo.Message) *run {
	return m.PerRun(runOf{f}, func() any { return &run{} }).(*run)
}

// pending returns what the run of a message has written so far.
func (f *Files) pending(ctx context.Context) []*waiting {
	m, ok := ctx.Value(messageKey{}).(*exo.Message)
	if !ok {
		return nil
	}
	r := f.run(m)
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.writes)
}

// Validate implements exo.Validator: it checks a write while the program runs, and adds it to the writes of the run.
func (f *Files) Validate(m *exo.Message) error {
	if err := f.object.Validate(m); err != nil {
		return err
	}
	path, _ := m.Root.Args[0].Lit.Get("path")
	text, _ := m.Root.Args[0].Lit.Get("text")
	r := f.run(m)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writes = append(r.writes, &waiting{Path: path.Text(), key: m.Key(), text: text.Text(), At: m.Run().Clock})
	return nil
}

// names checks a write without reading the disk, and returns the parts of its path. Its error is for the program.
func (f *Files) names(in *written) ([]string, error) {
	parts, err := plainfile.SplitNew(in.Path)
	switch {
	case err != nil:
		return nil, service.Refuse("%s", err)
	case !plainfile.AnyMatches(f.write, parts):
		return nil, service.Refuse("`%s` is not a file that programs may write: they may write %s", in.Path, f.write)
	case int64(len(in.Text)) > f.bytes:
		return nil, service.Refuse("the text has %d bytes; a file may have at most %d", len(in.Text), f.bytes)
	}
	return parts, nil
}

// replaceable returns the reason why a path can't be written, as far as the disk shows now. A write makes no folder: a folder of a failed run would
// stay, and show other programs what that run had read.
func (f *Files) replaceable(path string, parts []string) error {
	dir, name, err := f.tree.Folder(parts)
	if err == nil {
		_, _, err = dir.Load(name)
		err = errors.Join(err, dir.Close())
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		return service.Refuse("`%s` can't be written: its folder does not exist, and a write makes no folder: write to a folder that exists", path)
	}
	if why := plainfile.Unusable(err); why != nil {
		return service.Refuse("`%s` can't be replaced: %v", path, why)
	}
	return err
}

// Stage implements exo.Stager. Whatever can fail, such as writing to a full disk, fails here, before the commit.
func (f *Files) Stage(ctx context.Context, m *exo.Message, _ bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := time.Now(); now.Sub(f.tidied) >= time.Hour {
		f.tidied = now
		f.tidy(ctx)
	}
	r := f.run(m)
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, w := range r.writes {
		if w.key == m.Key() {
			return f.stage(ctx, w, r.writes[:i])
		}
	}
	return errors.New("files: nothing was written, because the write was not checked while its program ran: this is a fault of exo/files, please report it") // not reached: Validate adds each write, since no write has a sealed value
}

// Forget implements exo.Stager. The text that waits is removed, and never gets its own name.
func (f *Files) Forget(ctx context.Context, m *exo.Message) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop(ctx, m.Key(), true)
	return nil
}

// stage puts a write into the journal. Then it writes the text that the write replaces, and the new text, to the disk. earlier has the run's writes before this one.
func (f *Files) stage(ctx context.Context, w *waiting, earlier []*waiting) error {
	parts, err := f.names(&written{w.Path, w.text})
	if err == nil {
		err = f.replaceable(w.Path, parts) // the folder may have changed
	}
	if err != nil {
		return err
	}
	dir, name, err := f.tree.Folder(parts)
	if err != nil {
		return err
	}
	defer dir.Close()
	before, mode, err := dir.Load(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if w.At, w.Sum = time.Now(), sum([]byte(w.text)); err == nil {
		w.Was = sum(before)
	}
	for _, e := range earlier {
		if e.Path == w.Path && e.staged {
			before, w.Was = []byte(e.text), e.Sum
		}
	}
	b, err := json.Marshal(w)
	if err != nil {
		return err
	}
	if _, err := f.journal.Put(ctx, store.Entry{Key: f.entryKey(w.key), Value: b, Until: w.At.Add(f.kept() + 30*24*time.Hour)}); err != nil {
		return err
	}
	w.staged = true
	if w.Was != "" && f.keep > 0 {
		err = dir.Create(plainfile.Ours+w.key+ofBefore, before, mode)
	}
	return errors.Join(err, dir.Create(plainfile.Ours+w.key, []byte(w.text), mode))
}

// ofBefore ends the name of the file that keeps the text before a write.
const ofBefore = "-before"

func sum(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

// finish is the function of the method write.
func (f *Files) finish(ctx context.Context, _ any) (any, error) {
	state, err := f.complete(ctx, service.Key(ctx))
	if state == exo.StateFailed {
		err = service.Refuse("%s", err)
	}
	return &service.None{}, err
}

// settle reports what became of a write whose process was killed, and completes it if its text still waits.
func (f *Files) settle(ctx context.Context, key string) (exo.State, error) {
	state, err := f.complete(ctx, key)
	if state == exo.StateFailed || errors.Is(err, errGone) {
		err = nil
	}
	return state, err
}

// Resumes implements record.Resumer: a write of a run that was kept is completed at the next start.
func (f *Files) Resumes(method string, committed exo.State) bool {
	return method == "write" && committed == exo.StateApplied
}

// complete gives a waiting text its name, if the file is as it was when the run was about to commit. It may be called again. If it returns StateFailed,
// its error is for programs.
func (f *Files) complete(ctx context.Context, key string) (exo.State, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, err := f.find(ctx, key)
	if err != nil {
		return exo.StateUnknown, err
	}
	defer p.dir.Close()
	text, _, err := p.dir.Load(plainfile.Ours + key)
	why := ""
	switch {
	case errors.Is(err, fs.ErrNotExist) && p.now == p.Sum:
		return exo.StateApplied, nil
	case errors.Is(err, fs.ErrNotExist):
		return exo.StateUnknown, errGone
	case err != nil && plainfile.Unusable(err) == nil:
		return exo.StateUnknown, err
	case !plainfile.AnyMatches(f.write, p.parts):
		why = "programs may no longer write this file"
	case err != nil || sum(text) != p.Sum:
		why = "the waiting text was changed on the disk"
	case p.now != p.Was:
		why = "the file was changed after the program had ended"
	default:
		err := errors.Join(p.dir.Rename(plainfile.Ours+key, p.name), plainfile.Sync(p.dir.Root))
		if err != nil {
			return exo.StateUnknown, err
		}
		return exo.StateApplied, nil
	}
	f.drop(ctx, key, false)
	return exo.StateFailed, fmt.Errorf("`%s` was not written: %s", p.Path, why)
}
