// Package guest is what a program holds in its realm: the granted objects, what it records by describing calls,
// the rows that it was given, promises and sealed values; and how values cross between JavaScript and the host. Its design is DESIGN.md in this package's folder.
//
//   - recorder, opaque, method, keys: a granted object, or a part of a description, as a JavaScript value of our own.
//   - describe, filter, naming, synonym, change: a call becomes a node of an expression, in our form or in one of other
//     libraries.
//   - operators, calls, texts, truth: what the helpers of rewritten programs do.
//   - sealed, unawaited, implicit: values that can't be read, promises that were not awaited, what is sent by await.
//   - convert, rows: values.
//   - hints, throw: what the author of a program reads.
//   - guest: what all of them share.
//
// Package exoeval makes a Guest for each run. No function of a program ever leaves this package.
package guest
