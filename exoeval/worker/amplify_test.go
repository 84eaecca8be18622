package worker

import (
	"encoding/binary"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
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
				b = appendText(b, "a")
			}
		}
		return string(b) + filler
	}
	for name, s := range map[string]string{"lists": nest(tagList, 65), "records": nest(tagRecord, 65)} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := decodeDone("\x01"+s, &rowsLog{}, exo.Limits{})
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 8<<20 {
			t.Errorf("%s: %d KiB, %v", name, took>>10, err)
		}
	}
	// Rows that come as their number cost the sender two bytes.
	log := &rowsLog{}
	log.add(&exo.Rows{Shape: &exo.Shape{Names: []string{"x"}}, Cells: []exo.Value{exo.Text(strings.Repeat("x", 1<<20))}})
	same := binary.AppendUvarint([]byte{1, tagList}, 100)
	for range 100 {
		same = append(same, tagSame, 0)
	}
	if _, err := decodeDone(string(appendText(same, "")), log, exo.Limits{}); err == nil || !strings.Contains(err.Error(), "more rows") {
		t.Errorf("the same rows a hundred times: %v", err)
	}
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
