package codemode_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
)

// pieces counts what is written to it, and looks at the world before the first.
type pieces struct {
	bytes.Buffer
	first   func()
	largest int
}

func (p *pieces) Write(b []byte) (int, error) {
	if p.first != nil {
		p.first()
		p.first = nil
	}
	p.largest = max(p.largest, len(b))
	return p.Buffer.Write(b)
}

// TestCallTo: what is written piece by piece is what a call gives as a whole, whatever
// becomes of the program, and nothing is written before its changes are kept.
func TestCallTo(t *testing.T) {
	w := newWorld(t)
	five := newTool(t, codemode.Grants{"org": w.five}, &codemode.Options{Evaluator: exoeval.InProcess{}, Bounds: exoeval.Bounds{ResultBytes: 1 << 20}})
	effects, sent := mailer(t, codemode.Options{})
	for name, c := range map[string]struct {
		tool     *codemode.Tool
		code     string
		streamed bool
	}{
		"a number":           {five, "return 1", true},
		"undefined":          {five, "let x = 1", true},
		"rows":               {five, "return await org.people()", true},
		"rows in a record":   {five, "const p = await org.people(); return {n: p.length, 'a\\nb': [p, [], {}], none: null, at: new Date(0)}", true},
		"an item after item": {five, "return Array.from({length: 20000}, (_, i) => ({i, text: 'an \"item\"'}))", true},
		"console":            {five, "console.log('x'); return [1, 2]", true},
		"cut":                {five, "return 'x'.repeat(1 << 20)", false},
		"an error":           {five, "return org.nothing()", false},
		"syntax":             {five, "return (", false},
		"no text":            {five, "return '\\ud800'", false},
		"an effect":          {effects, "await mail.post({to: 'a'}); return 'done'", true},
		"withheld":           {effects, "return await vault.secret()", false},
	} {
		t.Run(name, func(t *testing.T) {
			in, _ := json.Marshal(map[string]string{"code": c.code})
			want, wantRes := c.tool.CallResult(t.Context(), in)
			*sent = 0
			p := &pieces{first: func() {
				if c.tool == effects && c.streamed && *sent != 1 {
					t.Errorf("written before the effect: %d sent", *sent)
				}
			}}
			res, err := c.tool.CallTo(t.Context(), p, codemode.Job{}, in)
			if err != nil || p.String() != string(want) {
				t.Errorf("%v, wrote %.300s\nwant %.300s", err, p, want)
			}
			if (res.Err == nil) != (wantRes.Err == nil) || fail.KindOf(res.Err) != fail.KindOf(wantRes.Err) || res.Notice != wantRes.Notice || res.Value.Len() != wantRes.Value.Len() {
				t.Errorf("%+v\nwant %+v", res, wantRes)
			}
			if c.streamed && (res.JSON != nil || p.largest > 32<<10) {
				t.Errorf("held %d bytes, and wrote %d at once", len(res.JSON), p.largest)
			}
		})
	}
	for _, in := range []string{`{}`, `{"code": 1}`, ``, `{"code": "` + strings.Repeat("x", 1<<20) + `"}`} {
		want, _ := five.CallResult(t.Context(), json.RawMessage(in))
		var b bytes.Buffer
		if res, err := five.CallTo(t.Context(), &b, codemode.Job{}, json.RawMessage(in)); err != nil || res.Err == nil || b.String() != string(want) {
			t.Errorf("%.20s: %v %s, want %s", in, err, &b, want)
		}
	}
	var zero codemode.Tool
	var b bytes.Buffer
	if res, err := zero.CallTo(t.Context(), &b, codemode.Job{}, nil); err != nil || res.Err == nil || !strings.Contains(b.String(), `"denied"`) {
		t.Errorf("the zero tool: %v %s", err, &b)
	}
}

// A writer that fails is told to the host, and nothing that the run has done is undone.
func TestCallToBrokenWriter(t *testing.T) {
	tool, sent := mailer(t, codemode.Options{})
	for _, code := range []string{"await mail.send({to: 'a'}); return Array.from({length: 20000}, (_, i) => i)", "await mail.send({to: 'a'}); throw 1"} {
		for _, n := range []int{0, 5, 1000} {
			*sent = 0
			in, _ := json.Marshal(map[string]string{"code": code})
			res, err := tool.CallTo(t.Context(), &broken{n}, codemode.Job{}, in)
			if !errors.Is(err, io.ErrClosedPipe) && n < 1000 || *sent != 1 || len(res.Effects) != 1 {
				t.Errorf("after %d bytes: %v, %d sent, %v", n, err, *sent, res.Effects)
			}
		}
	}
}

type broken struct{ left int }

func (b *broken) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}
