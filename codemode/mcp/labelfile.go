package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/filelock"
)

// LabelFile keeps in a file what clients were shown, for [Config].LabelFile. A process that is restarted continues with it, and
// several processes can share it. It has at most 10,000 identities and 8 MiB. Make it with OpenLabels; the zero LabelFile refuses.
type LabelFile struct {
	path string

	mu   sync.Mutex
	at   fs.FileInfo // the file from which all was read; nil: there was none
	all  shownLabels
	read bool
}

// ErrLabels means that a file of labels can't be used. Then it is not known what clients
// were shown, so they are served nothing. The error says which file, why, and what to do.
var ErrLabels = errors.New("mcp: the file of labels can't be used")

const (
	labelVersion  = 1
	maxLabelFile  = 8 << 20
	labelLockWait = 10 * time.Second
)

// OpenLabels opens the file at path. It is made, for its owner only, when a client is first shown a label. OpenLabels fails if
// the file is unreadable, damaged or of another version, as clients would lose their labels, and if the folder can't be written.
func OpenLabels(path string) (*LabelFile, error) {
	f := &LabelFile{path: path}
	unlock, err := f.lock()
	if err != nil {
		return nil, err
	}
	_, err = f.load()
	if err = errors.Join(err, unlock()); err != nil {
		return nil, err
	}
	return f, nil
}

// fail returns the error of a file, with what to do about it.
func (f *LabelFile) fail(err error) error {
	if f.path == "" {
		return fmt.Errorf("%w: it was not opened with OpenLabels", ErrLabels)
	}
	return fmt.Errorf("%w: %s: %w; it records what clients were shown, so nothing is served without it: correct the file; or stop all servers that use it and remove it, once no model remembers what it was shown", ErrLabels, f.path, err)
}

// lock locks the file for one change. Each change replaces the file, so the lock is on another file.
func (f *LabelFile) lock() (unlock func() error, err error) {
	if f == nil || f.path == "" {
		return nil, (&LabelFile{}).fail(nil)
	}
	for end := time.Now().Add(labelLockWait); ; time.Sleep(5 * time.Millisecond) {
		l, free, err := filelock.Open(f.path + ".lock")
		if err == nil {
			return func() error { return errors.Join(free(), l.Close()) }, nil
		}
		if !errors.Is(err, filelock.ErrInUse) || time.Now().After(end) {
			return nil, f.fail(err)
		}
	}
}

// load returns what is in the file now. It needs no lock, because each change replaces the whole file.
func (f *LabelFile) load() (*shownLabels, error) {
	at, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.at, f.all, f.read = nil, shownLabels{}, true
		return &f.all, nil
	case err != nil:
		return nil, f.fail(err)
	case f.read && f.at != nil && os.SameFile(at, f.at) && at.ModTime().Equal(f.at.ModTime()) && at.Size() == f.at.Size():
		return &f.all, nil
	case at.Size() > maxLabelFile:
		return nil, f.fail(fmt.Errorf("it has %d bytes; want %d at most", at.Size(), maxLabelFile))
	}
	text, err := os.ReadFile(f.path)
	if err != nil {
		return nil, f.fail(err)
	}
	all, err := decodeShown(text)
	if err != nil {
		return nil, f.fail(err)
	}
	f.at, f.all, f.read = at, all, true
	return &f.all, nil
}

func (f *LabelFile) label(who owner, now time.Time) (value.Label, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.path == "" {
		return value.Label{}, f.fail(nil)
	}
	all, err := f.load()
	if err != nil {
		return value.Label{}, err
	}
	return all.label(who, now), nil
}

func (f *LabelFile) shown(who owner, label value.Label, now time.Time, keep time.Duration) (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	unlock, err := f.lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	all, err := f.load()
	if err != nil || !all.add(who, label, now, keep) {
		return err
	}
	f.read = false // what is in memory is not in the file yet
	if err := f.save(all, now); err != nil {
		return f.fail(err)
	}
	return nil
}

