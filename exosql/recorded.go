package exosql

// This file writes a statement and its bound values in the form that the record keeps: small values whole, large ones as digest and size.

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/answer"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// Query is the record's description of the statement that answered a message (see exo.Entry's Details). It contains values of the database, and
// is only for the host.
type Query struct {
	SQL  string
	Args []value.Value
	Rows int
	Took time.Duration
	// Fenced is why the statement could not run without fences, such as the table of which the database would read rows out of scope. With
	// fences, the scope is checked before the program's conditions, which no index then serves. Fenced is "" if no such statement was refused.
	Fenced string
	// Replica is the number of the replica that answered, as OpenOptions.Replicas counts from 1. It is 0 if the primary answered.
	Replica int

	plan *plan.Plan
}

// AppendJSON writes the query in the form that the record has: sql, args, rows, ms, fenced and replica. A value above exo.ConstantBytes, all values if they
// exceed 256 KiB together, and a statement above 64 KiB are replaced by {"digest": …, "bytes": …}. These are its value.Digest, and its size as
// value.Value.Bytes counts. The record has a program's large constants once, by their digests: see exo.Constant.
func (q Query) AppendJSON(b []byte) ([]byte, error) {
	b, err := appendUpTo(append(b, `{"sql":`...), value.Text(q.SQL), maxRecordedSQL)
	if err != nil {
		return b, err
	}
	if b, err = appendArgs(append(b, `,"args":`...), q.Args); err != nil {
		return b, err
	}
	b = strconv.AppendInt(append(b, `,"rows":`...), int64(q.Rows), 10)
	b = strconv.AppendFloat(append(b, `,"ms":`...), math.Round(float64(q.Took)/1e3)/1e3, 'f', -1, 64)
	if q.Fenced != "" {
		if b, err = value.Text(q.Fenced).AppendJSON(append(b, `,"fenced":`...)); err != nil {
			return b, err
		}
	}
	if q.Replica > 0 {
		b = strconv.AppendInt(append(b, `,"replica":`...), int64(q.Replica), 10)
	}
	return append(b, '}'), nil
}

// MarshalJSON implements json.Marshaler.
func (q Query) MarshalJSON() ([]byte, error) { return q.AppendJSON(nil) }

// Output is one value in each row that a statement returned.
type Output struct {
	Name string // Name is the value's name in the program, after the names of the records around it, like "user.name"
	Type string // Type is value.TypeDecimal and so on, since a Value alone does not distinguish a decimal, a date and a text
}

// Outputs returns the values of each row, in order.
func (q Query) Outputs() []Output {
	if q.plan == nil {
		return nil
	}
	out := make([]Output, 0, len(q.plan.Cells))
	var walk func(s *value.Shape, prefix string)
	walk = func(s *value.Shape, prefix string) {
		for i, n := range s.Names {
			if sub := s.Sub(i); sub != nil {
				walk(sub, prefix+n+".")
			} else {
				out = append(out, Output{prefix + n, q.plan.Cells[len(out)].Kind})
			}
		}
	}
	walk(q.plan.Shape, "")
	return out
}

// queryOf returns the Query for a statement that ran.
func queryOf(r answer.Ran) any {
	return Query{SQL: r.Plan.Text, Args: r.Args, Rows: r.Rows, Took: r.Took, Fenced: r.Fenced, Replica: r.Replica, plan: r.Plan}
}

// Statements makes the statements that a message would run on a database, and runs none. Their Args are only the values that scopes give. Statements
// returns none for an object that [Facet.Of] did not make, and an error if the message would be refused. It asks no hook. A host can use it to compare
// two declarations, in an exo.Policy that lets nothing through.
func Statements(ctx context.Context, m *exo.Message) (out []Query, err error) {
	if m == nil || m.Root == nil || len(m.Objects) == 0 {
		return nil, nil
	}
	o, err := answer.Of(m.Objects[m.Root.Receiver().Slot])
	if o == nil {
		return nil, err
	}
	all, err := o.Statements(ctx, m)
	for _, r := range all {
		out = append(out, queryOf(r).(Query))
	}
	return out, err
}

// These bound a query in a record, in bytes.
const (
	maxRecordedSQL  = 64 << 10
	maxRecordedArgs = 256 << 10
)

// appendUpTo writes a value as JSON. For a value larger than most (as value.Value.Bytes counts) it writes digest and size. A program's large
// constant has the same digest in the run's record: see exo.Constant.
func appendUpTo(b []byte, v value.Value, most int) ([]byte, error) {
	size := v.Bytes()
	if size <= most {
		return v.AppendJSON(b)
	}
	d, err := v.Digest()
	b = append(append(append(b, `{"digest":"`...), d.String()...), `","bytes":`...)
	return append(strconv.AppendInt(b, int64(size), 10), '}'), err
}

func appendArgs(b []byte, args []value.Value) (_ []byte, err error) {
	from := len(b)
	b = append(b, '[')
	for i, v := range args {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendUpTo(b, v, exo.ConstantBytes); err != nil {
			return b, err
		}
		if len(b)-from > maxRecordedArgs { // many small values exceed the bound together
			return appendUpTo(b[:from], value.List(args...), 0)
		}
	}
	return append(b, ']'), nil
}
