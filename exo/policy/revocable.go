package policy

import (
	"sync"

	"github.com/exoagent/exoagent/exo"
)

// Revocable returns an object that forwards to o, and a function that cuts it off for good: later
// messages are refused with Kind Revoked, and messages that are being answered are cancelled.
// Objects that it has returned are cut off, too. (The caretaker of Redell 1974, by way of Miller's
// Robust Composition.)
func Revocable(o exo.Object) (exo.Object, func()) {
	cut := make(chan struct{})
	return exo.Wrap(o, exo.Policy{Revoked: cut}), sync.OnceFunc(func() { close(cut) })
}
