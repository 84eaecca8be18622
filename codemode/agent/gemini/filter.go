package gemini

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/codemode/agent/internal/wire"
)

// finishReasons has names by number. Beyond the sixth the library knows only numbers.
var finishReasons = []string{"FINISH_REASON_UNSPECIFIED", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER", "LANGUAGE", "BLOCKLIST",
	"PROHIBITED_CONTENT", "SPII", "MALFORMED_FUNCTION_CALL", "IMAGE_SAFETY", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"}

const (
	malformedCall  = 10
	unexpectedCall = 12
)

func reasonName(n int) string {
	if n >= 0 && n < len(finishReasons) {
		return finishReasons[n]
	}
	return strconv.Itoa(n)
}

// maxPieces of a reply: the library joins all text anew at each, so that many small
// ones would cost the square of their number.
const maxPieces = 4096

// maxArgs is how many bytes the calls may have: the library makes a tree of each.
const maxArgs = 1 << 20

// maxWork bounds the same in bytes: few small pieces after much text cost as much.
const maxWork = 1 << 29

// filter is the body of a response, an array of which each element is a piece of
// the reply, with the parts that the library knows: at others it fails or panics,
// and it would take a thought for a part of the answer. Signatures go to the exchange.
type filter struct {
	x     *exchange
	m     *model
	from  io.ReadCloser
	bound *wire.Bounded
	text  *bufio.Reader // of bound
	in    *json.Decoder // of text
	begun bool
	alone bool // the response is one piece, and no array of them
	n     int  // pieces
	calls int
	args  int // bytes of calls
	said  int // bytes of text
	work  int // of the library, in bytes
	out   []byte
	err   error
}

func (f *filter) Close() error { return f.from.Close() }

func (f *filter) Read(p []byte) (int, error) {
	for len(f.out) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		f.out, f.err = f.next()
	}
	n := copy(p, f.out)
	f.out = f.out[n:]
	return n, nil
}

// next is the next element as the library reads it.
func (f *filter) next() ([]byte, error) {
	bad := f.m.Garbled("the stream is not what it should be")
	f.bound.Refill()
	if !f.begun {
		if err := f.look(); err != nil {
			return nil, f.broken(err)
		}
	}
	if f.alone {
		return f.only()
	}
	if !f.begun {
		if t, err := f.in.Token(); err != nil {
			return nil, f.broken(err)
		} else if t != json.Delim('[') {
			return nil, bad
		}
	}
	if !f.in.More() {
		if t, err := f.in.Token(); err != nil {
			return nil, f.broken(err)
		} else if t != json.Delim(']') {
			return nil, bad
		}
		if !f.begun {
			return []byte("[]"), io.EOF
		}
		return []byte("]"), io.EOF
	}
	if f.n++; f.n > maxPieces {
		return nil, f.m.Garbled("the reply has too many pieces")
	}
	var element json.RawMessage
	if err := f.in.Decode(&element); err != nil {
		return nil, f.broken(err)
	}
	clean, err := f.clean(element)
	if err != nil {
		return nil, err
	}
	lead := byte(',')
	if !f.begun {
		lead, f.begun = '[', true
	}
	return append([]byte{lead}, clean...), nil
}

// look finds out whether the response is an array of pieces, or one that is the whole:
// what an endpoint gives that does not stream. Nothing was decoded yet.
func (f *filter) look() error {
	for {
		b, err := f.text.Peek(1)
		if err != nil {
			return err
		}
		if strings.IndexByte(" \t\r\n", b[0]) < 0 {
			f.alone = b[0] == '{'
			return nil
		}
		_, _ = f.text.Discard(1) // it was peeked at
	}
}

// only is that one piece, as an array.
func (f *filter) only() ([]byte, error) {
	var element json.RawMessage
	if err := f.in.Decode(&element); err != nil {
		return nil, f.broken(err)
	}
	switch _, err := f.in.Token(); {
	case err == nil:
		return nil, f.m.Garbled("something follows the reply")
	case err != io.EOF:
		return nil, f.broken(err)
	}
	clean, err := f.clean(element)
	if err != nil {
		return nil, err
	}
	return append(append([]byte{'['}, clean...), ']'), io.EOF
}

// broken says why the array did not go on.
func (f *filter) broken(err error) error {
	var known *agent.ModelError
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return f.m.Ended(io.EOF)
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return f.m.Garbled("the stream is not what it should be")
	}
	return f.m.Ended(err)
}

// element is one of the array, as far as it is read here.
type element struct {
	Candidates wire.Few[candidate] `json:"candidates,omitempty"`
	Feedback   json.RawMessage     `json:"promptFeedback,omitempty"`
	Usage      *usage              `json:"usageMetadata,omitempty"`
	Error      json.RawMessage     `json:"error,omitempty"`
}

type usage struct {
	Prompt     int32 `json:"promptTokenCount"`
	Cached     int32 `json:"cachedContentTokenCount"`
	Candidates int32 `json:"candidatesTokenCount"`
	Total      int32 `json:"totalTokenCount"`
}

type candidate struct {
	Index   int32 `json:"index"`
	Content struct {
		Role  string         `json:"role"`
		Parts wire.Few[part] `json:"parts"`
	} `json:"content"`
	Finish json.RawMessage `json:"finishReason,omitempty"`
}

type part struct {
	Text      *string         `json:"text,omitempty"`
	Call      json.RawMessage `json:"functionCall,omitempty"`
	Thought   bool            `json:"thought,omitempty"`
	Signature string          `json:"thoughtSignature,omitempty"`
}

func (f *filter) clean(raw json.RawMessage) ([]byte, error) {
	var e element
	if json.Unmarshal(raw, &e) != nil {
		return nil, f.m.Garbled("a piece of the reply is not what it should be")
	}
	if len(e.Error) > 0 {
		return nil, f.m.Interruption(raw)
	}
	for i := range e.Candidates {
		c := &e.Candidates[i]
		var name string
		if json.Unmarshal(c.Finish, &name) == nil {
			n := max(slices.Index(finishReasons, name), 0)
			if n == 0 && name != finishReasons[0] && name != "" {
				n = 5 // one that came later
			}
			c.Finish = json.RawMessage(strconv.Itoa(n))
		}
		if len(c.Content.Parts) > 0 {
			f.work += f.said
		}
		known := []part{}
		for _, p := range c.Content.Parts {
			switch {
			case p.Thought:
			case len(p.Call) > 0 && string(p.Call) != "null":
				if i == 0 {
					f.x.got = append(f.x.got, p.Signature)
				}
				f.calls++
				f.args += len(p.Call)
				known = append(known, part{Call: p.Call})
			case p.Text != nil:
				f.said += len(*p.Text)
				known = append(known, part{Text: p.Text})
			}
		}
		c.Content.Parts = known
	}
	if f.calls > wire.MaxParts || f.args > maxArgs || f.work > maxWork {
		return nil, f.m.Garbled("the reply has too many parts")
	}
	return json.Marshal(e)
}
