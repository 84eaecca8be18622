package worker

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
)

// cause stands for the error of a call of this number, whose text stays with the host.
type cause uint64

func (c cause) Error() string { return fmt.Sprintf("call %d failed", uint64(c)) }

// outcome is how a program ended, with what the host needs to know the rest.
type outcome struct {
	exoeval.Outcome
	failed *exo.Error // its Err
	cause  uint64     // the call whose error ended it; 0: none
}

// asError is err, which is not nil, with its fields.
func asError(err error) *exo.Error { return exo.AsError("", err).(*exo.Error) }

// Bounds of what a worker says of a failure: more than the evaluator ever writes.
const (
	maxMessage = 64 << 10
	maxDetail  = 4 << 10
)

func appendDone(b []byte, o exoeval.Outcome, sent *rowsLog) ([]byte, int) {
	b = begin(b, frameDone)
	w := valueWriter{b: b, sent: sent, back: true}
	if o.Err != nil {
		e := asError(o.Err)
		var c cause
		errors.As(e.Err, &c)
		detail := ""
		if e.Err != nil && c == 0 {
			detail = clean(e.Err.Error(), maxDetail)
		}
		w.b = append(w.b, 0, byte(e.Kind))
		w.b = appendText(w.b, clean(e.Op, maxMessage))
		w.b = appendText(w.b, clean(e.Message(), maxMessage))
		w.b = appendCount(appendCount(w.b, max(0, e.Pos.Line)), max(0, e.Pos.Column))
		w.b = appendText(w.b, clean(e.Pos.Text, maxMessage))
		w.b = binary.AppendUvarint(w.b, uint64(c))
		w.b = appendText(w.b, detail)
	} else {
		w.b = append(w.b, 1)
		if o.Undefined {
			w.b[len(w.b)-1] = 2
		}
		w.value(&o.Value)
	}
	w.b = appendText(w.b, strings.ToValidUTF8(o.Console, ""))
	return end(w.b), w.items
}

func cut(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}

// clean is what may be sent of s: the bytes of a program may be no text, and a cut
// may leave half a character.
func clean(s string, n int) string { return strings.ToValidUTF8(cut(s, n), "") }

// decodeDone reads how a worker says its program ended. It can lie about its own
// program only: what the run may say at all is the session's to decide.
func decodeDone(s string, sent *rowsLog, limits exo.Limits) (o outcome, err error) {
	defer recovered(&err)
	// Texts are copies: what a host keeps of a result must not keep the frame.
	r := valueReader{decoder: &decoder{s: s, items: maxValues(limits), own: true}, sent: sent, back: true}
	switch how := r.byte(); how {
	case 0:
		e := &exo.Error{Kind: exo.Kind(r.byte())}
		switch e.Kind {
		case exo.Crashed, exo.Breach:
			r.fail("a verdict that is the host's")
		case exo.Other:
			r.fail("no kind")
		}
		if int(e.Kind) >= int(exo.Kinds) {
			r.fail("no such kind")
		}
		e.Op, e.Msg = r.short(maxMessage), r.short(maxMessage)
		e.Pos = exo.Pos{Line: r.upTo(1 << 31), Column: r.upTo(1 << 31), Text: r.short(maxMessage)}
		o.cause = r.uint()
		if detail := r.short(maxDetail); detail != "" {
			e.Err = fmt.Errorf("in the worker: %q", detail)
		}
		o.Err, o.failed = e, e
	case 1, 2:
		o.Undefined = how == 2
		o.Value = r.value(0)
	default:
		r.fail("no such ending")
	}
	// What the console says of being full comes after its limit.
	o.Console = r.short(limits.ConsoleBytes + 200)
	return o, r.done()
}

// short is a text that people and logs will read.
func (d *decoder) short(limit int) string {
	s := d.utf8()
	if len(s) > limit {
		d.fail("a text that is too long")
		return ""
	}
	return s
}
