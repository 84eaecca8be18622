package repl

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/internal/printable"
)

// Bounds of a history.
const (
	maxEntries = 1000
	maxEntry   = 64 << 10 // bytes
)

// history is what was typed, oldest first. It is kept in a file that only its
// owner may read, one JSON text on a line: programs and questions hold data.
type history struct {
	path    string // "": not kept
	entries []string
}

// historyPath is where the history of an app is kept: in the directory that the
// system has for what a program remembers.
func historyPath(a App) (string, error) {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "exoagent", url.PathEscape(a.Package)+".history"), nil
}

// openHistory reads the history in a file, if there is one. A file that can't be read is
// left out: no history is worth refusing to start.
func openHistory(path string) (*history, error) {
	h := &history{path: path}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return &history{}, err
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return &history{}, err
	}
	defer f.Close()
	lines := 0
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 8*maxEntry)
	for sc.Scan() {
		lines++
		var s string
		if json.Unmarshal(sc.Bytes(), &s) == nil && s != "" {
			h.entries = append(h.entries, typable(s))
		}
	}
	if sc.Err() != nil { // a line that we never wrote: the file is somebody else's
		return &history{}, fmt.Errorf("%s: %w", path, sc.Err())
	}
	if len(h.entries) > maxEntries {
		h.entries = slices.Clone(h.entries[len(h.entries)-maxEntries:])
	}
	if lines > 2*maxEntries {
		return h, h.rewrite()
	}
	return h, nil
}

func (h *history) rewrite() error {
	var b []byte
	for _, e := range h.entries {
		b = append(append(b, printable.Marshal(e)...), '\n')
	}
	// A name that is known could be a link by now, and what it leads to the loss.
	f, err := os.CreateTemp(filepath.Dir(h.path), filepath.Base(h.path)+".*.new") // for its owner alone
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), h.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// add appends what was typed, unless it was typed just before.
func (h *history) add(s string) error {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > maxEntry || len(h.entries) > 0 && h.entries[len(h.entries)-1] == s {
		return nil
	}
	if h.entries = append(h.entries, s); len(h.entries) > maxEntries {
		h.entries = slices.Delete(h.entries, 0, len(h.entries)-maxEntries)
	}
	if h.path == "" {
		return nil
	}
	f, err := os.OpenFile(h.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	err = f.Chmod(0o600) // also one that was there, with other rights
	if err == nil {
		_, err = f.Write(append(printable.Marshal(s), '\n'))
	}
	return errors.Join(err, f.Close())
}

// typable is s without what can't be typed: pasted text and a file's text must not
// move the cursor of the editor that shows them. Tabs become spaces.
func typable(s string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(s, "\t", "  ") {
		if r == '\n' || printable.Rune(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}
