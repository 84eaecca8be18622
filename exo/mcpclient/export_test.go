package mcpclient

import (
	"time"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// Later lets the time pass until the tools are listed again.
func Later(o *Object) {
	o.linking <- struct{}{}
	defer func() { <-o.linking }()
	o.link.looked = time.Now().Add(-2 * lookAgain)
}

// Pid is the process of a server, 0 if there is none.
func Pid(o *Object) int {
	o.linking <- struct{}{}
	defer func() { <-o.linking }()
	if o.link == nil || o.link.lines == nil {
		return 0
	}
	return o.link.lines.p.Pid()
}

var TypeOf = typeOf

func Read(t *message.Type, x any, most int) (value.Value, error) { return read(t, x, 0, &most) }

// Calls is how many calls wait, and how many are open.
func Calls(o *Object) (waiting, open int) { return o.turns.Len() }
