package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/exoagent/exoagent/codemode/agent"
)

// Events reads server-sent events. How long a line may be is bounded by the body's bound.
type Events struct{ r *bufio.Reader }

// NewEvents reads the body of a response of Do.
func NewEvents(r io.Reader) *Events { return &Events{bufio.NewReaderSize(r, 16<<10)} }

// Next is the data of the next event that has any. io.EOF says that the stream
// ended, which says nothing of whether all has been said; an event that the end
// cut is not given.
func (e *Events) Next() ([]byte, error) {
	var data []byte
	has := false
	for {
		line, err := e.r.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			if has {
				return data, nil
			}
			continue
		}
		value, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			continue // a comment, the event's name, which the data repeats, or an id
		}
		if has {
			data = append(data, '\n')
		}
		data, has = append(data, bytes.TrimPrefix(value, []byte(" "))...), true
	}
}

// Ended is the error of a stream that err ended before all was said.
func (e *Endpoint) Ended(err error) error {
	if errors.Is(err, io.EOF) {
		return &agent.Error{Kind: agent.Truncated, Model: e.Model, Msg: "the stream ended before the reply did"}
	}
	return err
}

// Garbled is the error of something that the wire format does not have.
func (e *Endpoint) Garbled(what string) *agent.Error {
	return &agent.Error{Kind: agent.Malformed, Model: e.Model, Msg: what}
}
