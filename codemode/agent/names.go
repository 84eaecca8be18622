package agent

import (
	"fmt"
	"strings"
)

// Every later request repeats the ids and names of calls, and an API refuses a request with other
// characters in them. So one strange name from a model would end the conversation for good. Ids and
// names are therefore made plain before they enter a chat, and again in a chat from a file.

const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// maxName is the longest id or name that every API accepts.
const maxName = 64

func isPlain(s string) bool { return s != "" && len(s) <= maxName && strings.Trim(s, plain) == "" }

// ids has the ids of a chat's calls.
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

// fresh returns an id that no call of the chat has.
func (s ids) fresh() string {
	for k := len(s) + 1; ; k++ {
		if id := fmt.Sprintf("call_%d", k); !s[id] {
			s[id] = true
			return id
		}
	}
}

// name gives each call of a reply an id that is unique in the chat, and a name; every API accepts
// both. Without unique ids, a result could be assigned to the wrong call.
func (r *run) name(calls []ToolCall) {
	seen := r.chat.ids()
	for i := range calls {
		c := &calls[i]
		if !isPlain(c.ID) || seen[c.ID] {
			c.ID = seen.fresh()
		}
		seen[c.ID] = true
		if !isName(c.Name) {
			// The plain name must not be a tool's name, since a call with a wrong name must not run.
			for c.Name = plainName(c.Name); r.tool(c.Name) != nil; {
				c.Name += "_"
			}
		}
	}
}

// rename changes the ids and names of a chat's calls and results, so that every API accepts them.
// Each call must have a result.
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

// isName reports whether every API accepts s as the name of a tool.
func isName(s string) bool { return isPlain(s) && strings.IndexByte(plain[:52]+"_", s[0]) >= 0 }

// plainName returns s with _ in place of characters that are not allowed, and short enough for a suffix.
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
