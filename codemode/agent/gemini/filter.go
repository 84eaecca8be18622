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

// finishReasons has the names by their numbers. The library knows only the first six names.
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

// maxPieces bounds the pieces of a reply: the library joins all text again
// at each piece, so many small pieces would cost the square of their number.
const maxPieces = 4096

// maxArgs bounds the bytes of all calls: the library makes a tree of each.
const maxArgs = 1 << 20

// maxWork bounds the same work in bytes: a few small pieces after a long text cost as much.
const maxWork = 1 << 29

// filter is the body of a response: an array whose elements are pieces of the reply. It passes on only texts
// and calls: at any other part the library fails or panics, and it would treat a thought of the model as a part of
// the answer. The library does not know the signatures of Gemini's calls: filter gives them to the exchange.
type filter struct {
	x     *exchange
	m     *model
	from  io.ReadCloser
	bound *wire.Bounded
	text  *bufio.Reader // of bound
	in    *json.Decoder // of text
	begun bool
	alone bool // the response is one piece and not an array
	n     int  // number of pieces
	calls int
	args  int // bytes of calls
	said  int // bytes of text
	work  int // work of the library, in bytes
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

// next returns the next element in the form that the library reads.
func (f *filter) next() ([]byte, error) {
	bad := f.m.Garbled("the stream does not have the expected form")
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

// look finds out whether the response is an array of pieces, or one piece
// from an endpoint that does not stream. Nothing has been decoded before it.
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
		_, _ = f.text.Discard(1) // Peek has read this byte
	}
}

// only returns the one piece as an array.
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

// broken returns the error if the array did not go on.
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
		return f.m.Garbled("the stream does not have the expected form")
	}
	return f.m.Ended(err)
}

// element is one element of the array, with the fields that are read here.
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
		return nil, f.m.Garbled("a piece of the reply does not have the expected form")
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
				n = 5 // a name that is newer than the list
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
