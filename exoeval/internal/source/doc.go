// Package source reads the text of a program: from bytes that anyone may have written to the syntax
// tree of goja's parser, and from a place in that tree back to a place in the text.
//
// A text goes through its files in this order:
//
//   - source: size, markdown fence, habits like `export default`; Parse and Erase are the two ways on.
//   - prescan, reading: what goja's recursive parser would spend on a text is bounded before it sees it.
//   - parse, explain: goja's parser, called in the one way that reads no file; what an author reads where it gives up.
//   - erase, erasestmt, erasefunc, eraseenum, eraseexpr, erasetype, eraser: TypeScript's types are overwritten
//     with spaces.
//   - token, regexp, regexpclass: tokens, and regular expressions that Go's engine runs.
//   - fault, position: a refusal, and its place.
//
// Package front decides which trees are programs.
package source
