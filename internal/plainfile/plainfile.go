// Package plainfile opens files and folders of an os.Root only if they are what they seem: no link, device or pipe is on the way.
//
// An os.Root follows links within itself, opens devices, and waits at a pipe until another process writes. A check of the name before
// that can't help, because the name may mean another file when it is opened. So each function looks at a name without following it,
// opens it, and compares the opened file with the one it saw.
package plainfile

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// ErrNotPlain is the error of a name that is a link, a device, a pipe, or anything else than a file or folder.
var ErrNotPlain = errors.New("the path is no plain file, but a link, a pipe, a device or a folder, or another program has just replaced the file: name another file")

// ErrLinked is the error of a file with a second name. That name may be outside the folder, and then its owner did not mean to share the file.
var ErrLinked = errors.New("the file has a second name (a hard link), which may be outside of the folder: ask for a copy of the file, which can be used")

// folder opens a folder of dir. It follows no link.
func folder(dir *os.Root, name string) (*os.Root, error) {
	seen, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	return folderSeen(dir, name, seen)
}

// folderSeen opens a folder. It fails if the name now means another folder than the one that was seen.
func folderSeen(dir *os.Root, name string, seen fs.FileInfo) (*os.Root, error) {
	if !seen.IsDir() {
		return nil, ErrNotPlain
	}
	sub, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if is, err := sub.Stat("."); err != nil || !os.SameFile(seen, is) {
		return nil, errors.Join(ErrNotPlain, err, sub.Close())
	}
	return sub, nil
}

// open opens a regular file of dir to read it. It follows no link and does not wait for another process. It fails with ErrLinked if the file has a
// second name.
func open(dir *os.Root, name string) (*os.File, fs.FileInfo, error) {
	seen, err := dir.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	return openSeen(dir, name, seen)
}

// openSeen opens a file. It fails if the name now means another file than the one that was seen.
func openSeen(dir *os.Root, name string, seen fs.FileInfo) (*os.File, fs.FileInfo, error) {
	if !seen.Mode().IsRegular() {
		return nil, nil, ErrNotPlain
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	is, err := f.Stat()
	switch {
	case err != nil:
	case !is.Mode().IsRegular() || !os.SameFile(seen, is):
		err = ErrNotPlain
	case names(is) > 1:
		err = ErrLinked
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, is, nil
}

// Sync makes the names in a folder survive a loss of power. Windows and some file systems can't do that.
func Sync(dir *os.Root) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	if err = f.Sync(); errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
