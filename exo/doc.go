// Package exo is the core of exoagent: objects that a program can be given, and
// the one gate through which it can use them. What a program causes depends only on the objects that
// it was granted, even if the program is hostile. Its design is DESIGN.md in this package's folder.
//
// Values with their labels are in exo/value, the messages of a program in exo/message, errors in exo/fail. These are the pieces, in the
// order in which a message meets them:
//
//   - An [Object] is a capability. Its [message.Description] is plain data: interfaces
//     that list which members there are and of which types.
//   - A [message.Checker] turns calls into nodes of an expression and refuses what the
//     interfaces do not allow. It runs twice: in the recorder on the guest's side,
//     for errors with a position, and in the gate, which trusts no recorder.
//   - [message.Expr] is the expression as a message. [message.Checker.Check] makes a [Message]
//     of it, in which constants are replaced by arguments: messages of one Shape share a plan.
//   - A [Gate] holds the grants, and a [Session] is one [Run] of it. Every message passes
//     one function, Session.admit, in one order: check, join labels, refuse, record
//     the intent, act, record the outcome.
//   - [Session.Finish] ends a run in one order: decide what leaves, prepare, record the
//     intent to commit, commit, record, let held effects act. Each [Effect] has a [State].
//   - A [Recorder] keeps what happened, entry by [Entry]; what it can't append does not happen.
//   - [Wrap] derives a weaker object by a [Policy]: exo/policy has the usual ones.
//     exo/exotest tests objects.
//   - A [value.Label] names the kinds of secret that a value carries. The run has a label, too,
//     and its result leaves only if Config.Admits admits that label.
//   - A declassifier is a method that reveals a bounded amount of sealed values (Method.Declassifies);
//     a [BitBudget] bounds what all declassifiers together reveal to a principal in a day.
//   - A [Line] of the console leaves only if the label that the run had when it was
//     logged may: see [Session.Log].
//   - A [fail.Error] has a Kind, a text for the guest, a place in the program, and a cause
//     for the host. It comes as an error: [fail.KindOf], [fail.GuestText] and [fail.PosOf] read it.
//
// # Security model
//
// The host program is trusted: it makes Objects, and Go's types keep it from
// mistakes, not from malice. Guests are not trusted at all. A guest holds numbers of objects,
// and with a number it can only send a message that the catalogue allows. A hidden
// member and a missing one give the same answer. A zero Object, Value, Label or Config
// gives nothing away: it is refused, public, or grants nothing.
//
// The package imports only the standard library, and packages of this module that do the
// same, and knows neither SQL nor JavaScript.
// The ideas are from elsewhere: capabilities and caretakers from Miller's Robust
// Composition, record-and-replay from Cap'n Web, labels from LIO (Stefan et al.),
// withheld errors from Upspin.
package exo
