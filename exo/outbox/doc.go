// Package outbox keeps messages that are to leave the host until a receiver has taken them: mails, texts for a chat, webhooks.
//
// A message has a key, which is the same at each attempt. A message is delivered at least once, and a receiver recognizes a repetition by the key. After
// a failed attempt, any process that shares the store makes the next one, each time after a longer pause. After [Options.For] the message has failed, and
// stays in the list for a person. An error that wraps [ErrRefused] is final at once.
//
// [Outbox.Stage] keeps a message of a run that is about to commit. The message is not delivered before [Outbox.Put] releases it. If the process is killed in
// between, [Outbox.Pass] asks the databases whether the run was kept. If it was, the message is delivered, and otherwise it is dropped.
//
// Bodies are encrypted. Keys, receivers' names, times and the number of attempts are not. A process that can write the store can drop a message or have
// it delivered again, but can't make or change one.
package outbox
