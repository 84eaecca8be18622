package value

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/internal/wire"
)

// anyCell is a value as a database gives it.
func anyCell() *rapid.Generator[Value] {
	return rapid.Custom(func(t *rapid.T) Value {
		switch rapid.IntRange(0, 8).Draw(t, "kind") {
		case 0:
			return Null()
		case 1:
			return Bool(rapid.Bool().Draw(t, "bool"))
		case 2:
			return Int(rapid.Int64().Draw(t, "int"))
		case 3:
			return Int(int64(rapid.IntRange(-200, 200).Draw(t, "small")))
		case 4:
			return Float(rapid.Float64().Draw(t, "float"))
		case 5:
			return Value{kind: KindTime, bits: uint64(rapid.Int64Range(-62135596800000, 253402300799999).Draw(t, "time"))}
		case 6:
			return List(Int(rapid.Int64().Draw(t, "item")), Null(), RecordValue(Field{"a", Text(anyText().Draw(t, "of a record"))}))
		case 7:
			return Text(strings.Repeat(anyText().Draw(t, "part"), rapid.SampledFrom([]int{1, 1, 50, 4000}).Draw(t, "times")))
		}
		return Text(anyText().Draw(t, "text"))
	})
}

// Packed rows are in everything what the same rows are as a slice of cells.
func TestPackedRows(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		shape := &Shape{Names: []string{"a", "b\n", "c"}}
		if rapid.Bool().Draw(r, "nested") {
			shape = &Shape{Names: []string{"a", "sub"}, Subs: []*Shape{nil, {Names: []string{"x", "y"}}}}
		}
		loose := rapid.SampledFrom([]int{-1, -1, -1, 0, 1, 7, 40}).Draw(r, "from here on no longer packed")
		one := anyCell()
		b, want := NewRowsBuilder(shape), &Rows{Shape: shape}
		n := rapid.IntRange(0, 60).Draw(r, "rows")
		for i := range 3 * n {
			v := one.Draw(r, "cell")
			if i == loose {
				v = deep(80) // deeper than the encoding goes
			}
			if s := v.Text(); v.Type() == TypeText && rapid.Bool().Draw(r, "as bytes") {
				buf := []byte(s)
				if !b.AddText(buf) {
					r.Fatalf("%q is refused", s)
				}
				clear(buf)
			} else {
				b.Add(v)
			}
			want.Cells = append(want.Cells, v)
			if b.Len() != len(want.Cells) {
				r.Fatalf("%d cells, not %d", b.Len(), len(want.Cells))
			}
		}
		for i := range rapid.IntRange(0, 2).Draw(r, "cells of a row that is not whole") {
			b.Add(Int(int64(i)))
		}
		got := b.Rows()
		samePacked(r, got, want)
		e := Encoder{}
		e.Cells(want)
		d := Decoder{Reader: wire.NewReader(string(e.B) + "rest"), Values: 1 << 20}
		read := &Rows{Shape: shape}
		d.PlainCells(read)
		switch _, plain := want.Plain(); {
		case plain && e.err == nil && (d.Err() != nil || d.Rest() != "rest"):
			r.Fatalf("%v, %q is left", d.Err(), d.Rest())
		case plain && e.err == nil:
			samePacked(r, read, want)
		case d.Err() == nil:
			r.Fatal("cells that are no scalars were read as such")
		}
	})
}

// What is no number of whole rows of scalars, or ends early, is refused.
func TestPlainCellsRefused(t *testing.T) {
	e := Encoder{}
	e.Cells(&Rows{Shape: &Shape{Names: []string{"a", "b"}}, Cells: []Value{Int(1), Text("x"), Null(), Float(1.5)}})
	whole := string(e.B)
	for _, s := range []string{"", whole[:1], whole[:len(whole)-1], "\x03" + whole[1:], "\x05" + whole[1:], strings.Replace(whole, "\x01x", "\x01\xff", 1), "\x02" + string([]byte{tagNull, tagList, 0}), "\xff\xff\xff\xff\x7f"} {
		d := Decoder{Reader: wire.NewReader(s), Values: 1 << 20}
		r := &Rows{Shape: &Shape{Names: []string{"a", "b"}}}
		if d.PlainCells(r); d.Err() == nil || r.Len() != 0 {
			t.Errorf("%q: %d rows, %v", s, r.Len(), d.Err())
		}
	}
	d := Decoder{Reader: wire.NewReader(whole), Values: 3}
	if d.PlainCells(&Rows{Shape: &Shape{Names: []string{"a", "b"}}}); d.Err() == nil {
		t.Error("four cells where three values may come")
	}
}

