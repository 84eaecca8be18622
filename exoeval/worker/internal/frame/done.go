package frame

import (
	"errors"
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/wire"
)

// cause is the number of the call that failed. It replaces the call's error, whose text stays in the host.
type cause uint64

func (c cause) Error() string { return fmt.Sprintf("call %d failed", uint64(c)) }

// outcome is how a program ended, and what the host needs to find its own error again.
type outcome struct {
	exoeval.ProgramResult
	Failed *fail.Error // the Err of the ProgramResult
	Cause  uint64      // the number of the call whose error ended the program; 0 if none did
}

// asError returns err as a *fail.Error. err must not be nil.
func asError(err error) *fail.Error { return fail.Classify("", err).(*fail.Error) }

// These constants bound a worker's report of a failure, in bytes. An honest evaluator never writes so much.
const (
	maxMessage = 64 << 10
	maxDetail  = 4 << 10
)

func AppendDone(b []byte, o exoeval.ProgramResult, sent *RowsLog) ([]byte, int) {
	w := value.Encoder{B: Begin(b, KindDone), Extend: (*homeward)(sent)}
	if o.Err != nil {
		e := asError(o.Err)
		var c cause
		errors.As(e.Err, &c)
		detail := ""
		if e.Err != nil && c == 0 {
			detail = clean(e.Err.Error(), maxDetail)
		}
		b = append(w.B, 0, byte(e.Kind))
		b = wire.AppendText(b, clean(e.Op, maxMessage))
		b = wire.AppendText(b, clean(e.Message(), maxMessage))
		b = wire.AppendCount(wire.AppendCount(b, max(0, e.Pos.Line)), max(0, e.Pos.Column))
		b = wire.AppendText(b, clean(e.Pos.Text, maxMessage))
		b = wire.AppendUint(b, uint64(c))
		w.B = wire.AppendText(b, detail)
	} else {
		w.B = append(w.B, 1)
		if o.Undefined {
			w.B[len(w.B)-1] = 2
		}
		w.Value(o.Value)
	}
	return End(w.B), w.Values
}

func Cut(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}

// clean returns at most n bytes of s, as valid UTF-8. The bytes of a program may not be valid, and a cut may leave half a character.
func clean(s string, n int) string { return strings.ToValidUTF8(Cut(s, n), "") }

// DecodeDone reads the worker's report of how its program ended. A worker can only lie about its own program, because the session decides what
// leaves the run.
func DecodeDone(s string, sent *RowsLog, bounds exoeval.Bounds) (o outcome, err error) {
	defer recovered(&err)
	// The texts are copies. Otherwise a result that the host keeps would keep the whole frame in memory.
	r := reader{value.Decoder{Reader: wire.NewOwner(s), Values: MaxValues(bounds), Extend: &Returned{Sent: sent}}}
	switch how := r.Byte(); how {
	case 0:
		e := &fail.Error{Kind: fail.Kind(r.Byte())}
		switch e.Kind {
		case fail.Crashed, fail.Breach, fail.Pending:
			r.Fail("the worker reported an error that only its host may report")
		case fail.Other:
			r.Fail("the worker reported an error without a kind")
		}
		if !e.Kind.Valid() {
			r.Fail("the worker reported an error of an unknown kind")
		}
		e.Op, e.Msg = r.short(maxMessage), r.short(maxMessage)
		e.Pos = fail.Pos{Line: r.UpTo(1 << 31), Column: r.UpTo(1 << 31), Text: r.short(maxMessage)}
		o.Cause = r.Uint()
		if detail := r.short(maxDetail); detail != "" {
			e.Err = fmt.Errorf("in the worker: %q", detail)
		}
		o.Err, o.Failed = e, e
	case 1, 2:
		o.Undefined = how == 2
		o.Value = r.Value()
	default:
		r.Fail("the worker sent neither a result nor an error")
	}
	return o, r.done()
}
