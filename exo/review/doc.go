// Package review lets a person agree to a program's changes before they happen, like plan and apply of Terraform.
//
// A [Keeper] is the exo.Reviewer of a gate. A run that meets a rule of the host (changeset.Ask) is rolled back. What the run would have changed is kept,
// encrypted, as a [ChangeSet] in a store. A person reads the change set, and agrees or refuses. To apply it, codemode.Tool.Apply runs the same program
// again, with the same clock and seed. That run commits only if everything that it determines is the same.
//
// A host makes one Keeper with a lasting store and a random key, and gives it to every tool as codemode.Options.Review, with a Principal. The host opens
// databases with exosql.OpenOptions.Images and Witness. It shows people Tool.Pending, and calls Tool.Apply or Tool.Reject with the [Approver] from its
// own login. When the host starts, it calls [Keeper.Reconcile] with exosql's DB.Committed. The tool itself informs the model about its change sets.
//
// Change sets wait in the store, not in a process. Any process with the store, the key and the same grants can apply one, but only one process does:
// the entry names the run that applies it, and the database's witness shows whether that run was kept.
//
// The host, which names the approver, is trusted. A program can't agree, and can't read the digest or labelled values. A person who can write the store
// can delete a change set, or make it wait again, but can't change it or agree. policy.Approve is different: it asks before one call, in this process.
//
// Its tests are in exosql/test/approvals, since they change databases.
package review
