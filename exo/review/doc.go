// Package review lets a person agree to what a program would change, before it happens. (After plan and apply of Terraform.)
//
// A [Keeper] is the exo.Reviewer of a gate. A run that meets a rule of the host (changeset.Ask) is rolled back, and what it would have changed is kept
// as a [ChangeSet], encrypted, in a store. A person looks at it and agrees or refuses. To apply it, codemode.Tool.Apply runs the same program again, with
// the same clock and seed: it commits only if its changes are the same in all that it determines.
//
// A host makes one Keeper with a lasting store and a random key, and gives it to every tool as codemode.Options.Review, with a Principal. It opens
// databases with exosql.OpenOptions.Images and Witness. It shows people Tool.Pending, and calls Tool.Apply or Tool.Reject with the [Approver] that its own
// login knows. When it starts it calls [Keeper.Reconcile] with exosql's DB.Committed. The tool itself tells the model what became of its change sets.
//
// Nothing waits in a process. Any process that has the store, the key and the same grants can apply a change set, and one does: the entry of the
// store names the run that applies it, and the database's witness says whether that run was kept.
//
// Trusted: the host, who names the approver. A program can't agree, and reads neither the digest nor what labels withhold. Who can write the store can
// delete what waits, and let it wait again; not change it, or agree. policy.Approve is another thing: it asks before one call, in this process.
//
// Its tests are in exosql/test/approvals, where there are databases to change.
package review
