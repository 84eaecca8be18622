package exoeval

// This file has the console of a program: each line goes to the host.

import (
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval/internal/guest"
	"github.com/exoagent/exoagent/internal/scalar"
)

// console counts the bytes that the program logs. It sends each line to the host at once;
// the host decides who may read the line. A line that the host would refuse is not sent.
type console struct {
	max, used int // bytes: the bound, and how many are used
	full      bool
}

// levels has the level of the lines that a method logs. The lines of all other methods have the plain level.
var levels = map[string]exo.Level{"warn": exo.LevelWarn, "error": exo.LevelError}

func (c *console) object(r *run) goja.Value {
	o := r.VM.NewObject()
	for _, name := range []string{"log", "info", "warn", "error", "debug", "table", "dir", "trace"} {
		r.Put(o, name, r.Function(name, func(call goja.FunctionCall) goja.Value {
			c.log(r, name, call.Arguments)
			return goja.Undefined()
		}))
	}
	return o
}

func (c *console) log(r *run, level string, args []goja.Value) {
	if c.full {
		return
	}
	var parts []string
	for _, a := range args {
		if s, ok := a.(goja.String); ok {
			parts = append(parts, scalar.Shorten(s.String(), c.max))
			continue
		}
		v, err := r.ToValue(a, guest.ForConsole)
		if err != nil {
			parts = append(parts, "["+fail.GuestText(err)+"]")
			continue
		}
		b, jerr := v.AppendJSON(nil)
		if v.Type() == value.TypeText {
			b = []byte(v.Text())
		}
		if jerr != nil {
			b = []byte("[?]")
		}
		parts = append(parts, scalar.Shorten(string(b), c.max))
	}
	if c.full { // a getter of the logged value has itself logged, and used up the bytes that were left
		return
	}
	l := exo.Line{Level: levels[level], Text: strings.ToValidUTF8(strings.Join(parts, " "), "")}
	if c.used += l.Size(); c.used > c.max {
		c.full = true
		l.Text = upTo(l.Text, r.Limits.LineBytes()) // the host cuts the line to the bytes that are left
	}
	if err := r.port.Log(l); err != nil {
		panic(r.Throw(err))
	}
}

// upTo returns the first n bytes of s, or fewer: it never cuts a character in two.
func upTo(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
