// Package outbox keeps messages that are to leave the host until a receiver has taken them: mails, texts for a chat, webhooks.
//
// A message has a key. It is the same at each attempt, so that a receiver can tell a repetition: a message is delivered at least once. An attempt that
// fails is made again, later and later, by any process that shares the store. After [Options.For] the message has failed, and stays in the list for a
// person. An error that wraps [ErrRefused] is final at once.
//
// [Outbox.Stage] keeps a message of a run that is about to commit. It is not delivered before [Outbox.Put] releases it. If the process is killed in
// between, [Outbox.Pass] asks the databases whether the run was kept: then the message leaves, and otherwise it is dropped.
//
// Bodies are encrypted. Keys, receivers' names, times and the number of attempts are not. A process that can write the store can drop a message or have
// it delivered again, and can't make or change one.
package outbox
