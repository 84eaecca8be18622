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

	"github.com/exoagent/exoagent/schema/gen"
)

// written counts the files of a directory by what was done with them.
type written struct{ wrote, same, removed int }

func (w written) String() string {
	return fmt.Sprintf("%d files written, %d unchanged, %d removed", w.wrote, w.same, w.removed)
}

// writeFiles makes files the generated files of dir. It writes new and changed files, and
// removes generated files that are not in files. If a file that was not generated has one
// of the names, it changes nothing. It writes each file under another name first, and then
// renames it, so that the file is never there in part.
func writeFiles(dir string, files []gen.File) (w written, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return w, err
	}
	changed, stale, err := compare(dir, files)
	if err != nil {
		return w, err
	}
	var temps []string
	defer func() {
		for _, t := range temps { // a file that was renamed is not there any more
			_ = os.Remove(t)
		}
	}()
	for _, f := range changed {
		temp := filepath.Join(dir, "."+f.Name+".exo-gen")
		temps = append(temps, temp)
		if err := writeNew(temp, f.Text); err != nil {
			return w, err
		}
	}
	for i, f := range changed {
		if err := os.Rename(temps[i], filepath.Join(dir, f.Name)); err != nil {
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

// generated reads a file that was generated before. It returns nil if there is none,
// and an error if anything else has that name.
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
		return nil, fmt.Errorf("%s was not written by exo gen, which does not overwrite it: move it, or choose another directory", path)
	}
	return text, nil
}

// writeNew writes a temporary file. It replaces one that an interrupted run left there.
// It does not follow a link, which could lead the write to another file.
func writeNew(path string, text []byte) error {
	_ = os.Remove(path)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}
