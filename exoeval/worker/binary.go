package worker

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/exoagent/exoagent/exo/fail"
)

// ErrBinary is in the error of NewPool, and of a run, if PoolOptions.Binary is
// refused: other users can write the file, or it is no worker of this host's version.
var ErrBinary = errors.New("worker: PoolOptions.Binary can't be used as this host's worker")

func binaryError(path string, err error) error {
	return &fail.Error{Op: "worker.NewPool", Kind: fail.Invalid, Msg: fmt.Sprintf("Binary %q", path), Err: fmt.Errorf("%w: %w", ErrBinary, err)}
}

// openBinary opens the file from which workers are started, checks it, and keeps it open.
// So a worker is started from the checked file, even if the path names another file later.
func openBinary(path string) (*os.File, error) {
	if !filepath.IsAbs(path) {
		return nil, binaryError(path, errors.New("it must be an absolute path: the directory of a process may change"))
	}
	f, err := openExecutable(path)
	if err != nil {
		return nil, binaryError(path, err)
	}
	if err = checkBinary(f); err == nil {
		return f, nil
	}
	f.Close()
	return nil, binaryError(path, err)
}

func checkBinary(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is no regular file")
	}
	if err := ownedSafely(info); err != nil {
		return err
	}
	theirs, err := buildinfo.Read(f)
	if err != nil {
		return fmt.Errorf("it was not built by Go: %w", err)
	}
	ours, ok := debug.ReadBuildInfo()
	if !ok {
		return nil // it was built without modules: only the version of its frames is checked
	}
	return sameModules(ours, theirs)
}

// sameModules refuses a worker whose modules have another version than the host's. A worker
// sets up its own walls, so an older one would have holes that a later version has closed.
func sameModules(ours, theirs *debug.BuildInfo) error {
	for _, path := range []string{"github.com/exoagent/exoagent", "github.com/dop251/goja"} {
		own, other := moduleOf(ours, path), moduleOf(theirs, path)
		if own == "" {
			continue
		}
		if other != own {
			return fmt.Errorf("it has %s %s, and the host %s: build it with the host, from one go.mod", path, orNone(other), own)
		}
	}
	return nil
}

// moduleOf returns the version and the hash of a module in a program, "" if the program does not have the module.
func moduleOf(info *debug.BuildInfo, path string) string {
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path != path {
			continue
		}
		if m.Replace != nil {
			m = m.Replace
		}
		if m.Sum == "" {
			return "of a folder" // a folder has no version: only the version of the frames is checked
		}
		return m.Version + " " + m.Sum
	}
	return ""
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
