// Package atomicfile writes whole files: a crash leaves either the old file or the new one.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// Create writes a new file. It fails if anything is at path, for example a link. The file is on the disk when Create returns.
func Create(path string, text []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return finish(f, path, text, mode)
}

// Replace writes a file at path, in place of an existing one. The file is on the disk when Replace returns. The temporary file has a random name.
// At a fixed name an attacker could place a symbolic link, and the write would overwrite the link's target.
func Replace(path string, text []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	return finish(f, path, text, mode)
}

func finish(f *os.File, path string, text []byte, mode fs.FileMode) error {
	_, err := f.Write(text)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err == nil && f.Name() != path {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return SyncFolder(filepath.Dir(path))
}

// SyncFolder makes changes of names in a folder survive a loss of power: new, renamed and removed files. Windows and some file systems can't
// do that.
func SyncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err = d.Sync(); errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
