package worker

import (
	"bytes"
	"encoding/binary"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker/internal/frame"
	"github.com/exoagent/exoagent/internal/wire"
)

// A worker that names a length and sends nothing costs the host nothing.
func TestLengthTakesNoMemory(t *testing.T) {
	most := frame.MaxDone(exoeval.Bounds{}.OrDefault())
	head := binary.LittleEndian.AppendUint32(nil, uint32(most))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := frame.ReadFrame(bytes.NewReader(head), most)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; err != io.EOF || took > 1<<20 {
		t.Errorf("%d KiB, %v", took>>10, err)
	}
}

// What a program's process may not send is refused in every place, where the same frame
// with a value that it may send is read.
func TestDoneRefuses(t *testing.T) {
	for what, bad := range map[string]string{
		"a reference": string([]byte{tagRef, 0}), "an object": string([]byte{frame.TagObject, 0, 0}), "rows": string([]byte{tagRows, 0, 0}), "held rows": string([]byte{frame.TagHeld, 0, 0, 0}),
		"a label": string([]byte{tagRef + 1, 1, 1, 'x', tagNull}), "rows never sent": string([]byte{frame.TagSame, 1}),
	} {
		for _, wrap := range []string{"\x01", "\x01" + string([]byte{tagList, 1}), "\x01" + string([]byte{tagRecord, 1, 1, 'a'})} {
			log := &frame.RowsLog{}
			log.Add(&value.Rows{Shape: &value.Shape{Names: []string{"x"}}, Cells: []value.Value{value.Int(1)}})
			if _, err := frame.DecodeDone(wrap+bad, log, exoeval.Bounds{}); err == nil {
				t.Errorf("%s after %q was read", what, wrap)
			}
			for _, good := range []string{string([]byte{tagNull}), string([]byte{frame.TagSame, 0})} {
				if _, err := frame.DecodeDone(wrap+good, log, exoeval.Bounds{}); err != nil {
					t.Errorf("%q after %q: %v", good, wrap, err)
				}
			}
		}
	}
}

// Rows that come as their number count as the values that they are, each time.
func TestSameRowsCount(t *testing.T) {
	log := &frame.RowsLog{}
	log.Add(&value.Rows{Shape: &value.Shape{Names: []string{"x"}}, Cells: []value.Value{value.Int(1), value.Int(2), value.Int(3)}})
	for n, ok := range map[int]bool{2: true, 4: false} {
		s := append([]byte{tagList, byte(n)}, bytes.Repeat([]byte{frame.TagSame, 0}, n)...)
		r := value.Decoder{Reader: wire.NewReader(string(s))}
		r.Values, r.Extend = 10, &frame.Returned{Sent: log, Given: frame.MaxItems - 10}
		if r.Value(); (r.Done() == nil) != ok { // a list, and rows of three cells each
			t.Errorf("%d times: %v", n, r.Err())
		}
	}
}

// Cells are asked for once: a worker that asks for ever would make the host write for ever.
func TestCellsAreFetchedOnce(t *testing.T) {
	log := &frame.RowsLog{}
	log.Add(&value.Rows{Shape: &value.Shape{Names: []string{"x"}}})
	log.Hold(frame.Held{})
	if _, ok := log.Release(0); !ok {
		t.Error("the first time")
	}
	for _, n := range []uint64{0, 1, 1 << 40} {
		if _, ok := log.Release(n); ok {
			t.Errorf("rows %d were given", n)
		}
	}
}

// Cells that do not fit their shape would be read beyond the last row.
func TestCellsFitTheirShape(t *testing.T) {
	for cells, ok := range map[int]bool{0: true, 1: false, 2: true, 3: false, 4: true} {
		into := &value.Rows{Shape: &value.Shape{Names: []string{"a", "b"}}}
		err := frame.DecodeCells(string(rune(cells))+strings.Repeat(string(rune(tagNull)), cells), into, cells/2)
		if (err == nil) != ok {
			t.Errorf("%d cells of two columns: %v", cells, err)
		}
	}
}

// A message of more nodes than the limit is refused before it is made; a node comes
// after what it uses.
func TestCallBounds(t *testing.T) {
	call := func(nodes ...string) string {
		return string(binary.AppendUvarint([]byte{1, 0, 0}, uint64(len(nodes)))) + strings.Join(nodes, "") // number, line and column, and how many
	}
	ref := string([]byte{byte(message.OpRef), 0})
	field := func(recv byte) string { return string([]byte{byte(message.OpField), 1 | 2, 1, 'x', recv}) } // a name and a receiver
	for what, c := range map[string]struct {
		s  string
		ok bool
	}{
		"one":    {call(ref), true},
		"two":    {call(ref, field(0)), true},
		"itself": {call(ref, field(1)), false},
		"later":  {call(ref, field(2), field(1)), false},
		"most":   {call(ref, field(0), field(1)), true},
		"more":   {call(ref, field(0), field(1), field(2)), false},
		"unused": {call(ref, ref, field(1)), false},
	} {
		if _, err := frame.DecodeCall(c.s, 3); (err == nil) != c.ok {
			t.Errorf("%s: %v", what, err)
		}
	}
}
