// Package record keeps the record of runs as lines of JSON. It writes each [exo.Entry] as one line before the event of the entry happens, and reads
// lines back as entries. It also finds the outcome of runs whose process was killed. Its design is DESIGN.md in this package's folder.
//
// A record is for the host alone: it has programs, arguments and the SQL with its values. A record in a file is neither encrypted nor signed: a process
// that can open the file can read and change it. The file is not synced to the disk, so a loss of power may lose lines. A [Folder] is encrypted, signed
// and synced, and the lines below are what it encrypts.
//
// A line is one object with fields in this order. Empty fields are left out. A name has one spelling and is given once. A text that is no UTF-8 is
// written as {"base64": "…"}.
//
//	v        the version of the line. 3: the line has reply, or its start has module, encoding, admits, preview, judged or grants. 2: it has constants or cut. 1: any other line. A reader refuses other versions
//	run      ID of the run, 32 hexadecimal digits
//	step     begun, refused, intent, outcome, withheld, released, committing, committed, settled, acting, acted or ended
//	at       when, RFC 3339 in UTC, with nanoseconds
//	call     number of the message in its run
//	op       what was asked, as the program wrote it, shortened
//	line, column where in the program it was asked
//	effect   unit (of work), held or immediate
//	message  the exact message in exo's canonical encoding (message.DecodeExpr), base64, but for its constants
//	constants large constants of the message, which has null there: node (the place), digest, bytes, value (canonical encoding, base64), call (of the entry that has the value). If neither is given, the value was left out
//	cut      digest and bytes of a message that is too large for the record
//	label    tags of the run's label, sorted
//	state    what became of an effect or of the run: held, applied, rolledback, failed, immediate, unknown
//	rows     number of rows of the reply
//	took     how long the message acted, as time.ParseDuration reads it
//	digest   SHA-256 of the reply or of the result (value.Value's Digest), 64 hexadecimal digits
//	err      why it failed, each text shortened beyond 64 KiB: kind, op, msg (which the program may have read), line, column and source (its place), and cause, or text where it was an error of another kind in Go
//	details  details that objects added, each as its own JSON: for a database sql, args, rows, ms; or note, the reason why a detail is left out
//	reply    where replies are kept, at outcome: records and bytes that the object read, value (the reply's canonical encoding, base64), types (of the objects in it, packed by coding.PackTypes, base64), lost (why there is none)
//	prepared at committing: changed, the number of stores that the run has changed, and witnessed, the number of those in which it left its ID
//	start    at begun: principal, program, label, clock, seed (decimal text), zone, limits (by their names in exo.Limits and in exoeval.Bounds, times in nanoseconds), granted (digest), admits (the tags that the result may carry), preview (whether the run is a preview), judged (the grants with a policy that looks at sealed values), module (the version of exoagent), encoding (the version of the canonical encoding), grants (names and catalogue, packed by coding.PackGrants, base64, where replies are kept)
package record
