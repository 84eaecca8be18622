// Package atomicfile writes whole files: a crash leaves a file as it was before, or as it is to be.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// Create writes a new file. It fails if there is something at path, a link for example. The file is on the disk when Create returns.
func Create(path string, text []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return finish(f, path, text, mode)
}

// Replace writes a file in the place of the one at path, if there is one. It is on the disk when Replace returns. The temporary file beside it has
// a random name: a fixed one could have become a symbolic link, and writing through that would overwrite the file behind it.
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

// SyncFolder makes the names in a folder outlive a loss of power: a new file, a renamed or a removed one. Windows and some file systems can't.
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
