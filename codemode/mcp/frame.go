package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// notMessage returns the answer to a line that is no message, or nil if it is one. The SDK would end the conversation at such a line. An object
// with a key twice is no message: readers may differ in which value they use, so a proxy, a record or a person might not see what runs.
func notMessage(frame []byte) []byte {
	if !json.Valid(frame) { // the check also refuses a text with a byte order mark
		return answerTo(nil, jsonrpc.CodeParseError, "the text is no JSON: want one message in a line, in UTF-8 without a byte order mark")
	}
	id, twice := keysOf(frame)
	if twice != nil {
		return answerTo(id, jsonrpc.CodeInvalidRequest, fmt.Sprintf("an object of this message has the key %.80q twice: write each key once", *twice))
	}
	if _, err := jsonrpc.DecodeMessage(frame); err != nil {
		return answerTo(id, jsonrpc.CodeInvalidRequest, "the text is no message of JSON-RPC 2.0: want a request, a notification or a response")
	}
	return nil
}

// answerTo returns an error as a message. id is the id of the answered message, or nil if that is not known.
func answerTo(id any, code int, text string) []byte {
	b, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text}}) // no error: there are only texts and a number
	return append(b, '\n')
}

// keysOf returns the id of a message, if it has exactly one that is a text or a number, and otherwise nil. twice is a key that some object in the
// message has twice, or nil. frame is valid JSON.
func keysOf(frame []byte) (id any, twice *string) {
	d := json.NewDecoder(bytes.NewReader(frame))
	d.UseNumber()
	type object struct {
		keys map[string]bool // the keys so far; nil: this is an array
		key  string          // the last key, until its value comes
		open bool
	}
	var in []object
	ids := 0
	for {
		token, err := d.Token()
		if err != nil { // the frame ends here
			break
		}
		at := len(in) - 1
		if at >= 0 && in[at].keys != nil && !in[at].open {
			if key, is := token.(string); is {
				if in[at].keys[key] {
					twice = &key
				}
				in[at].keys[key], in[at].key, in[at].open = true, key, true
				continue
			}
		}
		if at == 0 && in[0].open && in[0].key == "id" {
			ids++
			switch token.(type) {
			case string, json.Number:
				id = token
			}
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			o := object{}
			if token == json.Delim('{') {
				o.keys = map[string]bool{}
			}
			in = append(in, o)
			continue
		case json.Delim('}'), json.Delim(']'):
			in = in[:at]
		}
		if n := len(in); n > 0 {
			in[n-1].open = false // this was the value of the key
		}
	}
	if ids != 1 {
		id = nil
	}
	return id, twice
}

// isBatch reports whether frame is a list of messages. In a batch, thousands of calls could run at once, while the limits would count one.
func isBatch(frame []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(frame, " \t\r\n"), []byte("["))
}

// lines reads one message from each line. It answers lines that are no messages, and passes the others on.
type lines struct {
	io.Closer
	in   *bufio.Reader
	out  io.Writer
	left []byte // the rest of the line that is being passed on
	err  error
}

var errLine = fmt.Errorf("mcp: the client sent a line of more than %d bytes, the limit, so the server ended the conversation", maxLine)

func (l *lines) Read(p []byte) (int, error) {
	for len(l.left) == 0 {
		if l.err != nil {
			return 0, l.err
		}
		var line []byte
		line, l.err = l.line()
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
		case isBatch(line):
			l.err = ErrBatch
		default:
			no := notMessage(line)
			if no == nil {
				l.left = append(line, '\n')
			} else if _, err := l.out.Write(no); err != nil {
				l.err = err
			}
		}
	}
	n := copy(p, l.left)
	l.left = l.left[n:]
	return n, nil
}

func (l *lines) line() (line []byte, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		if line = append(line, part...); len(line) > maxLine {
			_, err := l.out.Write(answerTo(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message has more than %d bytes, the limit: send a smaller one", maxLine)))
			return nil, errors.Join(errLine, err)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// inTurn is a writer for several goroutines. Each writes a whole line at a time.
type inTurn struct {
	mu sync.Mutex
	io.WriteCloser
}

func (w *inTurn) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.WriteCloser.Write(p)
}
