package agent

import (
	"fmt"
	"strings"
)

// Ids and names of calls go back to the endpoint with every later request, and APIs
// refuse a request for any of them that is not plain: one strange name that a model
// made up would end the conversation for good. So they are made plain before they
// are in a chat, and again in a chat that may come from elsewhere.

const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// maxName is how long an id or a name may be: what every API takes.
const maxName = 64

func isPlain(s string) bool { return s != "" && len(s) <= maxName && strings.Trim(s, plain) == "" }

// ids are those of a chat's calls.
type ids map[string]bool

func (c *Chat) ids() ids {
	seen := ids{}
	for _, m := range c.Messages {
		for _, call := range m.Calls {
			seen[call.ID] = true
		}
	}
	return seen
}

// fresh is an id that no call has.
func (s ids) fresh() string {
	for k := len(s) + 1; ; k++ {
		if id := fmt.Sprintf("call_%d", k); !s[id] {
			s[id] = true
			return id
		}
	}
}

// name gives each call of a reply an id that is unique in the chat and that every
// API takes, and such a name: an endpoint that gives an id twice would have one
// result taken for another's.
func (r *run) name(calls []ToolCall) {
	seen := r.chat.ids()
	for i := range calls {
		c := &calls[i]
		if !isPlain(c.ID) || seen[c.ID] {
			c.ID = seen.fresh()
		}
		seen[c.ID] = true
		if !isName(c.Name) {
			// It must not become a tool's by this: what is called by a wrong name is not run.
			for c.Name = plainName(c.Name); r.tool(c.Name) != nil; {
				c.Name += "_"
			}
		}
	}
}

// rename does the same in a chat whose calls all have their results.
func (c *Chat) rename() {
	seen := c.ids()
	for i := range c.Messages {
		for k := range c.Messages[i].Calls {
			call, res := &c.Messages[i].Calls[k], &c.Messages[i+1].Results[k]
			if !isPlain(call.ID) {
				call.ID = seen.fresh()
			}
			if !isName(call.Name) {
				call.Name = plainName(call.Name)
			}
			res.ID, res.Name = call.ID, call.Name
		}
	}
}

// isName reports whether every API takes s as the name of a tool.
func isName(s string) bool { return isPlain(s) && strings.IndexByte(plain[:52]+"_", s[0]) >= 0 }

// plainName is s with _ for what no name has, and room to grow.
func plainName(s string) string {
	s = strings.Map(func(c rune) rune {
		if strings.ContainsRune(plain, c) {
			return c
		}
		return '_'
	}, s[:min(len(s), maxName-8)])
	if !isName(s) {
		s = "_" + s
	}
	return s
}
