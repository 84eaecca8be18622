package frame

import (
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/wire"
)

// AppendCall writes a message. It returns an error if the other side would refuse to read the message.
func AppendCall(b []byte, c exo.Call) ([]byte, error) {
	b = wire.AppendUint(Begin(b, KindCall), c.ID)
	e := value.Encoder{B: wire.AppendInt(wire.AppendInt(b, int64(c.Pos.Line)), int64(c.Pos.Column))}
	message.WriteExpr(&e, c.Expr)
	return End(e.B), e.Err()
}

// DecodeCall reads a message. The parameter nodes bounds its nodes. DecodeCall checks only the form; the gate checks the message against the catalogue.
func DecodeCall(s string, nodes int) (c exo.Call, err error) {
	defer recovered(&err)
	r := read(s)
	r.Values = MaxItems
	c.ID = r.Uint()
	c.Pos.Line, c.Pos.Column = int(r.Int()), int(r.Int())
	c.Expr = message.ReadExpr(&r.Decoder, nodes)
	return c, r.done()
}

// AppendReply writes the reply to a call. If the reply is an error, AppendReply writes only the part for guests: a worker's memory never
// has a text of the host.
func AppendReply(b []byte, p exo.Reply, sent *RowsLog, typ func(uint32) *message.Type) []byte {
	b = wire.AppendUint(Begin(b, KindReply), p.ID)
	if p.Err != nil {
		e := asError(p.Err)
		msg, kind := e.Message(), e.Kind
		if kind == fail.Internal || kind == fail.Other {
			msg, kind = "", fail.Internal // a guest learns of an unclassified error only that the host failed
		}
		b = append(b, 0, byte(kind))
		b = wire.AppendText(wire.AppendText(b, e.Op), msg)
		return End(b)
	}
	sent.typ = typ
	e := value.Encoder{B: append(b, 1), Extend: sent}
	e.Value(p.Value)
	return End(e.B)
}

// DecodeReply reads a reply in the worker. In an error, a cause replaces the part that only the host knows.
func DecodeReply(s string, sent *RowsLog, typed func(uint32, *message.Type)) (p exo.Reply, err error) {
	sent.typed = typed
	r := read(s)
	r.Values, r.Extend = 1<<40, sent
	if p.ID = r.Uint(); r.Bool() {
		p.Value = r.Value()
	} else {
		e := &fail.Error{Kind: fail.Kind(r.Byte()), Err: cause(p.ID)}
		e.Op, e.Msg = r.Text(), r.Text()
		p.Err = e
	}
	return p, r.done()
}

// AppendWaiting writes the report that the worker waits for the reply after the first n.
func AppendWaiting(b []byte, n uint64) []byte { return End(wire.AppendUint(Begin(b, KindWaiting), n)) }

func DecodeWaiting(s string) (n uint64, err error) {
	r := read(s)
	n = r.Uint()
	return n, r.done()
}
