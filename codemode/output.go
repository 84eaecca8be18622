package codemode

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/internal/scalar"
)

const (
	maxMessage = 4000 // most bytes of an error's text, and of the line of the program in it
	maxSlack   = 64   // how many bytes a cut text may need in addition to its share, for quotes and a mark
)

// failed is an error in the form that the model reads. It lacks the field Err, since the host's
// cause must not reach the model.
type failed struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Source  string `json:"source,omitempty"`
}

// afterwards has advice for the model after a failure that is not the program's fault. The texts of these errors
// themselves reveal as little as possible.
var afterwards = map[fail.Kind]string{
	fail.Internal:  "The program is not at fault: run it once more, and if it fails again go on without it and report that.",
	fail.Cancelled: "The call was stopped from outside: run it again only if its result is still needed.",
	fail.Conflict:  "Something changed meanwhile and nothing was kept: run the program again.",
	fail.Breach:    "Do not run it again.",
	fail.Revoked:   "The host has revoked this access: go on without it.",
}

// output returns the result in the form that the model reads. console and result limit the bytes of these parts.
func (r *Result) output(console, result int) json.RawMessage {
	b := r.framed
	written := b != nil && r.Err == nil
	notice := r.Notice
	switch {
	case !written:
		b = append(make([]byte, 0, len(r.Console)+len(notice)+maxSlack), '{')
	case r.Cut: // first, so that the model knows that a part is missing when it reads the result
		framed := b
		b, _ = appendText(append(make([]byte, 0, len(b)+len(notice)+maxSlack), `{"notice":`...), clean(notice), result+maxNotice)
		b, notice = append(append(b, ','), framed[1:]...), ""
	}
	effects := r.EffectsNote()
	if r.Err != nil {
		kind, at := fail.KindOf(r.Err), fail.PosOf(r.Err)
		if kind == fail.Other {
			kind = fail.Internal
		}
		f := failed{Kind: kind.String(), Message: scalar.Shorten(clean(fail.GuestText(r.Err)), maxMessage), Line: at.Line, Column: at.Column, Source: scalar.Shorten(clean(at.Text), maxMessage)}
		if s := afterwards[kind]; s != "" && (effects == "" || effects == noEffects) {
			f.Message = strings.TrimRight(f.Message, ".") + ". " + s
		}
		// Escapes are off: \u003e in place of > would make the source line of an arrow function hard to read.
		var buf bytes.Buffer
		enc := json.NewEncoder(&buf)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(f) // no error: there are only strings and numbers
		j := bytes.TrimRight(buf.Bytes(), "\n")
		b = append(append(b, `"error":`...), j...)
	} else if !written {
		b = append(append(b, `"result":`...), r.JSON...)
	}
	if r.Console != "" {
		b, _ = appendText(append(b, `,"console":`...), clean(r.Console), console+maxSlack)
	}
	if effects != "" {
		b, _ = appendText(append(b, `,"effects":`...), effects, (maxEffects+1)*200+maxRefusals*(maxRefusal+200)+maxMessage)
	}
	if notice != "" {
		b, _ = appendText(append(b, `,"notice":`...), clean(notice), result+maxNotice)
	}
	return append(b, '}')
}

// clean returns valid text for anything that a program has logged or thrown.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
