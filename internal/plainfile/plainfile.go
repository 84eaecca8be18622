// Package plainfile opens files and folders of an os.Root that are what they seem: no link, device or pipe is on the way.
//
// An os.Root follows links within itself, opens devices, and waits at a pipe until another process writes. A check of the name before
// can't help: the name may mean another file by then. So each function looks at a name without following it, opens it, and compares what
// it has opened with what it saw.
package plainfile

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// ErrNotPlain is the error of a name that is a link, a device, a pipe, or anything else than a file or folder.
var ErrNotPlain = errors.New("it is no plain file: it is a link, a pipe, a device or a folder, or was replaced meanwhile")

// ErrLinked is the error of a file that has a second name: the second may be outside the folder, and its owner did not mean to share it.
var ErrLinked = errors.New("the file has a second name (a hard link), which may be elsewhere: a copy of it can be read")

// folder opens a folder of dir. It follows no link.
func folder(dir *os.Root, name string) (*os.Root, error) {
	seen, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	return folderSeen(dir, name, seen)
}

// folderSeen opens a folder if it is the one that was seen under the name.
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

// openSeen opens a file if it is the one that was seen under the name.
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

// Sync makes the names in a folder outlive a loss of power. Windows and some file systems can't.
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
