package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/exoagent/exoagent/codemode/agent"
)

// maxEvent limits the bytes of one event. A decoded event can take many times its size, and a
// decoder can't be interrupted.
const maxEvent = 1 << 20

var errTooLong = fmt.Errorf("the server sent an event of more than %d bytes, the limit", maxEvent)

// Events reads server-sent events.
type Events struct{ r *bufio.Reader }

// NewEvents returns the events in a response's body, which Do returned.
func NewEvents(r io.Reader) *Events { return &Events{bufio.NewReaderSize(r, 16<<10)} }

// Whole returns the body if it is a single JSON object and not a stream, which never begins with a
// brace. Endpoints that do not know "stream": true send one, and some send one instead of a stream
// that failed. If ok is true, the whole object has arrived, and it has at most the bytes of one
// event.
func (e *Events) Whole() (data []byte, ok bool, err error) {
	for {
		b, err := e.r.Peek(1)
		switch {
		case err != nil:
			return nil, false, err
		case b[0] == '{':
			data, err = e.object()
			return data, err == nil, err
		case b[0] != ' ' && b[0] != '\t' && b[0] != '\r' && b[0] != '\n': // some endpoints send spaces to keep a connection open
			return nil, false, nil
		}
		_, _ = e.r.Discard(1) // no error: Peek has already read this byte
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
		return nil, io.ErrUnexpectedEOF // a part of a reply does not count as a reply
	}
	return data, nil
}

// done is the event that ends a stream in OpenAI's format.
// Some servers leave out the empty line after it.
const done = "[DONE]"

// Next returns the data of the next event that has data. io.EOF means that the
// stream ended between two events, whether or not the reply was complete.
// io.ErrUnexpectedEOF means that it ended inside an event, which is not returned.
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
		} // ignore other lines: comments, ids, and the event's name, which the data repeats
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

// line returns the next line with its end, or the part of it that arrived before an error. It adds
// to read the bytes of the event, including comments.
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

// Ended returns the error for a stream that ended with err before the reply was complete.
func (e *Endpoint) Ended(err error) error {
	switch {
	case err == errTooLong:
		return e.Garbled(err.Error())
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return &agent.ModelError{Kind: agent.Truncated, Model: e.Model, Msg: "the connection ended before the reply was complete"}
	}
	return err
}

// Garbled returns the error for a response that does not follow the wire format. The text what describes the violation.
func (e *Endpoint) Garbled(what string) *agent.ModelError {
	return &agent.ModelError{Kind: agent.Malformed, Model: e.Model, Msg: what}
}
