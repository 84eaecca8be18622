package policy

import (
	"sync"

	"github.com/exoagent/exoagent/exo"
)

// Revocable returns an object that forwards to o, and a function that cuts it
// off for good: messages that come later are refused with Kind Revoked, and
// those being answered are cancelled. It cuts off what messages to it have
// returned, too. (The caretaker of Redell 1974, by way of
// Miller's Robust Composition.)
func Revocable(o exo.Object) (exo.Object, func()) {
	cut := make(chan struct{})
	return exo.Wrap(o, exo.Policy{Revoked: cut}), sync.OnceFunc(func() { close(cut) })
}