func deep(n int) Value {
	v := Int(1)
	for range n {
		v = List(v)
	}
	return v
}

func samePacked(r *rapid.T, got, want *Rows) {
	a, b := RowsValue(got), RowsValue(want)
	if got.Len() != want.Len() || a.Len() != b.Len() || a.Bytes() != b.Bytes() {
		r.Fatalf("%d rows of %d bytes, not %d of %d", got.Len(), a.Bytes(), want.Len(), b.Bytes())
	}
	gotText, gotOK := got.Plain()
	if text, ok := want.Plain(); ok != gotOK || ok && text != gotText {
		r.Fatalf("%d bytes of text, %t, not %d, %t", gotText, gotOK, text, ok)
	}
	x, err := a.AppendJSON(nil)
	y, werr := b.AppendJSON(nil)
	if !bytes.Equal(x, y) || (err == nil) != (werr == nil) {
		r.Fatalf("%s\n%s", x, y)
	}
	var streamed bytes.Buffer
	if serr := a.WriteJSON(&streamed); (serr == nil) != (err == nil) || err == nil && !bytes.Equal(streamed.Bytes(), x) {
		r.Fatalf("%s %v\n%s", &streamed, serr, x)
	}
	writer := got.Writer()
	for i := range got.Len() {
		row, err := got.Writer().Append(nil, i)
		if n, serr := writer.Size(i, math.MaxInt); serr == nil && n != len(row) || (serr == nil) != (err == nil) {
			r.Fatalf("row %d: counted %d %v, written %d %v", i, n, serr, len(row), err)
		}
	}
	x, err = a.AppendBinary(nil)
	y, werr = b.AppendBinary(nil)
	if (err == nil) != (werr == nil) || err == nil && !bytes.Equal(x, y) {
		r.Fatalf("%q %v\n%q %v", x, err, y, werr)
	}
	d, _ := a.Digest()
	if w, _ := b.Digest(); d != w {
		r.Fatal("another digest")
	}
	e, w := Encoder{}, Encoder{}
	e.Cells(got)
	if w.Cells(want); w.err == nil && (!bytes.Equal(e.B, w.B) || e.Values != w.Values) {
		r.Fatalf("%q of %d values, %q of %d", e.B, e.Values, w.B, w.Values)
	}
	in, out := got.Reader(), want.Reader()
	for range 2 * got.Len() {
		i := rapid.IntRange(0, got.Len()-1).Draw(r, "row")
		if !reflect.DeepEqual(in.Cells(i), out.Cells(i)) || !reflect.DeepEqual(got.Row(i), want.Row(i)) {
			r.Fatalf("row %d: %v, not %v", i, in.Cells(i), out.Cells(i))
		}
	}
	for i := range got.Len() {
		if !reflect.DeepEqual(in.Cells(i), out.Cells(i)) {
			r.Fatalf("row %d in order: %v, not %v", i, in.Cells(i), out.Cells(i))
		}
	}
}

// What no text has is no cell, and nothing is taken for it.
func TestPackedRefusesBytes(t *testing.T) {
	b := NewRowsBuilder(&Shape{Names: []string{"a"}})
	for _, s := range []string{"\xff", "a\x00b", "\xed\xa0\x80"} {
		if b.AddText([]byte(s)) || b.Len() != 0 {
			t.Errorf("%q was taken", s)
		}
	}
	// A value with a label keeps it: it is not packed.
	b.Add(Text("x"))
	b.Add(Text("y").WithLabel(NewLabel("secret")))
	b.Add(List(Int(1).WithLabel(NewLabel("other"))))
	if r := b.Rows(); r.packed != nil || r.Cells[1].Label().String() != "{secret}" || r.Len() != 3 || r.Cells[2].AllLabels().String() != "{other}" || RowsValue(r).AllLabels().String() != "{other,secret}" {
		t.Errorf("%+v", r)
	}
}