// save replaces the file. If the process is killed, either the old or the new file is there.
func (f *LabelFile) save(all *shownLabels, now time.Time) error {
	text, err := all.encode(now)
	if err == nil && len(text) > maxLabelFile {
		err = fmt.Errorf("it would have %d bytes; want %d at most", len(text), maxLabelFile)
	}
	if err != nil {
		return err
	}
	t, err := os.CreateTemp(filepath.Dir(f.path), filepath.Base(f.path)+".*.new") // only its owner may read it
	if err != nil {
		return err
	}
	_, err = t.Write(text)
	if err == nil {
		err = t.Sync()
	}
	if err = errors.Join(err, t.Close()); err == nil {
		err = os.Rename(t.Name(), f.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(t.Name()))
	}
	if d, err := os.Open(filepath.Dir(f.path)); err == nil { // this also makes the file's name durable, if the system can
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}

// toldFile is the content of the file.
type toldFile struct {
	Version int         `json:"version"`
	Rest    *toldEntry  `json:"rest,omitempty"`
	Shown   []toldEntry `json:"shown"`
}

type toldEntry struct {
	Issuer  string    `json:"issuer,omitempty"`
	Subject string    `json:"subject,omitempty"`
	Label   []string  `json:"label"`
	Until   time.Time `json:"until"`
}

func (t *shownLabels) encode(now time.Time) ([]byte, error) {
	out := toldFile{Version: labelVersion, Shown: []toldEntry{}}
	entry := func(who owner, s shown) toldEntry {
		return toldEntry{who.issuer, who.subject, s.label.Tags(), s.until.UTC()}
	}
	if now.Before(t.rest.until) {
		rest := entry(owner{}, t.rest)
		out.Rest = &rest
	}
	for who, s := range t.of {
		if !utf8.ValidString(who.issuer + "\x00" + who.subject) { // JSON would change the identity, and it would lose its labels
			return nil, fmt.Errorf("the identity %.80q is not UTF-8", who.subject)
		}
		if now.Before(s.until) {
			out.Shown = append(out.Shown, entry(who, s))
		}
	}
	slices.SortFunc(out.Shown, func(a, b toldEntry) int {
		return strings.Compare(a.Issuer+"\x00"+a.Subject, b.Issuer+"\x00"+b.Subject)
	})
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // otherwise a subject of "<" would take six times its size
	e.SetIndent("", " ")
	err := e.Encode(out)
	return b.Bytes(), err
}

// decodeShown reads a file as strictly as it was written: an unreadable part may be the labels of somebody.
func decodeShown(text []byte) (t shownLabels, err error) {
	var v struct{ Version int }
	if json.Unmarshal(text, &v) == nil && v.Version != labelVersion && v.Version != 0 {
		return t, fmt.Errorf("it is of version %d, and this exo reads version %d", v.Version, labelVersion)
	}
	var in toldFile
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return t, fmt.Errorf("it is damaged: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) || in.Version != labelVersion || in.Shown == nil || len(in.Shown) > maxTold {
		return t, errors.New("it is damaged: want one object with version and shown")
	}
	if _, twice := keysOf(text); twice != nil {
		return t, fmt.Errorf("it is damaged: it has %.40q twice in an object", *twice)
	}
	read := func(e toldEntry) (s shown, err error) {
		s = shown{value.NewLabel(e.Label...), e.Until}
		if err := s.label.Check(); err != nil {
			return s, err
		}
		if len(e.Label) == 0 || e.Until.IsZero() {
			return s, errors.New("an entry has no label, or no time at which it ends")
		}
		return s, nil
	}
	if in.Rest != nil {
		if t.rest, err = read(*in.Rest); err != nil {
			return t, fmt.Errorf("it is damaged: %w", err)
		}
	}
	t.of = make(map[owner]shown, len(in.Shown))
	for _, e := range in.Shown {
		who := owner{e.Issuer, e.Subject}
		if _, twice := t.of[who]; twice || who == (owner{}) {
			return t, fmt.Errorf("it is damaged: %.80q is there twice, or is empty", e.Subject)
		}
		if t.of[who], err = read(e); err != nil {
			return t, fmt.Errorf("it is damaged: %w", err)
		}
	}
	return t, nil
}
