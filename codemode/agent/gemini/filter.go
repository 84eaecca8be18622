package gemini

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/codemode/agent/internal/wire"
)

// finishReasons has the API's names of finish reasons, indexed by their numbers. The library knows only the first six.
var finishReasons = []string{"FINISH_REASON_UNSPECIFIED", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER", "LANGUAGE", "BLOCKLIST",
	"PROHIBITED_CONTENT", "SPII", "MALFORMED_FUNCTION_CALL", "IMAGE_SAFETY", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"}

const (
	malformedCall  = 10
	unexpectedCall = 12
	notGoogle      = "the response is not in the form of Google's API: check the address of the API"
)

func reasonName(n int) string {
	if n >= 0 && n < len(finishReasons) {
		return finishReasons[n]
	}
	return strconv.Itoa(n)
}

// maxPieces limits the pieces of a reply: the library joins all text again at each piece, so many
// small ones would take quadratic time.
const maxPieces = 4096

// maxArgs limits the bytes of all calls, since the library makes a tree of each call.
const maxArgs = 1 << 20

// maxWork limits the bytes that the library copies when it joins text. Each piece copies all text before it, so after a long text
// even a small piece is expensive.
const maxWork = 1 << 29

// filter is the body of a response: an array with a piece of the reply in each element. It passes on only texts
// and calls: the library fails or panics on other parts, and would treat a model's thought as part of the
// answer. filter also gives the signatures of calls, which the library does not know, to the exchange.
type filter struct {
	x     *exchange
	m     *model
	from  io.ReadCloser
	bound *wire.Bounded
	text  *bufio.Reader // the body, read through bound
	in    *json.Decoder // decodes text
	begun bool
	alone bool // the response is one piece, not an array
	n     int  // how many pieces were read
	calls int
	args  int // how many bytes the calls have
	said  int // how many bytes the text has
	work  int // how many bytes the library has had to copy
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

// next returns the next element, in the form that the library can read.
func (f *filter) next() ([]byte, error) {
	bad := f.m.Garbled(notGoogle)
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
		return nil, f.m.Garbled(fmt.Sprintf("the reply has more than %d pieces, the limit: ask for less", maxPieces))
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

// look finds out whether the response is an array of pieces, or one piece from an endpoint that
// does not stream. It is called before anything is decoded.
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
		_, _ = f.text.Discard(1) // no error: Peek has already read this byte
	}
}

// only returns the single piece of the response as an array.
func (f *filter) only() ([]byte, error) {
	var element json.RawMessage
	if err := f.in.Decode(&element); err != nil {
		return nil, f.broken(err)
	}
	switch _, err := f.in.Token(); {
	case err == nil:
		return nil, f.m.Garbled("the server sent more data after the end of the reply: check the address of the API")
	case err != io.EOF:
		return nil, f.broken(err)
	}
	clean, err := f.clean(element)
	if err != nil {
		return nil, err
	}
	return append(append([]byte{'['}, clean...), ']'), io.EOF
}

// broken returns the error for an array that does not continue.
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
		return f.m.Garbled(notGoogle)
	}
	return f.m.Ended(err)
}

// element is one element of the array, with the fields that filter reads.
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
		return nil, f.m.Garbled(notGoogle)
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
				n = 5 // a name that the list lacks counts as OTHER
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
	switch {
	case f.calls > wire.MaxParts:
		return nil, f.m.Garbled(wire.ManyCalls)
	case f.args > maxArgs:
		return nil, f.m.Garbled(fmt.Sprintf("the calls of the reply have more than %d bytes, the limit: ask for less at once", maxArgs))
	case f.work > maxWork:
		return nil, f.m.Garbled("the reply has too much text in too many pieces: ask for less at once")
	}
	return json.Marshal(e)
}
