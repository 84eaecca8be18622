package mcpclient

// This file decides which calls wait until a person has agreed to them.

import (
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
)

var _ exo.Asker = (*Object)(nil)

// MayAsk implements exo.Asker.
func (o *Object) MayAsk() bool { return o != nil && len(o.server.Approve) > 0 }

// Asks implements exo.Asker.
func (o *Object) Asks(m *exo.Message) (rule string, who changeset.Who) {
	t, _, err := o.asked(m)
	if err != nil || !slices.Contains(o.server.Approve, t.name) {
		return "", who
	}
	return "call of " + o.server.Name + "." + m.Root.Name, o.server.Approvers
}
