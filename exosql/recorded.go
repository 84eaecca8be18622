// This file bounds what a record keeps of a statement and of the values that are bound to it: small ones whole, of others digest and size.

package exosql

import (
	"strconv"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
)

// Bounds of a query in a record, in bytes.
const (
	maxRecordedSQL  = 64 << 10
	maxRecordedArgs = 256 << 10
)

// appendUpTo writes a value as JSON, or digest and size of one that is larger than most, as value.Value.Bytes counts. A program's
// large constant has the digest by which the run's record has it: see exo.Constant.
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
		if len(b)-from > maxRecordedArgs { // many, each of them small
			return appendUpTo(b[:from], value.List(args...), 0)
		}
	}
	return append(b, ']'), nil
}
