// Package review lets a person agree to what a program would change, before it happens. (After plan and apply of Terraform.)
//
// A [Keeper] is the exo.Reviewer of a gate. A run that meets a rule of the host (changeset.Ask) is rolled back, and what it would have changed is kept
// as a change set, encrypted, in a store. A person looks at it ([Keeper.Waiting]) and agrees or refuses. To apply it, the same program runs again, with
// the same clock and seed ([Keeper.Agree], then codemode.Tool.Apply): it commits only if its changes are the same in all that it determines.
//
// Nothing waits in a process. Any process that has the store, the key and the same grants can apply a change set, and one does: the entry of the
// store names the run that applies it, and the database's witness says whether that run was kept.
//
// Trusted: the host, who names the approver. A program can't agree, and reads neither the digest nor what labels withhold.
package review
