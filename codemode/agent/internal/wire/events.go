package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/exoagent/exoagent/codemode/agent"
)

// maxEvent is how many bytes one event may have. Decoded, an event can take
// many times its size, and a decoder can't be interrupted.
const maxEvent = 1 << 20

var errTooLong = errors.New("an event of the stream is larger than the bound")

// Events reads server-sent events.
type Events struct{ r *bufio.Reader }

// NewEvents reads the body of a response of Do.
func NewEvents(r io.Reader) *Events { return &Events{bufio.NewReaderSize(r, 16<<10)} }

// Whole is the body, if that is one JSON object and no stream: what an endpoint sends
// that does not know "stream": true, and what some send in place of a stream that failed.
// No stream begins with a brace, whatever its header calls it. ok says whether it was
// one; then it has at most the bytes that an event may have, and all of them arrived.
func (e *Events) Whole() (data []byte, ok bool, err error) {
	for {
		b, err := e.r.Peek(1)
		switch {
		case err != nil:
			return nil, false, err
		case b[0] == '{':
			data, err = e.object()
			return data, err == nil, err
		case b[0] != ' ' && b[0] != '\t' && b[0] != '\r' && b[0] != '\n': // some send these to keep a connection open
			return nil, false, nil
		}
		_, _ = e.r.Discard(1) // it was peeked at
	}
}

func (e *Events) object() ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(e.r, maxEvent+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > maxEvent:
		return nil, errTooLong
	}
	var first json.RawMessage
	if json.NewDecoder(bytes.NewReader(data)).Decode(&first) == io.ErrUnexpectedEOF {
		return nil, io.ErrUnexpectedEOF // half a reply is no reply
	}
	return data, nil
}

// done is the event by which OpenAI's format ends a stream, some servers without
// the empty line after it.
const done = "[DONE]"

// Next is the data of the next event that has any. io.EOF says that the stream
// ended between two events, which says nothing of whether all has been said, and
// io.ErrUnexpectedEOF that it ended in the middle of one, which is not given.
func (e *Events) Next() ([]byte, error) {
	var data []byte
	has, read := false, 0
	for {
		line, err := e.line(&read)
		if err != nil && err != io.EOF {
			return nil, err
		}
		ended := err == io.EOF
		rest := len(line) > 0
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 && !ended {
			if has {
				return data, nil
			}
			read = 0
			continue
		}
		if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			if has {
				data = append(data, '\n')
			}
			data, has = append(data, bytes.TrimPrefix(value, []byte(" "))...), true
		} // others are comments, the event's name, which the data repeats, and ids
		switch {
		case !ended:
		case string(data) == done:
			return data, nil
		case has || rest:
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, io.EOF
		}
	}
}

// line is the next line with its end, or what there is of one with an error. read
// counts the bytes of the event, comments among them.
func (e *Events) line(read *int) (line []byte, err error) {
	for {
		piece, err := e.r.ReadSlice('\n')
		if *read += len(piece); *read > maxEvent {
			return nil, errTooLong
		}
		line = append(line, piece...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// Ended is the error of a stream that err ended before all was said.
func (e *Endpoint) Ended(err error) error {
	switch {
	case err == errTooLong:
		return e.Garbled(err.Error())
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return &agent.ModelError{Kind: agent.Truncated, Model: e.Model, Msg: "the stream ended before the reply did"}
	}
	return err
}

// Garbled is the error of something that the wire format does not have.
func (e *Endpoint) Garbled(what string) *agent.ModelError {
	return &agent.ModelError{Kind: agent.Malformed, Model: e.Model, Msg: what}
}
