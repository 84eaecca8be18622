// Package storetest checks that a store.Store behaves as the interface describes, like testing/fstest for file systems.
package storetest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo/store"
)

// Begin is the time at which the clock of Run begins.
var Begin = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Run checks a store. It REMOVES ALL ENTRIES of the store that open returns, so give it an empty one. The store must use the clock now. With
// several, open may be called again before Close, like a second process would.
func Run(t *testing.T, several bool, open func(t testing.TB, now func() time.Time) store.Store) {
	t.Helper()
	for name, f := range map[string]func(*testing.T, bool, func(testing.TB, func() time.Time) store.Store){
		"Model": model, "Keys": keys, "Bounds": bounds, "Versions": versions, "Ends": ends, "Pages": pages, "AtOnce": atOnce, "Contexts": contexts, "Closed": closed,
	} {
		t.Run(name, func(t *testing.T) { f(t, several, open) })
	}
}

func fixed() time.Time { return Begin }

// empty removes all entries.
func empty(t interface{ Fatal(...any) }, s store.Store) {
	for e, err := range store.All(context.Background(), s, "") {
		if err == nil {
			err = s.Delete(context.Background(), e.Key, e.Version)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// Keys has keys that a store may confuse with something else: paths, names that a file system folds or forbids, texts of SQL and of JSON.
var Keys = []string{"a", "A", "a/b", "a/B", "a/", "/", "//", "..", "../..", "../../etc/passwd", ".", "./a", "a/../b", "con", "NUL", "lock", "new", "a.json", "*", "?", "a b", " ", "\t", "a\nb", "\r\n",
	"é", "e\u0301", "ß", "SS", "İ", "i", "ﬁ", "\u2028", "\U0010ffff", "\U0010ffffz", "\u007f", "\x01", `"`, `\`, `'`, `'; DROP TABLE exo_store; --`, "%", "_", "a%", "$1", "<&>", "{}", `{"key":"a"}`, "\ufeff",
	strings.Repeat("x", store.MaxKey), strings.Repeat("X", store.MaxKey), strings.Repeat("../", store.MaxKey/3), strings.Repeat("\U0010ffff", store.MaxKey/4), strings.Repeat("x", 255), strings.Repeat("x", 256)}

// refused has keys that no store accepts.
var refused = map[string]error{"": store.ErrInvalid, "a\x00b": store.ErrInvalid, "\x00": store.ErrInvalid, "\xff": store.ErrInvalid, "a\xed\xa0\x80": store.ErrInvalid, strings.Repeat("x", store.MaxKey+1): store.ErrTooLarge, strings.Repeat("x", 4<<10): store.ErrTooLarge}

// model compares the store with a map, operation by operation, while the clock moves.
func model(t *testing.T, several bool, open func(testing.TB, func() time.Time) store.Store) {
	now := Begin
	clock := func() time.Time { return now }
	stores := []store.Store{open(t, clock)}
	if several {
		stores = append(stores, open(t, clock))
	}
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		empty(t, stores[0])
		is := map[string]store.Entry{}
		var old []store.Version // versions of entries that were replaced
		get := func(key string) store.Entry {
			if e := is[key]; e.Live(now) {
				return e
			}
			return store.Entry{Key: key}
		}
		key := rapid.OneOf(rapid.SampledFrom([]string{"a", "a/", "a/b", "A", "b"}), rapid.SampledFrom(Keys))
		which := func(t *rapid.T) store.Store { return stores[rapid.IntRange(0, len(stores)-1).Draw(t, "process")] }
		version := func(t *rapid.T, key string) store.Version {
			switch rapid.IntRange(0, 5).Draw(t, "version") {
			case 0:
				return store.Absent
			case 1:
				if len(old) > 0 {
					return rapid.SampledFrom(old).Draw(t, "old")
				}
				return "none"
			}
			return get(key).Version
		}
		same := func(a, b store.Entry) bool {
			return a.Key == b.Key && a.Version == b.Version && bytes.Equal(a.Value, b.Value) && a.Until.Equal(b.Until)
		}
		t.Repeat(map[string]func(*rapid.T){
			"get": func(t *rapid.T) {
				k := key.Draw(t, "key")
				if e, err := which(t).Get(ctx, k); err != nil || !same(e, get(k)) {
					t.Fatalf("%v, %v; want %v", e, err, get(k))
				}
			},
			"put": func(t *rapid.T) {
				e := store.Entry{Key: key.Draw(t, "key"), Value: []byte(rapid.SampledFrom([]string{`1`, `null`, `"\u0000 \ud800 <é>"`, `{"a": [1, 2.50]}`, ` "x" `}).Draw(t, "value"))}
				if n := rapid.IntRange(-2, 20).Draw(t, "ends in"); n < 15 {
					e.Until = now.Add(time.Duration(n)*time.Second + time.Nanosecond)
				}
				e.Version = version(t, e.Key)
				v, err := which(t).Put(ctx, e)
				if was := get(e.Key).Version; (err == nil) != (was == e.Version) || err != nil && !errors.Is(err, store.ErrConflict) {
					t.Fatalf("%v under %q, there is %q", err, e.Version, was)
				}
				if err != nil {
					return
				}
				if e, err = e.Checked(); err != nil || v == store.Absent || slices.Contains(old, v) {
					t.Fatal(v, err)
				}
				e.Version, old = v, append(old, v, e.Version)
				is[e.Key] = e
			},
			"delete": func(t *rapid.T) {
				k := key.Draw(t, "key")
				v, was := version(t, k), get(k).Version
				err := which(t).Delete(ctx, k, v)
				if (err == nil) != (was == v && v != store.Absent) || err != nil && !errors.Is(err, store.ErrConflict) {
					t.Fatalf("%v under %q, there is %q", err, v, was)
				}
				if err == nil {
					delete(is, k)
				}
			},
			"list": func(t *rapid.T) {
				prefix, after, most := "", "", rapid.IntRange(1, 4).Draw(t, "most")
				if rapid.Bool().Draw(t, "with prefix") {
					prefix = key.Draw(t, "prefix")
				}
				if rapid.Bool().Draw(t, "after") {
					after = key.Draw(t, "after")
				}
				got, err := which(t).List(ctx, prefix, after, most)
				var want []store.Entry
				for _, k := range slices.Sorted(maps.Keys(is)) {
					if e := get(k); e.Version != store.Absent && strings.HasPrefix(k, prefix) && k > after && len(want) < most {
						want = append(want, e)
					}
				}
				if err != nil || !slices.EqualFunc(got, want, same) {
					t.Fatalf("after %.40q %v, %v; want %v", after, got, err, want)
				}
			},
			"sweep": func(t *rapid.T) {
				want := 0
				for k, e := range is {
					if !e.Live(now) {
						want++
						delete(is, k)
					}
				}
				if n, err := which(t).Sweep(ctx); err != nil || n != want {
					t.Fatalf("%d, %v, want %d", n, err, want)
				}
			},
			"time": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.IntRange(0, 5000).Draw(t, "passes")) * time.Millisecond) // sometimes the clock moves exactly to the end of an entry
			},
		})
	})
}

func keys(t *testing.T, _ bool, open func(testing.TB, func() time.Time) store.Store) {
	s, ctx := open(t, fixed), t.Context()
	empty(t, s)
	for i, k := range Keys {
		if _, err := s.Put(ctx, store.Entry{Key: k, Value: fmt.Appendf(nil, "%d", i)}); err != nil {
			t.Errorf("%.40q: %v", k, err)
		}
	}
	for i, k := range Keys {
		if e, err := s.Get(ctx, k); err != nil || e.Key != k || string(e.Value) != fmt.Sprint(i) {
			t.Errorf("%.40q: %v, %v", k, e, err)
		}
	}
	var got []string
	for e, err := range store.All(ctx, s, "") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Key)
	}
	if want := slices.Sorted(slices.Values(Keys)); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	for k, want := range refused {
		_, get := s.Get(ctx, k)
		_, put := s.Put(ctx, store.Entry{Key: k, Value: []byte("1")})
		_, list := s.List(ctx, k, "", 1)
		_, after := s.List(ctx, "", k, 1)
		if k == "" {
			list, after = want, want
		}
		for op, err := range map[string]error{"get": get, "put": put, "delete": s.Delete(ctx, k, "x"), "list": list, "list after": after} {
			if !errors.Is(err, want) || !strings.Contains(err.Error(), "want") && k != "" {
				t.Errorf("%s %.40q: %v", op, k, err)
			}
		}
	}
}

func bounds(t *testing.T, _ bool, open func(testing.TB, func() time.Time) store.Store) {
	s, ctx := open(t, fixed), t.Context()
	empty(t, s)
	large := []byte(`"` + strings.Repeat("x", store.MaxValue-2) + `"`)
	for _, c := range []struct {
		value []byte
		until time.Time
		want  error
	}{
		{large, time.Time{}, nil}, {append(large, ' '), time.Time{}, store.ErrTooLarge}, {nil, time.Time{}, store.ErrInvalid}, {[]byte("1 2"), time.Time{}, store.ErrInvalid}, {[]byte("{"), time.Time{}, store.ErrInvalid},
		{[]byte("\"\xff\""), time.Time{}, store.ErrInvalid}, {[]byte("\"\x00\""), time.Time{}, store.ErrInvalid}, {[]byte(strings.Repeat("[", 9000) + strings.Repeat("]", 9000)), time.Time{}, nil},
		{[]byte("1"), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), nil}, {[]byte("1"), time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC), store.ErrInvalid}, {[]byte("1"), time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC), store.ErrInvalid},
		{[]byte("1"), time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC), nil},
	} {
		e, err := s.Get(ctx, "k")
		if err != nil {
			t.Fatal(err)
		}
		e.Value, e.Until = c.value, c.until
		if _, err := s.Put(ctx, e); !errors.Is(err, c.want) {
			t.Errorf("%.20q, %v: %v, want %v", c.value, c.until, err, c.want)
		}
		if got, err := s.Get(ctx, "k"); c.want == nil && (err != nil || c.until.Year() != 1 && (!bytes.Equal(got.Value, c.value) || !got.Until.Equal(c.until))) {
			t.Errorf("%.20q: %.20q until %v, %v", c.value, got.Value, got.Until, err)
		}
	}
	for _, most := range []int{-1, 0, store.MaxList + 1} {
		if _, err := s.List(ctx, "", "", most); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%d: %v", most, err)
		}
	}
}

// versions checks that a value which is put again gets another version.
func versions(t *testing.T, _ bool, open func(testing.TB, func() time.Time) store.Store) {
	s, ctx := open(t, fixed), t.Context()
	empty(t, s)
	e := store.Entry{Key: "k", Value: []byte("1")}
	first, err := s.Put(ctx, e)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(ctx, e); !errors.Is(err, store.ErrConflict) || !strings.Contains(err.Error(), "read it") {
		t.Errorf("it is there already: %v", err)
	}
	if err := s.Delete(ctx, "k", first); err != nil {
		t.Fatal(err)
	}
	second, err := s.Put(ctx, e)
	if err != nil || first == second {
		t.Fatal(second, err)
	}
	e.Version = first
	if _, err := s.Put(ctx, e); !errors.Is(err, store.ErrConflict) {
		t.Errorf("an old version: %v", err)
	}
	if err := s.Delete(ctx, "k", first); !errors.Is(err, store.ErrConflict) {
		t.Errorf("an old version: %v", err)
	}
	// Changing the bytes of a value after a call must change no store.
	value := []byte(`"a"`)
	third, err := s.Put(ctx, store.Entry{Key: "k", Value: value, Version: second})
	if err != nil {
		t.Fatal(err)
	}
	value[1] = 'b'
	got, _ := s.Get(ctx, "k")
	got.Value[1] = 'c'
	if got, err := s.Get(ctx, "k"); err != nil || string(got.Value) != `"a"` || got.Version != third {
		t.Errorf("%s, %v", got.Value, err)
	}
}

// ends checks that an entry is absent for all operations after its end, and takes up room until it is swept.
func ends(t *testing.T, _ bool, open func(testing.TB, func() time.Time) store.Store) {
	now := Begin
	s, ctx := open(t, func() time.Time { return now }), t.Context()
	empty(t, s)
	put := func(key string, v store.Version, until time.Time) (store.Version, error) {
		return s.Put(ctx, store.Entry{Key: key, Value: []byte("1"), Version: v, Until: until})
	}
	v, err := put("k", "", now.Add(time.Second+1)) // the end is rounded up to 1.001 s
	if err != nil {
		t.Fatal(err)
	}
	now = Begin.Add(time.Second + time.Millisecond - 1)
	if e, err := s.Get(ctx, "k"); err != nil || e.Version != v || !e.Until.Equal(Begin.Add(time.Second+time.Millisecond)) {
		t.Error(e, err)
	}
	now = Begin.Add(time.Second + time.Millisecond)
	e, err := s.Get(ctx, "k")
	all, errList := s.List(ctx, "", "", 9)
	if err != nil || e.Version != store.Absent || errList != nil || len(all) != 0 {
		t.Error(e, err, all, errList)
	}
	if _, err := put("k", v, time.Time{}); !errors.Is(err, store.ErrConflict) {
		t.Errorf("put under the version that ended: %v", err)
	}
	if err := s.Delete(ctx, "k", v); !errors.Is(err, store.ErrConflict) {
		t.Errorf("delete: %v", err)
	}
	if _, err = put("k", "", now.Add(time.Second)); err != nil {
		t.Errorf("a new one: %v", err)
	}
	if _, err := put("stays", "", time.Time{}); err != nil {
		t.Error(err)
	}
	if n, err := s.Sweep(ctx); n != 0 || err != nil {
		t.Errorf("swept %d that have not ended, %v", n, err)
	}
	now = now.Add(time.Hour)
	if n, err := s.Sweep(ctx); n != 1 || err != nil {
		t.Errorf("swept %d, %v", n, err)
	}
	now = Begin // a swept entry must not come back when the clock is set back
	if e, err := s.Get(ctx, "k"); err != nil || e.Version != store.Absent {
		t.Error(e, err)
	}
}

// pages checks that no page exceeds its bounds, and that all pages together have all entries.
func pages(t *testing.T, _ bool, open func(testing.TB, func() time.Time) store.Store) {
	s, ctx := open(t, fixed), t.Context()
	empty(t, s)
	value := []byte(`"` + strings.Repeat("x", store.MaxValue-2) + `"`)
	const n = store.MaxListBytes/store.MaxValue + 2
	for i := range n {
		if _, err := s.Put(ctx, store.Entry{Key: fmt.Sprintf("k%02d", i), Value: value}); err != nil {
			t.Fatal(err)
		}
	}
	page, err := s.List(ctx, "k", "", store.MaxList)
	if err != nil || len(page) != n-2 {
		t.Errorf("%d of %d in a page, %v", len(page), n, err)
	}
	seen := 0
	for e, err := range store.All(ctx, s, "k") {
		if err != nil || e.Key != fmt.Sprintf("k%02d", seen) {
			t.Fatal(e.Key, err)
		}
		seen++
	}
	if seen != n {
		t.Errorf("%d of %d", seen, n)
	}
	empty(t, s)
}

// atOnce checks that no change is lost when several are made at the same time.
func atOnce(t *testing.T, several bool, open func(testing.TB, func() time.Time) store.Store) {
	stores := []store.Store{open(t, fixed)}
	if several {
		stores = append(stores, open(t, fixed))
	}
	empty(t, stores[0])
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 10 {
				if err := store.Update(t.Context(), stores[i%len(stores)], "n", func(e *store.Entry) (bool, error) {
					n := 0
					_, _ = fmt.Sscan(string(e.Value), &n)
					e.Value = fmt.Append(nil, n+1)
					return true, nil
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if e, err := stores[0].Get(t.Context(), "n"); err != nil || string(e.Value) != "80" {
		t.Errorf("%s, %v", e.Value, err)
	}
}

// contexts checks that an operation with an ended context changes nothing.
func contexts(t *testing.T, _ bool, open func(testing.TB, func() time.Time) store.Store) {
	s := open(t, fixed)
	empty(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	v, err := s.Put(ctx, store.Entry{Key: "k", Value: []byte("1")})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	_, get := s.Get(ctx, "k")
	_, put := s.Put(ctx, store.Entry{Key: "k", Value: []byte("2"), Version: v})
	_, list := s.List(ctx, "", "", 1)
	_, sweep := s.Sweep(ctx)
	for op, err := range map[string]error{"get": get, "put": put, "list": list, "sweep": sweep, "delete": s.Delete(ctx, "k", v)} {
		if !errors.Is(err, context.Canceled) || errors.Is(err, store.ErrUnknown) {
			t.Errorf("%s: %v", op, err)
		}
	}
	if e, err := s.Get(t.Context(), "k"); err != nil || e.Version != v {
		t.Error(e, err)
	}
}

func closed(t *testing.T, _ bool, open func(testing.TB, func() time.Time) store.Store) {
	s := open(t, fixed)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	Refuses(t, s)
	if err := s.Close(); err != nil {
		t.Error("again:", err)
	}
}

// Refuses checks that each operation fails with store.ErrClosed.
func Refuses(t testing.TB, s store.Store) {
	t.Helper()
	ctx := t.Context()
	_, get := s.Get(ctx, "k")
	_, put := s.Put(ctx, store.Entry{Key: "k", Value: []byte("2")})
	_, list := s.List(ctx, "", "", 1)
	_, sweep := s.Sweep(ctx)
	for op, err := range map[string]error{"get": get, "put": put, "list": list, "sweep": sweep, "delete": s.Delete(ctx, "k", "v")} {
		if !errors.Is(err, store.ErrClosed) {
			t.Errorf("%s: %v", op, err)
		}
	}
}

// Count increments a number in an entry of s until that fails, and writes a line to out for each acknowledged change. It is for a process that Killed
// kills.
func Count(s store.Store, out io.Writer) error {
	for {
		if err := store.Update(context.Background(), s, "counted", func(e *store.Entry) (bool, error) {
			n := 0
			_, _ = fmt.Sscan(string(e.Value), &n)
			e.Value = fmt.Append(nil, n+1)
			return true, nil
		}); err != nil {
			return err
		}
		fmt.Fprintln(out, "counted")
	}
}

// Killed checks that changes acknowledged to processes that run Count are not lost. start starts such a process, with the store that the earlier ones
// left; at is how many run at a time. kill kills it.
func Killed(t *testing.T, at int, start func() (out io.Reader, kill func()), open func() store.Store) {
	t.Helper()
	const rounds, each = 5, 40
	var acknowledged atomic.Int64
	for range rounds {
		var all sync.WaitGroup
		for range at {
			out, kill := start()
			all.Go(func() {
				in := bufio.NewScanner(out)
				for n := 0; in.Scan(); n++ { // lines still in the pipe were acknowledged, too
					acknowledged.Add(1)
					if n == each {
						kill()
					}
				}
			})
		}
		all.Wait()
	}
	s, n := open(), 0
	e, err := s.Get(t.Context(), "counted")
	if _, scan := fmt.Sscan(string(e.Value), &n); err != nil || scan != nil {
		t.Fatal(err, scan)
	}
	if told := int(acknowledged.Load()); told < rounds*each*at || n < told || n > told+rounds*at {
		t.Errorf("%d were counted, of %d acknowledged", n, told)
	}
}

// Benchmark measures a Get, a Put and a List of all, with values of 100 bytes among 1000 entries.
func Benchmark(b *testing.B, name string, s store.Store) {
	ctx, value := context.Background(), []byte(`"`+strings.Repeat("x", 98)+`"`)
	put := func(i int) {
		if err := store.Update(ctx, s, fmt.Sprint("bench/", i%1000), func(e *store.Entry) (bool, error) { e.Value = value; return true, nil }); err != nil {
			b.Fatal(err)
		}
	}
	for i := range 1000 {
		put(i)
	}
	for op, f := range map[string]func(int){
		"get": func(i int) {
			if _, err := s.Get(ctx, fmt.Sprint("bench/", i%1000)); err != nil {
				b.Fatal(err)
			}
		},
		"get and put": put,
		"list 1000": func(int) {
			if page, err := s.List(ctx, "bench/", "", store.MaxList); err != nil || len(page) != 1000 {
				b.Fatal(len(page), err)
			}
		},
	} {
		b.Run(name+"/"+op, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				f(i)
			}
		})
	}
}
