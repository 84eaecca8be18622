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

	"github.com/exoagent/exoagent/internal/atomicfile"
	"github.com/exoagent/exoagent/internal/printable"
)

// These constants limit a history.
const (
	maxEntries = 1000
	maxEntry   = 64 << 10 // most bytes of one entry
)

// history has what was typed, oldest first. It is kept in a file that only its owner may read,
// since programs and questions may contain data. Each line is one JSON text.
type history struct {
	path    string // "": the history is not kept
	entries []string
}

// historyPath returns the file for the history of an app,
// in the system's directory for state that programs keep.
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

// openHistory reads the history from a file, if there is
// one. If the file can't be read, the app starts without it.
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
	if sc.Err() != nil { // a line is longer than any that this package writes, so the file belongs to another program
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
	return atomicfile.Replace(h.path, b, 0o600) // with these rights, only the owner may read it
}

// add appends what was typed, unless it is the same as the last entry.
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
	err = f.Chmod(0o600) // the rights also change if the file existed before
	if err == nil {
		_, err = f.Write(append(printable.Marshal(s), '\n'))
	}
	return errors.Join(err, f.Close())
}

// typable returns s without characters that can't be typed, since pasted text, or text from a file,
// must not move the editor's cursor. Tabs become spaces.
func typable(s string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(s, "\t", "  ") {
		if r == '\n' || printable.Rune(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}
