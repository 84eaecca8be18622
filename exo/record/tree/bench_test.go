package tree

import (
	"os"
	"strconv"
	"sync"
	"testing"
	"time"
)

// One run alone, nothing of which is synced.
func BenchmarkAppend(b *testing.B) {
	m := makeLog(b, false)
	l := m.open(b)
	r := newRun()
	if err := l.Append(leafOf(r, Begun), nil, false); err != nil {
		b.Fatal(err)
	}
	text := make([]byte, 300)
	b.ReportAllocs()
	for b.Loop() {
		if err := l.Append(leafOf(r, "intent"), text, false); err != nil {
			b.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkMillion makes a log of EXO_RECORD_ENTRIES entries, opens it, looks for runs to erase by age, of which there are none, and verifies it. It
// reports the least time of each.
func BenchmarkMillion(b *testing.B) {
	want, _ := strconv.Atoi(os.Getenv("EXO_RECORD_ENTRIES"))
	if want == 0 {
		want = 20_000
	}
	m := makeLog(b, false)
	l := m.open(b)
	text := string(make([]byte, 300))
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for range want / 64 / 20 {
				aRun(b, l, 20, text)
			}
		})
	}
	wg.Wait()
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	least := map[string]float64{}
	took := func(what string, from time.Time) {
		if s := time.Since(from).Seconds(); least[what] == 0 || s < least[what] {
			least[what] = s
		}
	}
	for b.Loop() {
		from := time.Now()
		l := m.open(b)
		took("open-s", from)
		from = time.Now()
		if _, _, err := l.Erase(time.Now().Add(-time.Hour)); err != nil {
			b.Fatal(err)
		}
		took("keep-s", from)
		if err := l.Close(); err != nil {
			b.Fatal(err)
		}
		from = time.Now()
		v := m.verify(b)
		if !v.Complete() {
			b.Fatal(v)
		}
		took("verify-s", from)
		b.ReportMetric(float64(v.Entries), "entries")
	}
	for what, s := range least {
		b.ReportMetric(s, what)
	}
}
