package worker

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
)

// A worker that names a length and sends nothing costs the host nothing.
func TestLengthTakesNoMemory(t *testing.T) {
	most := maxDone(exo.DefaultLimits())
	head := binary.LittleEndian.AppendUint32(nil, uint32(most))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := readFrame(bytes.NewReader(head), most)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; err != io.EOF || took > 1<<20 {
		t.Errorf("%d KiB, %v", took>>10, err)
	}
}

// Each bound of the decoder refuses on its own, just beyond what it admits: a worker
// that was taken over sends what is within all the others.
func TestDecoderBounds(t *testing.T) {
	list := func(n int) string {
		return string(binary.AppendUvarint([]byte{tagList}, uint64(n))) + strings.Repeat(string(rune(tagNull)), n)
	}
	nested := func(levels int) string {
		return strings.Repeat(string([]byte{tagList, 1}), levels) + string(rune(tagNull))
	}
	record := func(names ...string) string {
		b := binary.AppendUvarint([]byte{tagRecord}, uint64(len(names)))
		for _, n := range names {
			b = append(appendText(b, n), tagNull)
		}
		return string(b)
	}
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprint("n", i))
	}
	shape := func(levels int) string {
		return strings.Repeat(string([]byte{1, 1, 'a', 1}), levels) + string([]byte{1, 1, 'a', 0})
	}
	value := func(r *valueReader) { r.value(0) }
	for _, c := range []struct {
		what      string
		bad, good string
		read      func(r *valueReader)
	}{
		{"values", list(10), list(9), value}, // with the list itself there are 10
		{"depth", nested(maxDepth + 1), nested(maxDepth), func(r *valueReader) { r.items = 1000; r.value(0) }},
		{"a name twice among many", record(append(many, "n3")...), record(many...), func(r *valueReader) { r.items = 100; r.value(0) }},
		{"a name twice among few", record("a", "b", "a"), record("a", "b", "c"), value},
		{"a reference to the host", string([]byte{tagRef, 0}), string([]byte{tagNull}), value},
		{"new rows to the host", string([]byte{tagRows, 0, 0}), string([]byte{tagNull}), value},
		{"shape", shape(maxDepth + 1), shape(maxDepth), func(r *valueReader) { r.shape(0) }},
		{"a count of what has no room", "\x03" + strings.Repeat("x", 23), "\x03" + strings.Repeat("x", 24), func(r *valueReader) {
			r.count(8)
			r.at = len(r.s)
		}},
		{"a number spelled twice", "\x81\x00", "\x81\x01", func(r *valueReader) { r.uint() }},
		{"bytes that are no text", "\x01\xff", "\x01x", func(r *valueReader) { r.utf8() }},
		{"the rest of a frame", "\x00x", "\x00", func(r *valueReader) { r.uint() }},
	} {
		for _, bad := range []bool{true, false} {
			s := c.good
			if bad {
				s = c.bad
			}
			r := &valueReader{decoder: &decoder{s: s, items: 10}, sent: &rowsLog{}, back: true}
			c.read(r)
			if err := r.done(); (err != nil) != bad {
				t.Errorf("%s, bad %v: %v", c.what, bad, err)
			}
		}
	}
}

// A list within a list within a list says of the same bytes that they are each of them:
// the count is refused before memory is taken for what it counts.
func TestCountBeyondTheValues(t *testing.T) {
	r := &valueReader{decoder: &decoder{s: "\x09" + strings.Repeat("\x01", 9), items: 8}}
	if n := r.claim(1); n != 0 || r.err == nil {
		t.Errorf("%d of 8 values: %v", n, r.err)
	}
	r = &valueReader{decoder: &decoder{s: "\x08" + strings.Repeat("\x01", 8), items: 8}}
	if n := r.claim(1); n != 8 || r.err != nil {
		t.Errorf("%d of 8 values: %v", n, r.err)
	}
}

// Rows that come as their number count as the values that they are, each time.
func TestSameRowsCount(t *testing.T) {
	log := &rowsLog{}
	log.add(&exo.Rows{Shape: &exo.Shape{Names: []string{"x"}}, Cells: []exo.Value{exo.Int(1), exo.Int(2), exo.Int(3)}})
	for n, ok := range map[int]bool{2: true, 4: false} {
		s := append([]byte{tagList, byte(n)}, bytes.Repeat([]byte{tagSame, 0}, n)...)
		r := &valueReader{decoder: &decoder{s: string(s), items: 10}, sent: log, back: true, given: maxItems - 10}
		if r.value(0); (r.done() == nil) != ok { // a list, and rows of three cells each
			t.Errorf("%d times: %v", n, r.err)
		}
	}
}

// Cells are asked for once: a worker that asks for ever would make the host write for ever.
func TestCellsAreFetchedOnce(t *testing.T) {
	log := &rowsLog{}
	log.add(&exo.Rows{Shape: &exo.Shape{Names: []string{"x"}}})
	log.hold(held{})
	if _, ok := log.release(0); !ok {
		t.Error("the first time")
	}
	for _, n := range []uint64{0, 1, 1 << 40} {
		if _, ok := log.release(n); ok {
			t.Errorf("rows %d were given", n)
		}
	}
}

// Cells that do not fit their shape would be read beyond the last row.
func TestCellsFitTheirShape(t *testing.T) {
	for cells, ok := range map[int]bool{0: true, 1: false, 2: true, 3: false, 4: true} {
		r := &valueReader{decoder: &decoder{s: string(rune(cells)) + strings.Repeat(string(rune(tagNull)), cells), items: 10}}
		if r.cells(&exo.Rows{Shape: &exo.Shape{Names: []string{"a", "b"}}}, 0); (r.done() == nil) != ok {
			t.Errorf("%d cells of two columns: %v", cells, r.err)
		}
	}
}

// A message of more nodes than the limit is refused before it is made; a node comes
// after what it uses.
func TestCallBounds(t *testing.T) {
	call := func(nodes ...string) string {
		return string(binary.AppendUvarint([]byte{1}, uint64(len(nodes)))) + strings.Join(nodes, "")
	}
	ref := string([]byte{byte(exo.OpRef), 0})
	field := func(recv byte) string { return string([]byte{byte(exo.OpField), hasName | hasRecv, 1, 'x', recv}) }
	for what, c := range map[string]struct {
		s  string
		ok bool
	}{
		"one":    {call(ref), true},
		"two":    {call(ref, field(0)), true},
		"itself": {call(ref, field(1)), false},
		"later":  {call(ref, field(2), field(1)), false},
		"most":   {call(ref, ref, ref), true},
		"more":   {call(ref, ref, ref, ref), false},
	} {
		if _, err := decodeCall(c.s, 3); (err == nil) != c.ok {
			t.Errorf("%s: %v", what, err)
		}
	}
}
