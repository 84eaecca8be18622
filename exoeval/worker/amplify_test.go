package worker

import (
	"encoding/binary"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker/internal/frame"
	"github.com/exoagent/exoagent/internal/wire"
)

// Counts within counts say of the same bytes that they are each of them. What a
// frame makes the host allocate stays in proportion to its length.
func TestCountsTakeNoMemory(t *testing.T) {
	const n = 1 << 20
	filler := strings.Repeat("\x00", 2*n)
	nest := func(tag byte, levels int) string {
		var b []byte
		for range levels {
			b = append(b, tag)
			b = binary.AppendUvarint(b, n)
			if tag == tagRecord {
				b = wire.AppendText(b, "a")
			}
		}
		return string(b) + filler
	}
	for name, s := range map[string]string{"lists": nest(tagList, 65), "records": nest(tagRecord, 65)} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := frame.DecodeDone("\x01"+s, &frame.RowsLog{}, exoeval.Bounds{ResultBytes: 4 << 20})
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 8<<20 {
			t.Errorf("%s: %d KiB, %v", name, took>>10, err)
		}
	}
	// Rows that come as their number cost the sender two bytes.
	log := &frame.RowsLog{}
	log.Add(&value.Rows{Shape: &value.Shape{Names: []string{"x"}}, Cells: []value.Value{value.Text(strings.Repeat("x", 1<<20))}})
	same := binary.AppendUvarint([]byte{1, tagList}, 100)
	for range 100 {
		same = append(same, frame.TagSame, 0)
	}
	if _, err := frame.DecodeDone(string(same), log, exoeval.Bounds{}); err == nil || !strings.Contains(err.Error(), "more rows") {
		t.Errorf("the same rows a hundred times: %v", err)
	}
}

// What a worker says at its end costs the host little more than its result may have,
// whatever it is made of: as many of them as there are places are read at one time.
func TestDoneIsBounded(t *testing.T) {
	limits := exoeval.Bounds{}.OrDefault()
	result := limits.MaxResult()
	list := func(n int, item ...byte) []byte {
		b := binary.AppendUvarint([]byte{1, tagList}, uint64(n))
		for range n {
			b = append(b, item...)
		}
		return b
	}
	pages := binary.AppendUvarint([]byte{1, tagList}, uint64(result/32/(1+64)))
	for range result / 32 / (1 + 64) {
		pages = append(pages, list(64, tagList, 0)[1:]...)
	}
	n := frame.MaxValues(limits)
	for name, c := range map[string]struct {
		bytes []byte
		ok    bool
	}{
		"nulls":          {list(n-1, tagNull), true},
		"too many nulls": {list(n+1, tagNull), false},
		"empty lists":    {list(n-1, tagList, 0), true},
		"texts":          {list(n-1, tagText, 2, 'a', 'b'), true},
		"records":        {list((n-1)/3, tagRecord, 1, 1, 'a', tagNull), true},
		"too many names": {list(n-1, tagRecord, 1, 1, 'a', tagNull), false},
		"a text":         {wire.AppendText([]byte{1, tagText}, strings.Repeat("x", result)), true},
		"pages":          {pages, true},
	} {
		bytes := string(c.bytes)
		if len(bytes) > frame.MaxDone(limits) {
			t.Errorf("%s: a frame of %d bytes would not be read", name, len(bytes))
		}
		var before, after runtime.MemStats
		held := liveHeap()
		runtime.ReadMemStats(&before)
		o, err := frame.DecodeDone(bytes, &frame.RowsLog{}, limits)
		runtime.ReadMemStats(&after)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
		took, kept := int(after.TotalAlloc-before.TotalAlloc), liveHeap()-held
		t.Logf("%s: %d bytes take %d KiB and keep %d KiB", name, len(bytes), took>>10, kept>>10)
		if took > 32*result || kept > 8*result {
			t.Errorf("%s: %d bytes take %d KiB and keep %d KiB", name, len(bytes), took>>10, kept>>10)
		}
		runtime.KeepAlive(o)
	}
}

// What a host keeps of a result does not keep the frame that it came in.
func TestResultsKeepNoFrame(t *testing.T) {
	limits := exoeval.Bounds{}.OrDefault()
	before := liveHeap()
	var kept []any
	for range 32 {
		bytes := wire.AppendText([]byte{1, tagRecord, 2, 1, 'a', tagText, 3, 'x', 'y', 'z', 1, 'b', tagText}, strings.Repeat("x", 1<<20))
		o, err := frame.DecodeDone(string(bytes), &frame.RowsLog{}, limits)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := o.Value.Get("a")
		kept = append(kept, a)
		failed := wire.AppendText([]byte{0, byte(fail.Program), 0}, "message")
		failed = append(wire.AppendText(append(failed, 1, 1), strings.Repeat("s", 60<<10)), 0, 0)
		if o, err = frame.DecodeDone(string(failed), &frame.RowsLog{}, limits); err != nil {
			t.Fatal(err)
		}
		kept = append(kept, fail.GuestText(o.Err))
	}
	if grown := liveHeap() - before; grown > 1<<20 {
		t.Errorf("%d words keep %d KiB", len(kept), grown>>10)
	}
	runtime.KeepAlive(kept)
}

func liveHeap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// A server of C that has a library of Go in it would be started again as a whole.
func TestStandalone(t *testing.T) {
	for mode, ok := range map[string]bool{"exe": true, "pie": true, "c-shared": false, "c-archive": false, "plugin": false, "shared": false} {
		if err := goMain([]debug.BuildSetting{{Key: "-compiler", Value: "gc"}, {Key: "-buildmode", Value: mode}}); (err == nil) != ok {
			t.Errorf("%s: %v", mode, err)
		}
	}
	if goMain(nil) != nil { // binaries of go test say nothing
		t.Error("no setting")
	}
}
