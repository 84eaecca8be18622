package tree

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Entries of 64 runs at the same time: seven each, of which the last but one is synced, with payloads of 300 bytes.
func BenchmarkGroups(b *testing.B) {
	for _, each := range []int{7, 100} {
		b.Run(strconv.Itoa(each)+" entries a run", func(b *testing.B) {
			m := makeLog(b, false)
			l := m.open(b)
			var n atomic.Int64
			var wg sync.WaitGroup
			text := string(make([]byte, 300))
			b.ResetTimer()
			for range 64 {
				wg.Go(func() {
					for n.Add(int64(each)) <= int64(b.N+each) {
						aRun(b, l, each, text)
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "entries/s")
			if err := l.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

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

// BenchmarkMillion makes a log of EXO_RECORD_ENTRIES entries, opens it, looks for runs to erase by age, of which there are none, and verifies it.
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
	for b.Loop() {
		from := time.Now()
		l := m.open(b)
		b.ReportMetric(float64(time.Since(from).Milliseconds()), "open-ms")
		from = time.Now()
		if _, _, err := l.Erase(time.Now().Add(-time.Hour)); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(from).Seconds(), "keep-s")
		if err := l.Close(); err != nil {
			b.Fatal(err)
		}
		from = time.Now()
		v := m.verify(b)
		if !v.Complete() {
			b.Fatal(v)
		}
		b.ReportMetric(float64(v.Entries), "entries")
		b.ReportMetric(time.Since(from).Seconds(), "verify-s")
	}
}
