package exoeval

import (
	"fmt"
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
)

// console keeps what the program logs. It is a sink like the result: the host
// shows it only if the label of the run may leave.
type console struct {
	b    strings.Builder
	max  int
	full bool
}

func (c *console) object(r *run) goja.Value {
	o := r.vm.NewObject()
	for _, name := range []string{"log", "info", "warn", "error", "debug", "table", "dir", "trace"} {
		r.put(o, name, r.function(name, func(call goja.FunctionCall) goja.Value {
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
			parts = append(parts, shorten(s.String(), c.max))
			continue
		}
		v, err := r.toValue(a, forConsole)
		if err != nil {
			parts = append(parts, "["+exo.GuestText(err)+"]")
			continue
		}
		b, jerr := v.AppendJSON(nil)
		if v.Kind() == exo.KindText {
			b = []byte(v.Text())
		}
		if jerr != nil {
			b = []byte("[?]")
		}
		parts = append(parts, shorten(string(b), c.max))
	}
	line := strings.Join(parts, " ")
	if level == "warn" || level == "error" {
		line = level + ": " + line
	}
	if left := c.max - c.b.Len(); len(line)+1 > left {
		c.b.WriteString(shorten(line, max(0, left)))
		fmt.Fprintf(&c.b, "\n… the console is full: the limit is %d bytes", c.max)
		c.full = true
		return
	}
	c.b.WriteString(line + "\n")
}
