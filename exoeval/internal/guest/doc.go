// Package guest has the values of a program in its realm: granted objects, recorded descriptions, rows, promises and sealed values. It also
// converts values between JavaScript and the host. Its design is DESIGN.md in this package's folder.
//
//   - recorder, opaque, method, keys: a granted object, or a part of a description, as a JavaScript value of our own.
//   - describe, filter, naming, synonym, change: a call becomes a node of an expression, written in our form or in the
//     form of another library.
//   - operators, calls, texts, truth: what the helpers of rewritten programs do.
//   - sealed, unawaited, implicit: values that can't be read, promises that were not awaited, and what await sends.
//   - convert, rows: values.
//   - hints, throw: error texts for the author of a program.
//   - guest: the state that all of them share.
//
// Package exoeval makes a Guest for each run. No function of a program ever leaves this package.
package guest
