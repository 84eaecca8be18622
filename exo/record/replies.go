// This file keeps the replies of objects in a record, so that runs can be replayed.

package record

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"math"
	"strconv"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message/coding"
	"github.com/exoagent/exoagent/exo/value"
)

// Replies bounds the replies that a record keeps, with which package exoeval/replay can replay runs. A reply that exceeds a bound is left out, and so
// are all later replies of its run. That run can't be replayed, and its entry has the reason. Replies contain what programs read, so keep them in a
// [Folder], which encrypts them.
type Replies struct {
	Each int // most bytes of one reply, and of the packed catalogue of one run; 0: 1 MiB
	Run  int // most bytes of all replies of a run; 0: 16 MiB
}

// KeepReplies makes the record keep replies. A [File] does not encrypt them. Call it before the first run.
func (l *Lines) KeepReplies(r Replies) { l.begun.keepReplies(r) }

// KeepReplies makes the record keep replies, encrypted. Call it before the first run.
func (l *Folder) KeepReplies(r Replies) {
	if l != nil {
		l.begun.keepReplies(r)
	}
}

func (r *runs) keepReplies(b Replies) {
	r.keep, r.kept = &Replies{cmp.Or(b.Each, 1<<20), cmp.Or(b.Run, 16<<20)}, map[exo.RunID]int{}
}

// lost marks, in runs.kept, a run that lacks one of its replies.
const lost = math.MaxInt / 2

// retain sets the part of an entry that the record keeps for a replay. An entry that was read from another record already has it.
func (r *runs) retain(e *exo.Entry) {
	answer := e.Raw
	if e.Raw = (exo.RawReply{}); r.keep == nil {
		e.Kept = nil
	}
	if s := e.Start; s != nil && s.Grants != nil && (r.keep == nil || len(s.Grants()) > r.keep.Each) {
		own := *s
		own.Grants, e.Start = nil, &own
	}
	if r.keep == nil || e.Step != exo.Outcome || e.Kept != nil || answer.Value.IsZero() && answer.Rows == 0 && answer.Bytes == 0 {
		return
	}
	k := &exo.Kept{Rows: answer.Rows, Bytes: answer.Bytes}
	if e.Kept = k; answer.Value.IsZero() || e.Err != nil {
		return
	}
	had, known := r.kept[e.RunID]
	objects := 0
	b, err := answer.Value.Replace(func(v value.Value) (value.Value, bool) {
		if v.Kind() != value.KindRef {
			return v, false
		}
		objects++
		return value.NumberedRef(0).WithLabel(v.Label()), true
	}).AppendBinary(nil)
	switch {
	case objects != len(answer.Types):
		k.Lost = "the reply has an object within a sealed value"
	case !known:
		k.Lost = "the run began before this record was opened, or too many runs ago"
	case err != nil:
		k.Lost = textOf(err)
	case had >= lost:
		k.Lost = "an earlier reply of the run, or the description of its objects, was too large"
	case len(b) > r.keep.Each:
		k.Lost = fmt.Sprintf("the reply has %d bytes; the record keeps at most %d of one reply", len(b), r.keep.Each)
	case had+len(b) > r.keep.Run:
		k.Lost = fmt.Sprintf("with this reply the run has %d bytes of replies; the record keeps at most %d of one run", had+len(b), r.keep.Run)
	default:
		if k.Value = b; objects > 0 {
			k.Types = coding.PackTypes(answer.Types)
		}
	}
}

// spendReply counts the bytes of an appended entry's reply.
func (r *runs) spendReply(e *exo.Entry) {
	had, known := r.kept[e.RunID]
	switch k := e.Kept; {
	case e.Step == exo.Begun && r.keep != nil:
		if r.kept[e.RunID] = 0; e.Start == nil || e.Start.Grants == nil {
			r.kept[e.RunID] = lost
		}
	case known && k != nil && k.Lost != "":
		r.kept[e.RunID] = lost
	case known && k != nil:
		r.kept[e.RunID] = min(had+len(k.Value), lost)
	}
}

// reply is the form of an exo.Kept in a line.
type reply struct {
	Value []byte `json:"value"`
	Types []byte `json:"types"`
	Rows  int    `json:"records"`
	Bytes int    `json:"bytes"`
	Lost  text   `json:"lost"`
}

func appendKept(b []byte, k *exo.Kept) []byte {
	b = strconv.AppendInt(append(b, `{"records":`...), int64(k.Rows), 10)
	b = strconv.AppendInt(append(b, `,"bytes":`...), int64(k.Bytes), 10)
	if k.Value != nil {
		b = append(base64.StdEncoding.AppendEncode(append(b, `,"value":"`...), k.Value), '"')
	}
	if k.Types != nil {
		b = append(base64.StdEncoding.AppendEncode(append(b, `,"types":"`...), k.Types), '"')
	}
	if k.Lost != "" {
		b = appendText(append(b, `,"lost":`...), shortened(k.Lost))
	}
	return append(b, '}')
}
