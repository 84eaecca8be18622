package main

// Many cases check one package, and linking the program for it takes seconds: here each program is built once.

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/exoagent/exoagent/internal/testutil"
)

// linked counts the programs that the go command has built for the tests.
var linked atomic.Int64

// buildOnce has goTool keep what it builds, and copy it where the same is built again. remove removes what was kept.
func buildOnce() (remove func()) {
	run, dir := goTool, ""
	goTool = func(ctx context.Context, args ...string) ([]byte, error) {
		if args[0] != "build" {
			return run(ctx, args...)
		}
		key, err := buildKey(args)
		if err == nil && dir == "" {
			dir, err = os.MkdirTemp("", "exo-built")
		}
		if err != nil {
			return nil, err
		}
		kept, out := filepath.Join(dir, key), args[slices.Index(args, "-o")+1]
		if os.Link(kept, out) == nil {
			return nil, nil
		}
		linked.Add(1)
		text, err := run(ctx, args...)
		if err == nil {
			err = os.Link(out, kept)
		}
		return text, err
	}
	return func() {
		if dir != "" {
			os.RemoveAll(dir)
		}
	}
}

// buildKey is a hash of all that the tests change of what is built: the arguments, the files that are laid over the package, the
// package's own files, the folder and the environment of the go command. The names of temporary files are left out.
func buildKey(args []string) (string, error) {
	list := args[slices.Index(args, "-overlay")+1]
	text, err := os.ReadFile(list)
	if err != nil {
		return "", err
	}
	var overlay struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &overlay); err != nil {
		return "", err
	}
	h, temporary := sha256.New(), filepath.Dir(list)
	wd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	fmt.Fprintf(h, "%q %q %q %q\n", strings.Split(strings.ReplaceAll(strings.Join(args, "\x00"), temporary, ""), "\x00"), wd, os.Getenv("GOFLAGS"), os.Getenv("CGO_ENABLED"))
	for _, path := range slices.Sorted(maps.Keys(overlay.Replace)) {
		text, err := os.ReadFile(overlay.Replace[path])
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%q %q\n", path, text)
		for _, folder := range []string{filepath.Dir(path), filepath.Dir(filepath.Dir(path))} {
			own, err := filepath.Glob(filepath.Join(folder, "*.go"))
			if err != nil {
				return "", err
			}
			for _, name := range own {
				text, err := os.ReadFile(name)
				if err != nil {
					return "", err
				}
				fmt.Fprintf(h, "%q %q\n", name, text)
			}
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// TestBuildOnce: the same program is built once, and another one where the package, the function or a flag differs.
func TestBuildOnce(t *testing.T) {
	testutil.NotQuick(t)
	testutil.NotRaced(t)
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "go.mod", "module example.com/built\n")
	write(t, "main.go", "package main\n\nfunc main() { print(text()) }\n")
	built := func(text string, flags ...string) (fresh int64) {
		t.Helper()
		before := linked.Load()
		binary, err := build(t.Context(), t.TempDir(), map[string]string{filepath.Join(dir, "text.go"): "package main\n\nfunc text() string { return \"" + text + "\" }\n"}, ".", flags...)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(binary); err != nil || info.Size() == 0 {
			t.Fatalf("%v: %v", info, err)
		}
		return linked.Load() - before
	}
	for i, want := range []int64{built("a") - 1, built("a"), built("b") - 1, built("a", "-tags=x") - 1, built("a")} {
		if want != 0 {
			t.Errorf("step %d: %d programs more than expected were built", i, want)
		}
	}
	write(t, "main.go", "package main\n\nfunc main() { print(text(), 1) }\n")
	if built("a") != 1 {
		t.Error("the package is another one, and was not built again")
	}
}
