package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/store/storetest"
)

// TestMain is also the process that is killed, see store.Child.
func TestMain(m *testing.M) {
	dir, err := os.Getenv("EXO_STORE_DIR"), error(nil)
	switch what := os.Getenv("EXO_STORE_CHILD"); what {
	case "":
		os.Exit(m.Run())
	case "open":
		_, err = store.OpenFolder(dir, nil)
	case "steps":
		var n int
		if _, err = fmt.Sscan(os.Getenv("EXO_STORE_STEP"), &n); err == nil {
			err = store.Steps(dir, n)
		}
	case "count", "count shared":
		time.AfterFunc(time.Minute, func() { os.Exit(1) })
		var s *store.Local
		if s, err = store.OpenFolder(dir, &store.LocalOptions{Shared: what == "count shared"}); err == nil {
			err = storetest.Count(s, os.Stdout)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestStore runs the suite: in memory, in a folder, and in a folder that several processes share.
func TestStore(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		storetest.Run(t, false, func(t testing.TB, now func() time.Time) store.Store {
			return store.NewMemory(&store.LocalOptions{Now: now})
		})
	})
	for name, shared := range map[string]bool{"folder": false, "shared": true} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			storetest.Run(t, shared, func(t testing.TB, now func() time.Time) store.Store {
				s, err := store.OpenFolder(dir, &store.LocalOptions{Now: now, Shared: shared})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = s.Close() })
				return s
			})
		})
	}
}

// TestKilledWhileItCounts: processes that are killed lose nothing that was acknowledged.
func TestKilledWhileItCounts(t *testing.T) {
	for what, at := range map[string]int{"count": 1, "count shared": 2} {
		dir := filepath.Join(t.TempDir(), "store")
		storetest.Killed(t, at, func() (io.Reader, func()) {
			c := store.Child(what, dir)
			c.Stderr = os.Stderr
			out, err := c.StdoutPipe()
			if err == nil {
				err = c.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
			return out, func() { _ = c.Process.Kill() }
		}, func() store.Store {
			s, err := store.OpenFolder(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		})
	}
}

// TestZeroStores: what nobody opened refuses.
func TestZeroStores(t *testing.T) {
	for _, s := range []*store.Local{nil, {}} {
		storetest.Refuses(t, s)
		if err := s.Close(); !errors.Is(err, store.ErrClosed) {
			t.Error(err)
		}
	}
	if err := store.Update(t.Context(), nil, "k", nil); !errors.Is(err, store.ErrClosed) {
		t.Error(err)
	}
	n := 0
	for _, err := range store.All(t.Context(), nil, "") {
		if n++; !errors.Is(err, store.ErrClosed) {
			t.Error(err)
		}
	}
	if n != 1 {
		t.Errorf("All of no store gives %d errors", n)
	}
}

// TestUpdateLeaves: a change that is not wanted puts nothing, and one that fails gives its error.
func TestUpdateLeaves(t *testing.T) {
	s := store.NewMemory(nil)
	no := errors.New("no")
	for _, want := range []error{nil, no} {
		if err := store.Update(t.Context(), s, "k", func(*store.Entry) (bool, error) { return want != nil, want }); !errors.Is(err, want) {
			t.Error(err)
		}
	}
	if e, err := s.Get(t.Context(), "k"); err != nil || e.Version != store.Absent {
		t.Error(e, err)
	}
	if err := store.Update(t.Context(), s, "k", func(e *store.Entry) (bool, error) {
		e.Key, e.Version, e.Value = "other", "x", []byte("1") // only the value and the end are the change's
		return true, nil
	}); err != nil {
		t.Error(err)
	}
	if e, err := s.Get(t.Context(), "k"); err != nil || string(e.Value) != "1" {
		t.Error(e, err)
	}
}

// TestKey: different parts have different keys, which every store keeps.
func TestKey(t *testing.T) {
	long := strings.Repeat("x", 401)
	seen := map[string][]string{}
	for _, parts := range [][]string{{""}, {"", ""}, {"a"}, {"a", ""}, {"", "a"}, {"a", "b"}, {"a/b"}, {"a%2Fb"}, {"a%252Fb"}, {"a", "b/"}, {"a\x00"}, {"a%00"}, {"\xff"}, {"%ff"}, {"\ufffd"}, {long}, {long + "x"}, {store.Key(long)}, {"%" + store.Key(long)}, {strings.Repeat("/", 200)}, {long[1:], long[1:], long[1:]}, {long[1:], long[1:], long[2:]}, {"labels", "https://issuer.example", "customer=3"}} {
		key := store.Key(parts...)
		if was, twice := seen[key]; twice {
			t.Errorf("%.40q and %.40q have the key %.40q", was, parts, key)
		}
		if seen[key] = parts; key != "" && store.CheckKey(key, 1) != nil {
			t.Errorf("%.40q: %v", parts, store.CheckKey(key, 1))
		}
	}
	if key := store.Key("labels", "https://issuer.example", "customer=3"); key != "labels/https:%2F%2Fissuer.example/customer=3" {
		t.Error(key)
	}
}

// BenchmarkStore is a Get and a Put of 100 bytes, among 1000 entries.
func BenchmarkStore(b *testing.B) {
	folder, err := store.OpenFolder(filepath.Join(b.TempDir(), "folder"), nil)
	if err != nil {
		b.Fatal(err)
	}
	shared, err := store.OpenFolder(filepath.Join(b.TempDir(), "shared"), &store.LocalOptions{Shared: true})
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		s    store.Store
	}{{"memory", store.NewMemory(nil)}, {"folder", folder}, {"shared", shared}} {
		storetest.Benchmark(b, c.name, c.s)
	}
}

func ExampleUpdate() {
	s := store.NewMemory(nil) // or OpenFolder, or postgres.Open
	ctx := context.Background()
	for range 3 {
		err := store.Update(ctx, s, "visits/ann", func(e *store.Entry) (bool, error) {
			n := 0
			if e.Version != store.Absent {
				if _, err := fmt.Sscan(string(e.Value), &n); err != nil {
					return false, err
				}
			}
			e.Value = fmt.Append(nil, n+1)
			return true, nil
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	e, err := s.Get(ctx, "visits/ann")
	fmt.Println(string(e.Value), err)
	// Output: 3 <nil>
}
