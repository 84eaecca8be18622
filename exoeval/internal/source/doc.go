// Package source reads the text of a program, which anyone may have written. It makes the syntax tree of goja's parser, and finds the place in
// the text for a place in the tree.
//
// A text goes through its files in this order:
//
//   - source: size, markdown fence, habits like `export default`. Then Parse or Erase goes on.
//   - prescan, reading: they bound what goja's recursive parser could spend on a text, before the parser sees the text.
//   - parse, explain: the only call of goja's parser, in the form that reads no file; and the text of its errors.
//   - erase, erasestmt, erasefunc, eraseenum, eraseexpr, erasetype, eraser: TypeScript's types are overwritten
//     with spaces.
//   - token, regexp, regexpclass: tokens, and regular expressions that Go's engine runs.
//   - fault, position: an error, and its place in the text.
//
// Package front decides which trees are programs.
package source
