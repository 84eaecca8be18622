package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/internal/atomicfile"
	"github.com/exoagent/exoagent/schema/gen"
)

// written counts the files of a directory by what was done with them.
type written struct{ wrote, same, removed int }

func (w written) String() string {
	return fmt.Sprintf("%d files written, %d unchanged, %d removed", w.wrote, w.same, w.removed)
}

// writeFiles writes the new and changed ones of files to dir, and removes generated files of dir
// that are not among files. If a file that was not generated has one of the names, it changes
// nothing. Each file is replaced in one step.
func writeFiles(dir string, files []gen.File) (w written, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return w, err
	}
	changed, stale, err := compare(dir, files)
	if err != nil {
		return w, err
	}
	for _, f := range changed {
		if err := atomicfile.Replace(filepath.Join(dir, f.Name), f.Text, 0o644); err != nil {
			return w, err
		}
		w.wrote++
	}
	for _, name := range stale {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			return w, err
		}
		w.removed++
	}
	w.same = len(files) - len(changed)
	return w, nil
}

// compare finds the files to write, and the generated files to remove. It fails if
// a file that was not generated has one of the names.
func compare(dir string, files []gen.File) (changed []gen.File, stale []string, err error) {
	for _, f := range files {
		old, err := generated(filepath.Join(dir, f.Name))
		switch {
		case err != nil:
			return nil, nil, err
		case old == nil || !bytes.Equal(old, f.Text):
			changed = append(changed, f)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		kept := slices.ContainsFunc(files, func(f gen.File) bool { return f.Name == e.Name() })
		if kept || !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		if old, err := generated(filepath.Join(dir, e.Name())); err == nil && old != nil {
			stale = append(stale, e.Name())
		}
	}
	return changed, stale, nil
}

// generated reads an existing generated file. It returns nil if there is none, and an error if
// anything else has that name.
func generated(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var text []byte
	if info.Mode().IsRegular() {
		if text, err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	if !bytes.HasPrefix(text, []byte(gen.Header)) {
		return nil, fmt.Errorf("%s exists and exo gen did not write it, so exo gen does not overwrite it: rename the file, or give another directory by -o", path)
	}
	return text, nil
}
