package policy

import (
	"sync"

	"github.com/exoagent/exoagent/exo"
)

// Revocable returns an object that forwards to o, and a function that revokes it for good. Then
// later messages are refused with Kind Revoked, and messages being answered are cancelled. Objects
// that it has returned are revoked, too. (This is the caretaker of Redell 1974, from Miller's
// Robust Composition.)
func Revocable(o exo.Object) (exo.Object, func()) {
	cut := make(chan struct{})
	return exo.Wrap(o, exo.Policy{Revoked: cut}), sync.OnceFunc(func() { close(cut) })
}
