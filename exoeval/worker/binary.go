package worker

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/exoagent/exoagent/exo/fail"
)

// ErrBinary is wrapped by the error of NewPool, and of a run, if PoolOptions.Binary is refused: other users can write the file, or it is no
// worker of the host's version. The error of NewPool is a *fail.Error. Its Err has a method Unwrap() []error, which returns ErrBinary and the reason.
var ErrBinary = fail.Named("worker: PoolOptions.Binary can't be used as this host's worker")

func binaryError(path string, err error) error {
	return &fail.Error{Op: "worker.NewPool", Kind: fail.Invalid, Msg: fmt.Sprintf("Binary %q", path), Err: fmt.Errorf("%w: %w", ErrBinary, err)}
}

// openBinary opens and checks the file from which workers are started, and keeps it open. So a worker starts from the checked file, even if
// the path later names another file. With path "" it returns no file.
func openBinary(path, sum string) (*os.File, error) {
	want, err := hex.DecodeString(sum)
	switch {
	case err != nil || sum != "" && len(want) != sha256.Size:
		return nil, fail.Errorf(fail.Invalid, "worker.NewPool", "BinarySHA256 is %q: write the SHA-256 of the file as 64 hexadecimal digits, as sha256sum prints it", sum)
	case path == "" && sum != "":
		return nil, fail.Errorf(fail.Invalid, "worker.NewPool", "BinarySHA256 is set, but Binary is not, so no file would be compared with it: set Binary to the path of exo-worker")
	case path == "":
		return nil, nil
	}
	if !filepath.IsAbs(path) {
		return nil, binaryError(path, errors.New("the path must be absolute, because the directory of a process may change"))
	}
	f, err := openExecutable(path)
	if err != nil {
		return nil, binaryError(path, err)
	}
	if err = checkBinary(f, want); err == nil {
		return f, nil
	}
	f.Close()
	return nil, binaryError(path, err)
}

// checkBinary compares the file with its SHA-256 sum, or without one with the modules of the host.
func checkBinary(f *os.File, sum []byte) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("the path leads to no regular file: name the program exo-worker")
	}
	if err := ownedSafely(info); err != nil {
		return err
	}
	if len(sum) > 0 {
		return hasSum(f, sum)
	}
	theirs, err := buildinfo.Read(f)
	if err != nil {
		return fmt.Errorf("the file was not built by Go, so it is no exo-worker: %w", err)
	}
	ours, ok := debug.ReadBuildInfo()
	if !ok {
		return nil // a build without modules has no versions; only the version of frames is checked
	}
	return sameModules(ours, theirs)
}

// hasSum refuses a file with another SHA-256 than want.
func hasSum(f *os.File, want []byte) error {
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	if got := h.Sum(nil); !bytes.Equal(got, want) {
		return fmt.Errorf("the file's SHA-256 is %x, not %x: use the unchanged file of this release", got, want)
	}
	return nil
}

// sameModules refuses a worker with another version of a module than the host. A worker sets up its own walls, so an older one may have holes
// that a later version closed.
func sameModules(ours, theirs *debug.BuildInfo) error {
	for _, path := range []string{"github.com/exoagent/exoagent", "github.com/dop251/goja"} {
		own, other := moduleOf(ours, path), moduleOf(theirs, path)
		if own == "" {
			continue
		}
		if other != own {
			return fmt.Errorf("the file was built with %s %s, but the host with %s: build both from one go.mod", path, cmp.Or(other, "none"), own)
		}
	}
	return nil
}

// moduleOf returns the version and the hash of a module in a program, or "" if the program lacks the module.
func moduleOf(info *debug.BuildInfo, path string) string {
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path != path {
			continue
		}
		if m.Replace != nil {
			m = m.Replace
		}
		if m.Sum == "" {
			return "of a folder" // a module replaced by a folder has no version; only the version of frames is checked
		}
		return m.Version + " " + m.Sum
	}
	return ""
}
