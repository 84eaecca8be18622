// This file compares a replay with the record.

package replay

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
)

// Difference is the first difference between a replay and the record.
type Difference struct {
	Call uint64   // the number of the message; 0 if only the result or the error differs
	Pos  fail.Pos // the place in the program
	Text string
}

func (d *Difference) String() string {
	where := "the end of the program"
	if d.Call > 0 {
		where = fmt.Sprintf("call %d", d.Call)
	}
	if d.Pos.Line > 0 {
		where += fmt.Sprintf(" at %d:%d", d.Pos.Line, d.Pos.Column)
	}
	return where + ": " + d.Text
}

// numbers returns the numbers of the calls, in their order.
func (r *recording) numbers() []uint64 { return slices.Sorted(maps.Keys(r.calls)) }

// compare returns the first difference between a replay and the recorded run. If a time limit may have ended the recorded run, compare returns an
// error at the place where that run ended.
func (r *recording) compare(now *recording) (*Difference, error) {
	all := append(r.numbers(), now.numbers()...)
	slices.Sort(all)
	for _, n := range slices.Compact(all) {
		a, b := r.calls[n], now.calls[n]
		var d *Difference
		switch {
		case a != nil && b != nil:
			if d = a.compare(b); d == nil {
				continue
			}
		case fail.KindOf(r.ended.Err) == fail.Limit:
			return nil, fmt.Errorf("replay: a limit ended the recorded run, at a moment that depends on time: the calls before call %d are equal, and later calls can't be compared", n)
		case a == nil:
			d = &Difference{Pos: b.asked.Pos, Text: fmt.Sprintf("the program sends %s, but the record has no such call", b.asked.Op)}
		default:
			d = &Difference{Pos: a.asked.Pos, Text: fmt.Sprintf("the record has %s, but the program does not send it", a.asked.Op)}
		}
		d.Call = n
		return d, nil
	}
	return r.compareEnds(now), nil
}

// compare returns how a message differs from the recorded one, or nil.
func (c *call) compare(now *call) *Difference {
	a, b := &c.asked, &now.asked
	differs := func(format string, args ...any) *Difference {
		return &Difference{Pos: a.Pos, Text: fmt.Sprintf(format, args...)}
	}
	switch {
	case a.Op != b.Op:
		return differs("the record has %s, but the program sends %s", a.Op, b.Op)
	case !bytes.Equal(a.Message, b.Message) || !reflect.DeepEqual(a.Constants, b.Constants) || !reflect.DeepEqual(a.Omitted, b.Omitted):
		return differs("the program sends %s with other code or other values than in the record", a.Op)
	case !a.Label.Equal(b.Label):
		return differs("the label is %s in the record, but %s now", a.Label, b.Label)
	case a.Step == exo.Refused && b.Step != exo.Refused && now.outcome != nil && sameError(a.Err, now.outcome.Err): // the objects of the replay refused it: see world.failed
	case a.Step == exo.Refused && b.Step != exo.Refused:
		return differs("the call was refused in the record (%s), but is admitted now", text(a.Err))
	case a.Step != exo.Refused && b.Step == exo.Refused:
		return differs("the call was admitted in the record, but is refused now: %s", text(b.Err))
	case a.Step == exo.Refused && !sameError(a.Err, b.Err):
		return differs("the call was refused in the record with %q, but now with %q", text(a.Err), text(b.Err))
	case c.outcome != nil && now.outcome != nil && c.outcome.Err == nil && now.outcome.Digest != c.outcome.Digest && fail.KindOf(now.outcome.Err) != fail.Cancelled:
		return differs("the recorded reply does not match its SHA-256 in the record, so the record was changed")
	}
	return nil
}

// compareEnds returns how the result or the error differs from the recorded one, or nil.
func (r *recording) compareEnds(now *recording) *Difference {
	a, b := r.released, now.released
	none := value.Digest{}
	differs := func(format string, args ...any) *Difference {
		return &Difference{Pos: fail.PosOf(now.ended.Err), Text: fmt.Sprintf(format, args...)}
	}
	switch {
	case (a.Digest == none) != (b.Digest == none):
		return differs("in the record %s, but now %s", r.end(), now.end())
	case a.Digest != b.Digest:
		return differs("the result is not the one in the record, which has another SHA-256")
	case !a.Label.Equal(b.Label):
		return differs("the label is %s in the record, but %s now", a.Label, b.Label)
	case a.Digest == none && (!sameError(r.ended.Err, now.ended.Err) || fail.KindOf(r.ended.Err) != fail.Limit && place(r.ended.Err) != place(now.ended.Err)):
		return differs("in the record %s, but now %s", r.end(), now.end())
	case !sameError(a.Err, b.Err):
		return differs("the result was withheld in the record with the error %q, but now with %q", text(a.Err), text(b.Err))
	}
	return nil
}

// end returns how a program ended, as words for a Difference.
func (r *recording) end() string {
	if r.released.Digest != (value.Digest{}) {
		return "the program has a result"
	}
	return fmt.Sprintf("the program failed at %s: %s", place(r.ended.Err), text(r.ended.Err))
}

// text returns the text of an error that the program read, or "" for nil.
func text(err error) string {
	if err == nil {
		return ""
	}
	return fail.GuestText(err)
}

func sameError(a, b error) bool {
	return (a == nil) == (b == nil) && (a == nil || fail.KindOf(a) == fail.KindOf(b) && text(a) == text(b))
}

// place returns the place of an error in the program.
func place(err error) string {
	return fmt.Sprintf("%d:%d", fail.PosOf(err).Line, fail.PosOf(err).Column)
}
