package agent

import (
	"fmt"
	"maps"
	"slices"
)

// Chat is a conversation. It is plain data: encode it as JSON to store
// it, and continue it after decoding, even with another model. The zero
// Chat is a new conversation. Two goroutines must not use it at once.
type Chat struct {
	// ID names the chat for budgets per conversation. The host chooses it; chats of one user without an ID share these budgets.
	ID       string           `json:"id,omitempty"`
	Messages []ChatMessage    `json:"messages"`
	Usage    map[string]Usage `json:"usage,omitempty"` // the usage, by the name of the model
}

// Cost returns the cost of the chat. ok is false if a price is not known.
func (c *Chat) Cost(p Prices) (cost float64, ok bool) {
	ok = true
	for _, m := range slices.Sorted(maps.Keys(c.Usage)) {
		x, known := p.Cost(m, c.Usage[m])
		cost, ok = cost+x, ok && known
	}
	return cost, ok
}

func (c *Chat) used(model string, u Usage) {
	if c.Usage == nil {
		c.Usage = map[string]Usage{}
	}
	c.Usage[model] = c.Usage[model].Add(u)
}

// interrupted is the result of a call that was interrupted. The call never runs again, because it
// may have changed something.
const interrupted = `{"error":{"kind":"cancelled","message":"this call was interrupted, and its effects are not known: do not run the same program again if it may have changed something"}}`

// mend checks a chat that may come from a file. A call without a result gets the result
// interrupted, and ids and names are changed so that every API accepts them.
func (c *Chat) mend() error {
	ids := map[string]bool{}
	for i := 0; i < len(c.Messages); i++ {
		m := &c.Messages[i]
		bad := func(what string) error { return fmt.Errorf("agent: Chat.Messages[%d] %s", i, what) }
		switch {
		case m.Role == RoleUser && len(m.Calls)+len(m.Results) > 0:
			return bad("has the role user, so it can't have Calls or Results: remove them")
		case m.Role == RoleAssistant && len(m.Results) > 0:
			return bad("has the role assistant, so it can't have Results: remove them")
		case m.Role == RoleTool && (i == 0 || c.Messages[i-1].Role != RoleAssistant):
			return bad("has the role tool, and must follow a message of the role assistant")
		case m.Role == RoleTool && len(m.Results) > len(c.Messages[i-1].Calls):
			return bad(fmt.Sprintf("has %d Results, more than the %d Calls of the message before it", len(m.Results), len(c.Messages[i-1].Calls)))
		case m.Role == RoleTool && (m.Text != "" || len(m.Calls) > 0):
			return bad("has the role tool, so it can't have a Text or Calls: remove them")
		case m.Role != RoleUser && m.Role != RoleAssistant && m.Role != RoleTool:
			return bad(fmt.Sprintf("has the role %q: want user, assistant or tool", m.Role))
		}
		for k, call := range m.Calls {
			if call.ID == "" || ids[call.ID] {
				return bad(fmt.Sprintf("has a call with the ID %q: give each call an ID of its own", call.ID))
			}
			ids[call.ID] = true
			if k == 0 && (i+1 == len(c.Messages) || c.Messages[i+1].Role != RoleTool) {
				c.Messages = slices.Insert(c.Messages, i+1, ChatMessage{Role: RoleTool})
				m = &c.Messages[i]
			}
		}
		if m.Role != RoleTool {
			continue
		}
		for k, call := range c.Messages[i-1].Calls {
			if k == len(m.Results) {
				m.Results = append(m.Results, ToolResult{ID: call.ID, Name: call.Name, Text: interrupted, Failed: true, Effects: true})
			}
			if m.Results[k].ID != call.ID {
				return bad("has Results in another order than the Calls of the message before it: put them in the order of the Calls")
			}
		}
	}
	c.rename()
	return nil
}

// makeRoom drops the oldest results until half of their text is gone, and returns how many it
// dropped. It keeps the results in the newest message, which the model waits for.
func (c *Chat) makeRoom() (n int) {
	var old []*ToolResult
	size := 0
	for i := range c.Messages[:max(0, len(c.Messages)-1)] {
		for k := range c.Messages[i].Results {
			if r := &c.Messages[i].Results[k]; len(r.Read()) > len(dropped) {
				old = append(old, r)
				size += len(r.Text)
			}
		}
	}
	for left := size; n < len(old) && left > size/2; n++ {
		old[n].Dropped = true
		left -= len(old[n].Text)
	}
	return n
}
